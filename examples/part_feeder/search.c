// Searches a design of the part feeder that orients the cup in every run of verify.yaml: rigid ones first, then
// compliant ones. Evolution, since how many runs succeed has no slope: of a small population a design is changed at
// random, and takes the place of the worst where it is no worse. The same seed gives the same design again.
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: search SCENE [SEED [DESIGNS]]\n"
                            "  SCENE    feeder.yaml: its first 12 parameters, within their ranges, are a design\n"
                            "  SEED     another one gives another design (default: 1)\n"
                            "  DESIGNS  that are tried at most (default: 5000)\n";

enum { NUMBERS = 12, POPULATION = 20, RIVALS = 3, MOST_PARAMETERS = 100 };

static const double CHANGED = 0.3, SPREAD = 0.15; // share of a design's numbers, and deviation over their range

// What a design has to cope with, and at which levels, as verify.yaml has it.
static const double frictions[] = {0.1, 0.2, 0.3}, tilts[] = {0.05, -0.05};
enum { FRICTIONS = 3, ENDS = 2, TILTS = 2, RUNS = FRICTIONS * ENDS * TILTS };
static const char *const levels[] = {"step.method=stewart-trinkle", "step.method=compliant"};
enum { LEVELS = 2, GOAL = LEVELS * RUNS };

typedef struct design {
  double numbers[NUMBERS];
  int score; // runs that succeed with every step certified: those of a level count where all of the level before do
} design;

typedef struct search {
  ts_scene *scenes[LEVELS];
  int mu, heavy_down, tilt, sound; // numbers of parameters
  uint64_t random;
  design population[POPULATION];
  int tried, runs;
} search;

_Noreturn static void give_up(const char *text)
{
  fprintf(stderr, "search: %s\n", text);
  exit(2);
}

static void need(ts_status status, const ts_error *error)
{
  if (status != TS_OK) give_up(error->text);
}

// ---- chance

