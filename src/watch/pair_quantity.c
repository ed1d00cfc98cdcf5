#include "watch/pair_quantity.h"

#include "touchstone/wildcard.h"

#include "model/model.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bodies of a name, and perhaps one shape of each.
typedef struct side {
  const bool *chosen; // (body_count)
  bool world;
  int shape; // of the body, from 0; -1: any
} side;

typedef enum measure { COUNT, GAP, IMPULSE, FORCE, SLIP, PX, PY, PZ, NX, NY, NZ, MEASURES } measure;

static const char *const measure_names[] = {
    [COUNT] = "count", [GAP] = "gap", [IMPULSE] = "pn", [FORCE] = "fn", [SLIP] = "slip", [PX] = "px",
    [PY] = "py",       [PZ] = "pz",   [NX] = "nx",      [NY] = "ny",    [NZ] = "nz"};

struct ts_pair_quantity {
  side sides[2];
  measure what;
};

// ---- names ---------------------------------------------------------------------------------------------------------

static char *trimmed(char *text)
{
  while (*text == ' ') ++text;
  char *end = text + strlen(text);
  while (end > text && end[-1] == ' ') *--end = '\0';
  return text;
}

static bool exists(const ts_model *model, const char *name)
{
  for (int b = 0; b < model->body_count; ++b)
    if (ts_wildcard_matches(name, model->bodies[b].name)) return true;
  return false;
}

// Cuts "/3" off, unless a body has it in its name.
static int cut_shape(const ts_model *model, char *name)
{
  char *slash = strrchr(name, '/'), *end;
  if (!slash || !slash[1] || exists(model, name)) return -1;
  const long shape = strtol(slash + 1, &end, 10);
  if (*end || shape < 0 || shape > model->source_count) return -1;
  *slash = '\0';
  return (int)shape;
}

static bool find_side(const ts_model *model, char *name, side *found, ts_arena *arena)
{
  found->shape = cut_shape(model, name);
  found->world = strcmp(name, "world") == 0;
  bool any = found->world;
  bool *chosen = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *chosen);
  for (int b = 0; b < model->body_count; ++b) {
    chosen[b] = ts_wildcard_matches(name, model->bodies[b].name);
    any = any || chosen[b];
  }
  found->chosen = chosen;
  return any;
}

ts_pair_quantity *ts_pair_quantity_find(const ts_model *model, char *text, ts_arena *arena)
{
  char *comma = strchr(text, ','), *closing = strrchr(text, ')');
  if (!comma || !closing || comma > closing || closing[1] != '.') return NULL;
  *comma = *closing = '\0';
  ts_pair_quantity *pair = ts_arena_bytes(arena, 1, sizeof *pair);
  pair->what = MEASURES;
  for (int k = 0; k < MEASURES; ++k)
    if (strcmp(measure_names[k], closing + 2) == 0) pair->what = (measure)k;
  const bool known = pair->what < MEASURES && find_side(model, trimmed(text), &pair->sides[0], arena) &&
                     find_side(model, trimmed(comma + 1), &pair->sides[1], arena);
  return known ? pair : NULL;
}

// ---- values --------------------------------------------------------------------------------------------------------

static int shape_of(const ts_model *model, int body, int part)
{
  int shape = 0;
  for (int i = 0; i < part; ++i) shape += model->shape_bodies[i] == body;
  return shape;
}

static bool is_on(const ts_model *model, const side *s, int body, int part)
{
  if (body == TS_WORLD) return s->world;
  if (!s->chosen[body]) return false;
  return s->shape < 0 || (part >= 0 && shape_of(model, body, part) == s->shape);
}

// Whether a contact is between the two, and whether its first body is on the second side.
static bool is_between(const ts_model *model, const ts_pair_quantity *pair, const ts_contact *c, bool *turned)
{
  const side *a = &pair->sides[0], *b = &pair->sides[1];
  *turned = false;
  if (is_on(model, a, c->body_1, c->part_1) && is_on(model, b, c->body_2, c->part_2)) return true;
  *turned = true;
  return is_on(model, b, c->body_1, c->part_1) && is_on(model, a, c->body_2, c->part_2);
}

// Pushes more or, where neither pushes, is nearer.
static bool counts_more(const ts_contact *c, const ts_contact *than)
{
  if (!than) return true;
  if (c->impulse[0] != than->impulse[0]) return c->impulse[0] > than->impulse[0];
  return c->gap < than->gap;
}

static double place_value(measure what, const ts_contact *c, bool turned)
{
  const double sign = turned ? -1.0 : 1.0;
  switch (what) {
  case PX:
    return c->point.x;
  case PY:
    return c->point.y;
  case PZ:
    return c->point.z;
  case NX:
    return sign * c->normal.x;
  case NY:
    return sign * c->normal.y;
  default:
    return sign * c->normal.z;
  }
}

static void add_up(measure what, const ts_contact *c, double h, double *value)
{
  const bool pushes = c->impulse[0] > 0.0;
  if (what == COUNT) *value += pushes;
  if (what == IMPULSE) *value += c->impulse[0];
  if (what == FORCE) *value += c->impulse[0] / h;
  if (what == GAP) *value = fmin(*value, c->gap);
  if (what == SLIP && pushes) *value = fmax(*value, hypot(c->velocity[1], c->velocity[2]));
}

double ts_pair_quantity_value(const ts_pair_quantity *pair, const ts_sim *sim)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count), *most = NULL;
  double value = pair->what == GAP ? INFINITY : 0.0;
  bool most_turned = false;
  for (int i = 0; i < count; ++i) {
    bool turned;
    if (!is_between(sim->model, pair, &contacts[i], &turned)) continue;
    add_up(pair->what, &contacts[i], sim->options.size, &value);
    if (!counts_more(&contacts[i], most)) continue;
    most = &contacts[i];
    most_turned = turned;
  }
  if (pair->what < PX) return value;
  return most ? place_value(pair->what, most, most_turned) : NAN;
}
