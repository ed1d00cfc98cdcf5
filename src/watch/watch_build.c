#define _POSIX_C_SOURCE 200809L // locale_t
// What a watch watches: names are looked up, expressions compiled.
#include "watch/watch.h"

#include "touchstone/suggest.h"

#include "base/require.h"
#include "base/status.h"
#include "text/c_locale.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_NAME(enumerator, name, help) #name,
static const char *const kind_names[] = {TS_RESULT_LIST(RESULT_NAME)};
#undef RESULT_NAME

const char *ts_result_kind_name(ts_result_kind kind)
{
  return (unsigned)kind < TS_RESULT_COUNT_OF ? kind_names[kind] : "unknown";
}

ts_status ts_watch_create(const ts_model *model, ts_watch **watch, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  *watch = NULL;
  TS_REFUSE_UNLESS(model, error);
  ts_watch *made = calloc(1, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_arena_init(&made->memory, NULL);
  ts_arena_init(&made->ring_memory, NULL);
  made->model = model;
  made->stopped = -1;
  *watch = made;
  return TS_OK;
}

void ts_watch_destroy(ts_watch *watch)
{
  if (!watch) return;
  ts_arena_release(&watch->ring_memory);
  ts_arena_release(&watch->memory);
  free(watch);
}

// ---- lists ---------------------------------------------------------------------------------------------------------

// Room for one more in a list of the watch's memory; what it held stays in the arena until the end.
static void *grown(ts_watch *watch, void *items, int count, int *capacity, size_t size)
{
  if (count < *capacity) return items;
  const int more = *capacity > 0 ? 2 * *capacity : 8;
  void *larger = ts_arena_bytes(&watch->memory, (size_t)more, size);
  memset(larger, 0, (size_t)more * size);
  if (count > 0) memcpy(larger, items, (size_t)count * size);
  *capacity = more;
  return larger;
}

static const char *copy_text(ts_watch *watch, const char *text)
{
  const size_t size = strlen(text) + 1;
  return memcpy(ts_arena_bytes(&watch->memory, size, 1), text, size);
}

static int find_watched(const ts_watch *watch, const char *name)
{
  for (int i = 0; i < watch->watched_count; ++i)
    if (strcmp(watch->watched[i].name, name) == 0) return i;
  return -1;
}

// FNV-1a over texts, each with its end: tells what a saved state belongs to.
static double identity_of(const char *const *texts, int count)
{
  uint32_t hash = 2166136261u;
  for (int i = 0; i < count; ++i) {
    const char *c = texts[i] ? texts[i] : "";
    do hash = (hash ^ (unsigned char)*c) * 16777619u;
    while (*c++);
  }
  return hash;
}

static int add_watched(ts_watch *watch, ts_watched watched)
{
  int capacity = watch->watched_capacity;
  watch->values = grown(watch, watch->values, watch->watched_count, &capacity, sizeof *watch->values);
  watch->watched = grown(watch, watch->watched, watch->watched_count, &watch->watched_capacity, sizeof *watch->watched);
  watched.name = copy_text(watch, watched.name);
  watched.identity = identity_of(&watched.name, 1);
  watch->watched[watch->watched_count] = watched;
  return watch->watched_count++;
}

// ---- expressions ---------------------------------------------------------------------------------------------------

// An expression in the making: which of its names are results matters.
typedef struct compiling {
  ts_watch *watch;
  bool each_step; // evaluated after every step, where results are not known yet
  bool has_result;
  bool of_step;            // some name is
  ts_name_trouble trouble; // with the last name that was looked for
} compiling;

static int find_name(const void *user, const char *name)
{
  compiling *c = *(compiling *const *)user;
  int i = find_watched(c->watch, name);
  if (i < 0) {
    ts_quantity *quantity = ts_quantity_find(c->watch->model, name, &c->watch->memory, &c->trouble);
    if (!quantity) return -1;
    i = add_watched(c->watch, (ts_watched){.kind = TS_WATCHED_QUANTITY, .name = name, .quantity = quantity});
  }
  ts_watched *watched = &c->watch->watched[i];
  watched->used = true;
  if (watched->kind == TS_WATCHED_QUANTITY && !c->each_step && ts_quantity_comes_with_step(watched->quantity))
    watched->kept = true;
  watched->each_step = watched->each_step || c->each_step || watched->kept; // it may be saved after any step
  c->has_result = c->has_result || watched->kind == TS_WATCHED_RESULT;
  c->of_step = c->of_step || (watched->kind == TS_WATCHED_QUANTITY && ts_quantity_is_of_step(watched->quantity));
  return i;
}

// Parameters, results and quantities that were used before.
static const char *known_name(const void *user, int i)
{
  compiling *c = *(compiling *const *)user;
  return i < c->watch->watched_count ? c->watch->watched[i].name : NULL;
}

static ts_status compile(compiling *c, const char *text, const ts_expression **expression, ts_error *error)
{
  const void *const user = &c;
  const ts_expression_names names = {user, find_name, known_name};
  ts_expression_error trouble;
  ts_expression *compiled;
  c->trouble.text[0] = '\0';
  if (!ts_expression_compile(text, &names, &c->watch->memory, &compiled, &trouble))
    return ts_fail_at(error, TS_INVALID, 0, trouble.offset + 1, "%s",
                      c->trouble.text[0] ? c->trouble.text : trouble.text);
  if (c->each_step && c->has_result)
    return ts_fail_at(error, TS_INVALID, 0, 1, "another result is known at the end only: write 'final'");
  *expression = compiled;
  return TS_OK;
}

// ---- what callers add ----------------------------------------------------------------------------------------------

static ts_status check_new_name(const ts_watch *watch, const char *what, const char *name, ts_error *error)
{
  if (!name || !ts_expression_is_word(name))
    return ts_fail(error, TS_INVALID, "a %s is called by letters, digits and _, and no digit first, not '%.60s'", what,
                   name ? name : "");
  if (ts_expression_is_taken(name))
    return ts_fail(error, TS_INVALID, "no %s can be called '%s': expressions have it already", what, name);
  if (find_watched(watch, name) >= 0)
    return ts_fail(error, TS_INVALID, "there is already a parameter or result '%.60s'", name);
  return TS_OK;
}

// Memory that runs out in `add` comes back here.
#define RECOVER(watch, error)                                                                                          \
  jmp_buf recovery;                                                                                                    \
  (watch)->memory.recovery = &recovery;                                                                                \
  if (setjmp(recovery)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out")

ts_status ts_watch_add_parameter(ts_watch *watch, const char *name, double value, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  TS_TRY(check_new_name(watch, "parameter", name, error));
  RECOVER(watch, error);
  watch->parameters =
      grown(watch, watch->parameters, watch->parameter_count, &watch->parameter_capacity, sizeof *watch->parameters);
  const int i = add_watched(watch, (ts_watched){.kind = TS_WATCHED_PARAMETER, .name = name});
  watch->values[i] = value;
  watch->parameters[watch->parameter_count++] = i;
  return TS_OK;
}

void ts_watch_set_parameter(ts_watch *watch, int i, double value)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(i >= 0 && i < watch->parameter_count);
  watch->values[watch->parameters[i]] = value;
}

static ts_status check_result(const ts_watch *watch, const ts_result_def *def, ts_error *error)
{
  TS_TRY(check_new_name(watch, "result", def->name, error));
  if ((unsigned)def->kind >= TS_RESULT_COUNT_OF) return ts_fail(error, TS_INVALID, "there is no such kind of result");
  if (!def->expression) return ts_fail(error, TS_INVALID, "the result '%s' needs an expression", def->name);
  if (!(def->last >= 0.0 && isfinite(def->last)))
    return ts_fail(error, TS_INVALID, "the result '%s': 'last' must not be negative", def->name);
  if (def->kind == TS_RESULT_VALUE && !(def->from == def->to && def->from >= 0.0 && def->last == 0.0))
    return ts_fail(error, TS_INVALID, "the result '%s' needs one time that is not negative", def->name);
  if (!(def->from <= def->to)) return ts_fail(error, TS_INVALID, "the result '%s': its time is empty", def->name);
  return TS_OK;
}

// A last value that nothing restricts is that of the end, and is evaluated then alone: it may read other results.
static bool is_of_the_end(const ts_result_def *def)
{
  return def->kind == TS_RESULT_FINAL && !def->when && def->from == 0.0 && def->to == 0.0;
}

ts_status ts_watch_add_result(ts_watch *watch, const ts_result_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(check_result(watch, def, error));
  RECOVER(watch, error);
  const bool at_end = is_of_the_end(def);
  compiling c = {.watch = watch, .each_step = !at_end};
  ts_watched_result result = {
      .kind = def->kind, .from = -INFINITY, .to = INFINITY, .last = def->last, .at_end = at_end};
  TS_TRY(compile(&c, def->expression, &result.expression, error));
  result.of_steps = c.of_step;
  if (def->when && compile(&c, def->when, &result.when, error) != TS_OK) {
    if (error) error->line = 2;
    return TS_INVALID;
  }
  result.after_step = c.of_step;
  if (def->from != 0.0 || def->to != 0.0 || def->kind == TS_RESULT_VALUE) result.from = def->from, result.to = def->to;
  result.value = add_watched(watch, (ts_watched){.kind = TS_WATCHED_RESULT, .name = def->name});
  result.name = watch->watched[result.value].name;
  result.identity =
      identity_of((const char *const[]){def->name, ts_result_kind_name(def->kind), def->expression, def->when}, 4);
  result.def = *def;
  result.def.name = result.name;
  result.def.expression = copy_text(watch, def->expression);
  result.def.when = def->when ? copy_text(watch, def->when) : NULL;
  result.def.unit = copy_text(watch, def->unit ? def->unit : "");
  result.def.help = copy_text(watch, def->help ? def->help : "");
  watch->values[result.value] = NAN;
  watch->results = grown(watch, watch->results, watch->result_count, &watch->result_capacity, sizeof *watch->results);
  watch->results[watch->result_count++] = result;
  watch->step = 0.0; // it may need a ring
  watch->begun = false;
  return TS_OK;
}

static void describe_stop(const ts_stop_def *def, char *text, size_t size)
{
  if (def->name)
    snprintf(text, size, "%s", def->name);
  else if (def->duration > 0.0)
    snprintf(text, size, "%s for %g s", def->when, def->duration);
  else if (def->steps > 1)
    snprintf(text, size, "%s for %d steps", def->when, def->steps);
  else
    snprintf(text, size, "%s", def->when);
}

ts_status ts_watch_add_stop(ts_watch *watch, const ts_stop_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  TS_REFUSE_UNLESS(def, error);
  if (!def->when) return ts_fail(error, TS_INVALID, "a condition to stop on needs an expression");
  if (!(def->duration >= 0.0 && isfinite(def->duration)) || def->steps < 0)
    return ts_fail(error, TS_INVALID, "how long a condition has to hold must not be negative");
  RECOVER(watch, error);
  char name[200];
  compiling c = {.watch = watch, .each_step = true};
  ts_watched_stop stop = {.duration = def->duration, .steps = def->steps > 0 ? def->steps : 1};
  TS_TRY(compile(&c, def->when, &stop.when, error));
  describe_stop(def, name, sizeof name);
  stop.name = copy_text(watch, name);
  stop.text = copy_text(watch, def->when);
  stop.identity = identity_of((const char *const[]){name, def->when}, 2);
  watch->stops = grown(watch, watch->stops, watch->stop_count, &watch->stop_capacity, sizeof *watch->stops);
  watch->stops[watch->stop_count++] = stop;
  return TS_OK;
}

// ---- conditions as a text ------------------------------------------------------------------------------------------

// "10": steps; "0.5s": seconds.
static ts_status read_length(const char *text, ts_stop_def *def, ts_error *error)
{
  char *end;
  const double value = strtod(text, &end);
  const bool seconds = strcmp(end, "s") == 0;
  if (end != text && seconds && value > 0.0 && isfinite(value)) {
    def->duration = value;
    return TS_OK;
  }
  if (end == text || *end || !(value >= 1.0 && value <= 1e9 && value == floor(value)))
    return ts_fail(error, TS_INVALID, "'%.60s' is neither a number of steps, as 10, nor a time, as 0.5s", text);
  def->steps = (int)value;
  return TS_OK;
}

// What some words stand for.
static const struct {
  const char *word, *when;
} known_conditions[] = {{"jam", "steps.jammed"}, {"uncertified", "not steps.certified"}};
enum { KNOWN_CONDITIONS = sizeof known_conditions / sizeof known_conditions[0] };

static const char *condition_word(int i, const void *unused)
{
  (void)unused;
  return known_conditions[i].word;
}

static char *trimmed(char *text)
{
  while (isspace((unsigned char)*text)) ++text;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
  return text;
}

// The first of some signs that stands by itself: not between parentheses, nor in a name.
static char *find_sign(char *text, const char *signs)
{
  int open = 0;
  char quote = '\0';
  for (; *text; ++text) {
    if (quote ? *text == quote : *text == '\'' || *text == '"') {
      quote = quote ? '\0' : *text;
      continue;
    }
    if (quote) continue;
    open += (*text == '(') - (*text == ')');
    if (open <= 0 && strchr(signs, *text)) return text;
  }
  return NULL;
}

// The ':' before a length: the first that no '?' wants.
static char *find_length(char *text)
{
  int wanted = 0;
  for (char *sign = find_sign(text, "?:"); sign; sign = find_sign(sign + 1, "?:")) {
    wanted += *sign == '?' ? 1 : -1;
    if (wanted < 0) return sign;
  }
  return NULL;
}

// "WHAT", "WHAT:LENGTH". A single word that is no quantity is probably one of those above.
static ts_status add_condition(ts_watch *watch, char *text, ts_error *error)
{
  text = trimmed(text);
  ts_stop_def def = {.when = text};
  char *colon = find_length(text), name[240];
  if (colon) {
    *colon = '\0';
    TS_TRY(read_length(trimmed(colon + 1), &def, error));
    def.when = text = trimmed(text);
  }
  for (int i = 0; i < KNOWN_CONDITIONS; ++i) {
    if (strcmp(text, known_conditions[i].word) != 0) continue;
    describe_stop(&def, name, sizeof name);
    if (def.duration == 0.0 && def.steps <= 1) snprintf(name, sizeof name, "%s for 1 step", text);
    def.when = known_conditions[i].when;
    def.name = name;
  }
  const ts_status status = ts_watch_add_stop(watch, &def, error);
  if (status != TS_INVALID || def.name || (*text && !ts_expression_is_word(text))) return status;
  const char *nearest = ts_suggest(text, KNOWN_CONDITIONS, condition_word, NULL);
  return ts_fail(error, TS_INVALID,
                 "a run cannot be stopped on '%.60s'; there are 'jam', 'uncertified' and expressions%s%s%s", text,
                 nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static ts_status add_conditions(ts_watch *watch, char *text, ts_error *error)
{
  for (char *condition = text, *next; condition; condition = next) {
    next = find_sign(condition, ",");
    if (next) *next++ = '\0';
    TS_TRY(add_condition(watch, condition, error));
  }
  return TS_OK;
}

ts_status ts_watch_add_stops(ts_watch *watch, const char *text, ts_error *error)
{
  char copy[1024];
  ts_c_locale locale;
  TS_REFUSE_UNLESS(watch, error);
  if (!text || !*text) return TS_OK;
  if (strlen(text) >= sizeof copy) return ts_fail(error, TS_INVALID, "the conditions to stop on are too long");
  strcpy(copy, text);
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = add_conditions(watch, copy, error);
  ts_c_locale_leave(&locale);
  return status;
}