// In [0, 1): splitmix64, 53 bits of it.
static double chance(search *s)
{
  uint64_t x = s->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// About normal, with mean 0 and deviation 1: a sum of twelve needs no function that differs from library to library.
static double deviate(search *s)
{
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += chance(s);
  return sum;
}

// ---- runs

static int find_parameter(const ts_scene *scene, const char *name)
{
  for (int i = 0; i < ts_scene_parameter_count(scene); ++i)
    if (strcmp(ts_scene_parameter_at(scene, i).name, name) == 0) return i;
  fprintf(stderr, "search: the scene has no parameter %s\n", name);
  exit(2);
}

static void open_scenes(search *s, const char *path)
{
  ts_error error;
  for (int at = 0; at < LEVELS; ++at) need(ts_scene_read(path, &levels[at], 1, &s->scenes[at], &error), &error);
  s->mu = find_parameter(s->scenes[0], "mu");
  s->heavy_down = find_parameter(s->scenes[0], "heavy_down");
  s->tilt = find_parameter(s->scenes[0], "tilt");
  s->sound = find_parameter(s->scenes[0], "sound");
  if (ts_scene_parameter_count(s->scenes[0]) > MOST_PARAMETERS) give_up("the scene has more than 100 parameters");
}

// A run of a level; -1: none, only the design.
static ts_status set_up(const search *s, int at, const design *d, int run, ts_error *error)
{
  double values[MOST_PARAMETERS];
  for (int i = 0; i < MOST_PARAMETERS; ++i) values[i] = i < NUMBERS ? d->numbers[i] : NAN;
  if (run >= 0) {
    values[s->mu] = frictions[run / (ENDS * TILTS)];
    values[s->heavy_down] = run / TILTS % ENDS == 0 ? 1.0 : 0.0;
    values[s->tilt] = tilts[run % TILTS];
  }
  return ts_scene_set_parameters(s->scenes[at], values, error);
}

static ts_status drop(const ts_scene *scene, ts_sim *sim, ts_watch *watch, bool *certified, ts_error *error)
{
  ts_status status = ts_watch_begin(watch, sim, error);
  *certified = true;
  while (status == TS_OK && ts_watch_stopped(watch) < 0 && ts_sim_time(sim) < ts_scene_duration(scene)) {
    status = ts_sim_step(sim, error);
    *certified = *certified && ts_sim_report(sim)->certified;
    if (status == TS_OK) status = ts_watch_step(watch, sim, error);
  }
  return status == TS_OK ? ts_watch_end(watch, sim, error) : status;
}

static bool succeeds(search *s, int at, const design *d, int run)
{
  const ts_scene *scene = s->scenes[at];
  ts_error error;
  ts_sim *sim;
  ts_watch *watch;
  bool certified;
  ++s->runs;
  if (set_up(s, at, d, run, &error) != TS_OK) return false; // the tilted cup does not fit into the chute
  need(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  need(ts_scene_create_watch(scene, &watch, &error), &error);
  need(drop(scene, sim, watch, &certified, &error), &error);
  const bool success = certified && ts_watch_result(watch, ts_watch_find_result(watch, "success")) > 0.0;
  ts_watch_destroy(watch);
  ts_sim_destroy(sim);
  return success;
}

static void score(search *s, design *d)
{
  d->score = 0;
  for (int at = 0; at < LEVELS && d->score == at * RUNS; ++at)
    for (int run = 0; run < RUNS; ++run) d->score += succeeds(s, at, d, run);
  ++s->tried;
}

// ---- evolution

// To four digits behind the point, so that a design can be written down; and within its range.
static double rounded(double x, const ts_scene_parameter *p)
{
  return round(1e4 * fmin(fmax(x, p->least), p->most)) / 1e4;
}

// Whether the inequalities of the geometric level hold.
static bool is_sound(const search *s, const design *d)
{
  ts_error error;
  return set_up(s, 0, d, -1, &error) == TS_OK && ts_scene_parameter_at(s->scenes[0], s->sound).value > 0.0;
}

static design random_design(search *s)
{
  design made;
  do {
    for (int i = 0; i < NUMBERS; ++i) {
      const ts_scene_parameter p = ts_scene_parameter_at(s->scenes[0], i);
      made.numbers[i] = rounded(p.least + chance(s) * (p.most - p.least), &p);
    }
  } while (!is_sound(s, &made));
  score(s, &made);
  return made;
}

static design changed_design(search *s, const design *parent)
{
  design made;
  do {
    made = *parent;
    for (int i = 0; i < NUMBERS; ++i) {
      const ts_scene_parameter p = ts_scene_parameter_at(s->scenes[0], i);
      if (chance(s) < CHANGED) made.numbers[i] += SPREAD * (p.most - p.least) * deviate(s);
      made.numbers[i] = rounded(made.numbers[i], &p);
    }
  } while (!is_sound(s, &made));
  score(s, &made);
  return made;
}

static const design *best_of_some(search *s)
{
  const design *best = NULL;
  for (int i = 0; i < RIVALS; ++i) {
    const design *rival = &s->population[(int)(chance(s) * POPULATION)];
    if (!best || rival->score > best->score) best = rival;
  }
  return best;
}

// Where a new design may go: the worst, and the first of several.
static design *worst(search *s)
{
  design *worst = &s->population[0];
  for (int i = 1; i < POPULATION; ++i)
    if (s->population[i].score < worst->score) worst = &s->population[i];
  return worst;
}

static design evolve(search *s, int most)
{
  design best = {.score = -1};
  while (best.score < GOAL && s->tried < most) {
    const bool grown = s->tried >= POPULATION;
    design *place = grown ? worst(s) : &s->population[s->tried];
    const design made = grown ? changed_design(s, best_of_some(s)) : random_design(s);
    if (!grown || made.score >= place->score) *place = made;
    if (made.score <= best.score) continue;
    best = made;
    fprintf(stderr, "design %d: %d of %d runs\n", s->tried, best.score, GOAL);
  }
  return best;
}

// A whole number from 0 on that the user has written.
static uint64_t number(const char *text)
{
  char *end;
  const uint64_t x = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0') give_up("SEED and DESIGNS are whole numbers");
  return x;
}

int main(int argc, char **argv)
{
  search s = {0};
  if (argc < 2 || argc > 4) {
    fputs(usage, stderr);
    return 2;
  }
  s.random = argc > 2 ? number(argv[2]) : 1;
  open_scenes(&s, argv[1]);
  const design best = evolve(&s, (int)(argc > 3 ? number(argv[3]) : 5000));
  for (int i = 0; i < NUMBERS; ++i) printf("%s%s", i ? "," : "", ts_scene_parameter_at(s.scenes[0], i).name);
  for (int i = 0; i < NUMBERS; ++i) printf("%c%.6g", i ? ',' : '\n', best.numbers[i]);
  printf("\n");
  fprintf(stderr, "%d designs, %d runs\n", s.tried, s.runs);
  for (int at = 0; at < LEVELS; ++at) ts_scene_destroy(s.scenes[at]);
  return best.score == GOAL ? 0 : 1;
}
