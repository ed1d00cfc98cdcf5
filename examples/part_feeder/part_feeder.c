// Does a design of the part feeder orient the cup? Three levels, each dearer than the one before (thesis 4.3.1):
// inequalities, rigid bodies, and contacts that are springs and dampers.
#include "feeder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: part_feeder [options] [P1 ... P12]    a design in mm and rad; without it the one that works\n"
    "  --level NAME      geometric, rigid or compliant; without it one after another, until one is not passed\n"
    "  --all             all levels, passed or not\n"
    "  --friction LIST   coefficients to try, with commas (default: 0.1,0.15,0.2,0.25,0.3)\n"
    "  --tilt LIST       of the cup at the start [rad] (default: 0,0.05,-0.05)\n"
    "  --offset LIST     of the cup at the start [mm] (default: 0,1,-1)\n"
    "  --start END       heavy or light: the end that is down at the start; without it both\n"
    "  --set KEY=VALUE   a value of the drops' scene, such as step.size=1e-4; may be given again\n"
    "  --list            say of every drop how it ended\n"
    "  --record FILE.h5  record the first drop\n"
    "  --scene           write the scene of the first drop, and do nothing else\n";

enum { MOST_VALUES = 32, MOST_SETS = 16 };

typedef struct values {
  int count;
  double at[MOST_VALUES];
} values;

// A level that drops the cup: what it changes in the scene.
typedef struct level {
  const char *name;
  const char *stepper;
  const char *sets[MOST_SETS]; // "KEY=VALUE", then NULL
} level;

