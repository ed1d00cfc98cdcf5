#include "watch/pair_quantity.h"

#include "watch/body_quantity.h"

#include "touchstone/wildcard.h"

#include "model/model.h"
#include "step/sim.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bodies of a name, and perhaps one shape of each.
typedef struct side {
  bool world;
  const bool *bodies; // of which anything counts (body_count)
  const bool *shapes; // that count (source_count)
} side;

// Of all contacts between the two sides in the last step:
#define MEASURE_LIST(X)                                                                                                \
  X(COUNT, count, "", "contacts that push")                                                                            \
  X(GAP, gap, "m", "the least at the start of the step; infinite where there is none")                                 \
  X(IMPULSE, pn, "N s", "normal impulses, summed")                                                                     \
  X(FORCE, fn, "N", "normal forces, summed: impulses over the length of the step")                                     \
  X(SLIP, slip, "m/s", "largest slip of those that push; 0 where none does")                                           \
  X(PX, px, "m", "where the one acts that pushes most, or is nearest at the start of the step; none: no number")       \
  X(PY, py, "m", "likewise")                                                                                           \
  X(PZ, pz, "m", "likewise")                                                                                           \
  X(NX, nx, "", "its normal, towards the first body")                                                                  \
  X(NY, ny, "", "likewise")                                                                                            \
  X(NZ, nz, "", "likewise")

#define MEASURE_ENUM(enumerator, name, unit, help) enumerator,
typedef enum measure { MEASURE_LIST(MEASURE_ENUM) MEASURES } measure;
#undef MEASURE_ENUM

#define MEASURE_ROW(enumerator, name, unit, help) {#name, unit, help},
static const struct {
  const char *name, *unit, *help;
} measures[] = {MEASURE_LIST(MEASURE_ROW)};
#undef MEASURE_ROW

struct ts_pair_quantity {
  side sides[2];
  measure what;
};

