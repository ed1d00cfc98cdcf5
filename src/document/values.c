#include "document/values.h"

#include "schema/schema.h"

#include "math/vec3.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static bool has_key(const ts_section *section, const char *key)
{
  for (int i = 0; i < ts_section_key_count(section); ++i)
    if (strcmp(ts_section_key_at(section, i)->name, key) == 0) return true;
  return false;
}

const ts_node *ts_node_get(const ts_node *map, const char *key)
{
  TS_DEBUG_ASSERT(map->section && has_key(map->section, key));
  return ts_node_find(map, key);
}

double ts_node_number(const ts_node *map, const char *key, double fallback)
{
  const ts_node *node = ts_node_get(map, key);
  return node ? node->number : fallback;
}

int ts_node_integer(const ts_node *map, const char *key, int fallback)
{
  return (int)ts_node_number(map, key, fallback);
}

bool ts_node_boolean(const ts_node *map, const char *key, bool fallback)
{
  const ts_node *node = ts_node_get(map, key);
  return node ? node->text[0] == 't' : fallback;
}

const char *ts_node_word(const ts_node *map, const char *key, const char *fallback)
{
  const ts_node *node = ts_node_get(map, key);
  return node ? node->text : fallback;
}

int ts_node_choice(const ts_node *map, const char *key, int fallback)
{
  const ts_node *node = ts_node_get(map, key);
  return node ? ts_key_word(node->row, node->text) : fallback;
}

static ts_vec3 vector_of(const ts_node *list)
{
  const ts_node *x = list->first, *y = x->next, *z = y->next;
  return (ts_vec3){x->number, y->number, z ? z->number : 0.0};
}

ts_vec3 ts_node_vector(const ts_node *map, const char *key, ts_vec3 fallback)
{
  const ts_node *node = ts_node_get(map, key);
  return node ? vector_of(node) : fallback;
}

double *ts_node_numbers(ts_document_input *in, const ts_node *list)
{
  double *numbers = ts_arena_doubles(&in->arena, (size_t)list->count);
  int count = 0;
  for (const ts_node *item = list->first; item; item = item->next) numbers[count++] = item->number;
  return numbers;
}

ts_vec3 *ts_node_vectors(ts_document_input *in, const ts_node *list)
{
  ts_vec3 *vectors = ts_arena_bytes(&in->arena, (size_t)list->count, sizeof *vectors);
  int count = 0;
  for (const ts_node *item = list->first; item; item = item->next) vectors[count++] = vector_of(item);
  return vectors;
}

// ---- signals -------------------------------------------------------------------------------------------------------

static ts_signal signal_of(ts_document_input *in, const ts_node *node);

static ts_signal sine_of(const ts_node *map)
{
  return (ts_signal){.kind = TS_SIGNAL_SINE,
                     .offset = ts_node_number(map, "offset", 0.0),
                     .amplitude = ts_node_number(map, "amplitude", 0.0),
                     .frequency = ts_node_number(map, "frequency", 0.0),
                     .phase = ts_node_number(map, "phase", 0.0)};
}

static ts_signal pieces_of(ts_document_input *in, const ts_node *list)
{
  double *times = ts_arena_doubles(&in->arena, (size_t)list->count);
  ts_signal *pieces = ts_arena_bytes(&in->arena, (size_t)list->count, sizeof *pieces);
  int count = 0;
  for (const ts_node *piece = list->first; piece; piece = piece->next) {
    times[count] = ts_node_number(piece, "from", 0.0);
    pieces[count++] = signal_of(in, piece);
  }
  return (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = count, .times = times, .pieces = pieces};
}

static ts_signal sum_of(ts_document_input *in, const ts_node *list)
{
  ts_signal *signals = ts_arena_bytes(&in->arena, (size_t)list->count, sizeof *signals);
  int count = 0;
  for (const ts_node *item = list->first; item; item = item->next) signals[count++] = signal_of(in, item);
  return (ts_signal){.kind = TS_SIGNAL_SUM, .count = count, .pieces = signals};
}

static ts_signal ramp_of(const ts_node *map)
{
  return (ts_signal){.kind = TS_SIGNAL_RAMP,
                     .from = ts_node_number(map, "from", 0.0),
                     .to = ts_node_number(map, "to", 0.0),
                     .start = ts_node_number(map, "start", 0.0),
                     .end = ts_node_number(map, "end", 0.0)};
}