// Contacts of 1e5 N/m, damped by 0.3 of what is critical for the cup: 2 0.3 sqrt(1e5 N/m 0.01 kg).
static const level levels[] = {
    {"rigid", "stewart-trinkle", {NULL}},
    {"compliant", "compliant", {"step.method=compliant", "contact.stiffness=1e5", "contact.damping=18.973666", NULL}},
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

typedef struct request {
  feeder_design design;
  const char *only; // level, or NULL
  values friction, tilt, offset;
  bool starts[2]; // heavy end down, light end down
  const char *sets[MOST_SETS];
  int set_count;
  bool all, list, scene;
  const char *record;
} request;

// Sums over the drops of a level
typedef struct tally {
  int drops, ends[FEEDER_ENDS];
  long steps, uncertified;
  double seconds;
} tally;

_Noreturn static void give_up(const char *text)
{
  fprintf(stderr, "part_feeder: %s\n", text);
  exit(2);
}

// The same about a word of the user's.
_Noreturn static void refuse(const char *word, const char *why)
{
  char text[200];
  snprintf(text, sizeof text, "'%.100s' %s", word, why);
  give_up(text);
}

static void need(ts_status status, const ts_error *error)
{
  if (status != TS_OK) give_up(error->text);
}

// ---- levels

static bool passes_geometry(const feeder_design *design)
{
  feeder_rule rules[FEEDER_RULES];
  const int broken = feeder_rules(design, rules);
  printf("geometric  %d of %d inequalities hold\n", FEEDER_RULES - broken, FEEDER_RULES);
  for (int i = 0; i < FEEDER_RULES; ++i) {
    const feeder_rule *r = &rules[i];
    if (!r->holds)
      printf("           fails: %s, %g is not %s %g\n", r->text, r->value, r->value < r->least ? "at least" : "at most",
             r->value < r->least ? r->least : r->most);
  }
  return broken == 0;
}

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static feeder_end fall(const request *ask, ts_sim *sim, ts_recorder *recorder, tally *sum)
{
  const double longest = 5.0; // [s]; whatever takes longer is not going to end well
  feeder_watch watch = {0};
  ts_error error;
  feeder_end end = FEEDER_FALLING;
  while (end == FEEDER_FALLING && ts_sim_time(sim) < longest) {
    const double start = now();
    need(ts_sim_step(sim, &error), &error);
    sum->seconds += now() - start;
    sum->steps += 1;
    sum->uncertified += !ts_sim_report(sim)->certified;
    if (recorder) need(ts_recorder_add(recorder, sim, true, &error), &error);
    end = feeder_look(&ask->design, sim, &watch);
  }
  return end;
}

static ts_scene *scene_of(const request *ask, const level *at, const feeder_start *start, double friction)
{
  char text[FEEDER_TEXT], set_friction[64];
  const char *sets[2 * MOST_SETS + 1];
  int count = 0;
  snprintf(set_friction, sizeof set_friction, "contact.friction=%.17g", friction);
  sets[count++] = set_friction;
  for (int i = 0; at->sets[i]; ++i) sets[count++] = at->sets[i];
  for (int i = 0; i < ask->set_count; ++i) sets[count++] = ask->sets[i];
  feeder_scene(&ask->design, start, text);
  ts_scene *scene;
  ts_error error;
  need(ts_scene_parse(text, strlen(text), "design", sets, count, &scene, &error), &error);
  return scene;
}

static void drop(const request *ask, const level *at, const feeder_start *start, double friction, tally *sum)
{
  static const char *const words[] = {"still falling", "oriented", "wrong way", "left the device", "stuck"};
  ts_error error;
  ts_sim *sim;
  ts_recorder *recorder = NULL;
  ts_scene *scene = scene_of(ask, at, start, friction);
  need(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  if (ask->record && sum->drops == 0) {
    need(ts_recorder_create(ask->record, sim, ts_scene_text(scene), &recorder, &error), &error);
    need(ts_recorder_add(recorder, sim, true, &error), &error);
  }
  const feeder_end end = fall(ask, sim, recorder, sum);
  if (recorder) need(ts_recorder_close(recorder, sim, &error), &error);
  if (ask->list)
    printf("           %s end down, friction %g, tilt %g, offset %g mm: %s at %g s\n",
           start->heavy_end_down ? "heavy" : "light", friction, start->tilt, start->offset, words[end],
           ts_sim_time(sim));
  sum->drops += 1;
  sum->ends[end] += 1;
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static feeder_start start_of(const request *ask, int which, int tilt, int offset)
{
  return (feeder_start){which == 0, ask->tilt.at[tilt], ask->offset.at[offset]};
}

static bool passes_drops(const request *ask, const level *at)
{
  if (!ts_stepper_find(at->stepper)) {
    printf("%-9s  not done: this library has no stepper %s\n", at->name, at->stepper);
    return true;
  }
  tally sum = {0};
  for (int i = 0; i < ask->friction.count; ++i)
    for (int which = 0; which < 2; ++which)
      for (int j = 0; ask->starts[which] && j < ask->tilt.count; ++j)
        for (int k = 0; k < ask->offset.count; ++k) {
          const feeder_start start = start_of(ask, which, j, k);
          drop(ask, at, &start, ask->friction.at[i], &sum);
        }
  printf("%-9s  %d of %d oriented", at->name, sum.ends[FEEDER_ORIENTED], sum.drops);
  printf(", %d the wrong way, %d left, %d stuck, %d still falling\n", sum.ends[FEEDER_WRONG], sum.ends[FEEDER_LEFT],
         sum.ends[FEEDER_STUCK], sum.ends[FEEDER_FALLING]);
  printf("           %ld steps, %.2f us each, %.2f ms a drop, %ld not certified\n", sum.steps,
         1e6 * sum.seconds / (double)sum.steps, 1e3 * sum.seconds / sum.drops, sum.uncertified);
  return sum.ends[FEEDER_ORIENTED] == sum.drops;
}

// ---- the command line

static double number(const char *text, char stop, const char **rest)
{
  char *end;
  const double x = strtod(text, &end);
  if (end == text || (*end != '\0' && *end != stop) || x - x != 0.0) refuse(text, "is no number");
  *rest = *end ? end + 1 : end;
  return x;
}

static values list_of(const char *text)
{
  values v = {0};
  while (*text) {
    if (v.count == MOST_VALUES) give_up("a list has more than 32 numbers");
    v.at[v.count++] = number(text, ',', &text);
  }
  if (v.count == 0) give_up("a list is empty");
  return v;
}

static void take_start(request *ask, const char *word)
{
  if (strcmp(word, "heavy") != 0 && strcmp(word, "light") != 0) give_up("--start takes heavy or light");
  ask->starts[0] = strcmp(word, "heavy") == 0;
  ask->starts[1] = !ask->starts[0];
}

static void take_level(request *ask, const char *word)
{
  bool known = strcmp(word, "geometric") == 0;
  for (int i = 0; i < LEVELS; ++i) known = known || strcmp(word, levels[i].name) == 0;
  if (!known) give_up("--level takes geometric, rigid or compliant");
  ask->only = word;
}

static void take_set(request *ask, const char *set)
{
  if (ask->set_count == MOST_SETS) give_up("there are more than 16 values to set");
  ask->sets[ask->set_count++] = set;
}

// An option with a value; false where there is none of that name.
static bool take_value(request *ask, const char *option, const char *value)
{
  if (strcmp(option, "--level") == 0) return take_level(ask, value), true;
  if (strcmp(option, "--friction") == 0) return ask->friction = list_of(value), true;
  if (strcmp(option, "--tilt") == 0) return ask->tilt = list_of(value), true;
  if (strcmp(option, "--offset") == 0) return ask->offset = list_of(value), true;
  if (strcmp(option, "--start") == 0) return take_start(ask, value), true;
  if (strcmp(option, "--set") == 0) return take_set(ask, value), true;
  if (strcmp(option, "--record") == 0) return ask->record = value, true;
  return false;
}

static bool take_flag(request *ask, const char *option)
{
  if (strcmp(option, "--all") == 0) return ask->all = true;
  if (strcmp(option, "--list") == 0) return ask->list = true;
  if (strcmp(option, "--scene") == 0) return ask->scene = true;
  return false;
}

static request read_request(int argc, char **argv)
{
  request ask = {.design = feeder_working_design(), .starts = {true, true}};
  int given = 0;
  ask.friction = list_of("0.1,0.15,0.2,0.25,0.3");
  ask.tilt = list_of("0,0.05,-0.05");
  ask.offset = list_of("0,1,-1");
  for (int i = 1; i < argc; ++i) {
    const char *rest;
    if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (take_flag(&ask, argv[i])) continue;
    if (strncmp(argv[i], "--", 2) != 0) {
      if (given == FEEDER_NUMBERS) give_up("a design has 12 numbers, these are more");
      *feeder_number(&ask.design, given++) = number(argv[i], '\0', &rest);
    } else if (i + 1 == argc || !take_value(&ask, argv[i], argv[i + 1])) {
      refuse(argv[i], "is no option, or has no value; --help lists them");
    } else {
      ++i;
    }
  }
  if (given != 0 && given != FEEDER_NUMBERS) give_up("a design has 12 numbers, these are fewer");
  return ask;
}

int main(int argc, char **argv)
{
  const request ask = read_request(argc, argv);
  if (ask.scene) {
    char text[FEEDER_TEXT];
    const feeder_start start = start_of(&ask, ask.starts[0] ? 0 : 1, 0, 0);
    feeder_scene(&ask.design, &start, text);
    fputs(text, stdout);
    return 0;
  }
  bool passed = true;
  if (!ask.only || strcmp(ask.only, "geometric") == 0) passed = passes_geometry(&ask.design);
  for (int i = 0; i < LEVELS; ++i) {
    if (ask.only && strcmp(ask.only, levels[i].name) != 0) continue;
    if (!passed && !ask.all) break;
    passed = passes_drops(&ask, &levels[i]) && passed;
  }
  return passed ? 0 : 1;
}