const char *ts_pair_quantity_row(int i, const char **unit, const char **help)
{
  if (i >= MEASURES) return NULL;
  *unit = measures[i].unit;
  *help = measures[i].help;
  return measures[i].name;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static char *trimmed(char *text)
{
  while (*text == ' ') ++text;
  char *end = text + strlen(text);
  while (end > text && end[-1] == ' ') *--end = '\0';
  return text;
}

// The comma between the two names, not one in quotes.
static char *find_comma(char *text)
{
  char quote = '\0';
  for (; *text; ++text) {
    if (quote ? *text == quote : *text == '\'' || *text == '"')
      quote = quote ? '\0' : *text;
    else if (*text == ',' && !quote)
      return text;
  }
  return NULL;
}

static bool exists(const ts_model *model, const char *name)
{
  for (int b = 0; b < model->body_count; ++b)
    if (ts_wildcard_matches(name, model->bodies[b].name)) return true;
  return false;
}

// Cuts "/3" off, unless a body has it in its name. -1: there is no number.
static long cut_shape(const ts_model *model, char *name)
{
  char *slash = strrchr(name, '/'), *end;
  if (!slash || !isdigit((unsigned char)slash[1]) || exists(model, name)) return -1;
  const long shape = strtol(slash + 1, &end, 10);
  if (*end) return -1;
  *slash = '\0';
  return shape;
}

// Those of the bodies' shapes that are meant; how many of each body, at most, there are.
static const bool *choose_shapes(const ts_model *model, const bool *bodies, long wanted, int *most, bool *any,
                                 ts_arena *arena)
{
  bool *shapes = ts_arena_bytes(arena, (size_t)model->source_count + 1, sizeof *shapes);
  int *seen = ts_arena_ints(arena, (size_t)model->body_count + 1);
  memset(seen, 0, ((size_t)model->body_count + 1) * sizeof *seen);
  *most = 0;
  *any = false;
  for (int i = 0; i < model->source_count; ++i) {
    const int body = model->shape_bodies[i];
    shapes[i] = bodies[body] && (wanted < 0 || seen[body] == wanted);
    ++seen[body];
    *any = *any || shapes[i];
    if (bodies[body] && seen[body] > *most) *most = seen[body];
  }
  return shapes;
}

static bool find_side(const ts_model *model, char *text, side *found, ts_arena *arena, ts_name_trouble *trouble)
{
  char *name = ts_without_quotes(trimmed(text));
  const long shape = cut_shape(model, name);
  bool any_body = false, any_shape;
  int most;
  bool *bodies = ts_arena_bytes(arena, (size_t)model->body_count + 1, sizeof *bodies);
  for (int b = 0; b < model->body_count; ++b) {
    bodies[b] = ts_wildcard_matches(name, model->bodies[b].name);
    any_body = any_body || bodies[b];
  }
  found->world = strcmp(name, "world") == 0 && shape < 0;
  found->shapes = choose_shapes(model, bodies, shape, &most, &any_shape, arena);
  if (shape >= 0) memset(bodies, 0, (size_t)model->body_count * sizeof *bodies);
  found->bodies = bodies;
  if (!any_body && !found->world) return ts_name_refuse_body(trouble, model, "body", name);
  if (shape >= 0 && !any_shape)
    return ts_name_refuse(trouble, "'%.60s' has %d shape%s, counted from 0: there is no '%.60s/%ld'", name, most,
                          most == 1 ? "" : "s", name, shape);
  return true;
}

static const char *measure_name(int i, const void *unused)
{
  (void)unused;
  return measures[i].name;
}

static bool find_measure(const char *name, measure *what, ts_name_trouble *trouble)
{
  for (int k = 0; k < MEASURES; ++k)
    if (strcmp(measures[k].name, name) == 0) {
      *what = (measure)k;
      return true;
    }
  return ts_name_refuse_quantity(trouble, "contacts have", name, MEASURES, measure_name, NULL);
}

ts_pair_quantity *ts_pair_quantity_find(const ts_model *model, char *text, ts_arena *arena, ts_name_trouble *trouble)
{
  char *closing = strrchr(text, ')'), *comma = find_comma(text);
  ts_pair_quantity *pair = ts_arena_bytes(arena, 1, sizeof *pair);
  if (!comma || !closing || comma > closing || closing[1] != '.') {
    ts_name_refuse(trouble, "write contacts(BODY, BODY).QUANTITY");
    return NULL;
  }
  *comma = *closing = '\0';
  if (find_comma(comma + 1)) {
    ts_name_refuse(trouble, "contacts are between two bodies; put a name that has a comma in quotes");
    return NULL;
  }
  const bool known = find_side(model, text, &pair->sides[0], arena, trouble) &&
                     find_side(model, comma + 1, &pair->sides[1], arena, trouble) &&
                     find_measure(closing + 2, &pair->what, trouble);
  return known ? pair : NULL;
}

// ---- values --------------------------------------------------------------------------------------------------------

// Points of supports belong to no shape.
static bool is_on(const side *s, int body, int shape)
{
  if (body == TS_WORLD) return s->world;
  return shape >= 0 ? s->shapes[shape] : s->bodies[body];
}

// Whether a contact is between the two, and whether its first body is on the second side.
static bool is_between(const ts_pair_quantity *pair, const ts_contact *c, bool *turned)
{
  const side *a = &pair->sides[0], *b = &pair->sides[1];
  *turned = false;
  if (is_on(a, c->body_1, c->part_1) && is_on(b, c->body_2, c->part_2)) return true;
  *turned = true;
  return is_on(b, c->body_1, c->part_1) && is_on(a, c->body_2, c->part_2);
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
    if (!is_between(pair, &contacts[i], &turned)) continue;
    add_up(pair->what, &contacts[i], sim->options.size, &value);
    if (!counts_more(&contacts[i], most)) continue;
    most = &contacts[i];
    most_turned = turned;
  }
  if (pair->what < PX) return value;
  return most ? place_value(pair->what, most, most_turned) : NAN;
}