static ts_signal periodic_of(ts_document_input *in, const ts_node *map)
{
  ts_signal *again = ts_arena_bytes(&in->arena, 1, sizeof *again);
  *again = signal_of(in, ts_node_get(map, "signal"));
  return (ts_signal){
      .kind = TS_SIGNAL_PERIODIC, .count = 1, .pieces = again, .period = ts_node_number(map, "period", 0.0)};
}

static ts_signal impulse_of(const ts_node *map)
{
  return (ts_signal){.kind = TS_SIGNAL_IMPULSE,
                     .time = ts_node_number(map, "time", 0.0),
                     .impulse = ts_node_number(map, "value", 0.0)};
}

static ts_signal signal_of(ts_document_input *in, const ts_node *node)
{
  if (node->kind == TS_NODE_SCALAR) return ts_signal_constant(node->number);
  const ts_node *form;
  if ((form = ts_node_get(node, "constant")) != NULL) return ts_signal_constant(form->number);
  if ((form = ts_node_get(node, "sine")) != NULL) return sine_of(form);
  if ((form = ts_node_get(node, "piecewise")) != NULL) return pieces_of(in, form);
  if ((form = ts_node_get(node, "sum")) != NULL) return sum_of(in, form);
  if ((form = ts_node_get(node, "ramp")) != NULL) return ramp_of(form);
  if ((form = ts_node_get(node, "periodic")) != NULL) return periodic_of(in, form);
  if ((form = ts_node_get(node, "impulse")) != NULL) return impulse_of(form);
  if ((form = ts_node_get(node, "polynomial")) != NULL)
    return (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = form->count, .coefficients = ts_node_numbers(in, form)};
  form = ts_node_get(node, "table");
  const ts_node *times = ts_node_get(form, "times");
  return (ts_signal){.kind = TS_SIGNAL_TABLE,
                     .count = times->count,
                     .times = ts_node_numbers(in, times),
                     .values = ts_node_numbers(in, ts_node_get(form, "values"))};
}

void ts_node_signal(ts_document_input *in, const ts_node *map, const char *key, ts_signal *signal)
{
  const ts_node *node = ts_node_get(map, key);
  if (node) *signal = signal_of(in, node);
}

void ts_node_signals(ts_document_input *in, const ts_node *map, const char *key, ts_signal *signals)
{
  const ts_node *node = ts_node_get(map, key);
  if (!node) return;
  for (const ts_node *item = node->first; item; item = item->next) *signals++ = signal_of(in, item);
}

// ---- orientations --------------------------------------------------------------------------------------------------

// Vectors and quaternions may have any length but 0: halved or doubled as often as makes the largest component about 1,
// so that no square overflows or vanishes. That leaves all digits as they are.
static double near_one(double x, double largest)
{
  int power;
  frexp(largest, &power);
  return ldexp(x, -power);
}

static ts_quat unit_quaternion(ts_quat q)
{
  const double most = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
  return ts_quat_normalize(
      (ts_quat){near_one(q.w, most), near_one(q.x, most), near_one(q.y, most), near_one(q.z, most)});
}

static ts_vec3 unit_axis(ts_vec3 a)
{
  const double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  return ts_normalize((ts_vec3){near_one(a.x, most), near_one(a.y, most), near_one(a.z, most)}, a);
}

ts_quat ts_node_orientation(const ts_node *map, ts_quat fallback)
{
  const ts_vec3 zero = {0.0, 0.0, 0.0};
  const ts_node *node = ts_node_get(map, "orientation");
  if (!node) return fallback;
  if (node->kind == TS_NODE_LIST) {
    const ts_node *w = node->first, *x = w->next, *y = x->next, *z = y->next;
    return unit_quaternion((ts_quat){w->number, x->number, y->number, z->number});
  }
  if (ts_node_get(node, "axis")) {
    const ts_vec3 axis = unit_axis(ts_node_vector(node, "axis", zero));
    return ts_quat_exp(ts_scale(ts_node_number(node, "angle", 0.0), axis));
  }
  if (ts_node_get(node, "rotation_vector")) return ts_quat_exp(ts_node_vector(node, "rotation_vector", zero));
  return ts_quat_roll_pitch_yaw(ts_node_vector(node, "roll_pitch_yaw", zero));
}
