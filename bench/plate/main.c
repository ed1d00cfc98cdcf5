// What friction directions cost, and what they are worth (004 section 5.2.4, figure 5.12): a part with three feet that
// slides on a plane. First single problems, linear ones with 4 to 64 directions against the nonlinear one with the
// quadratic cone, solver by solver; then steps of the part on the vibrating plate, with how far it ends from where the
// quadratic cone has it.
//
//   bench_plate [ROUNDS]      default: 20; a round is 100 problems, or 250 steps. Times are CPU time, of problems the
//                             least of the rounds
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "touchstone/lowering.h"
#include "touchstone/scene.h"
#include "touchstone/sim.h"
#include "touchstone/solver.h"

#include "base/random.h"
#include "math/vec3.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEET = 3, ROWS = 3 * FEET, PROBLEMS = 100, STEPS = 250, SIZES = 5 };

static const int directions[SIZES] = {4, 8, 16, 32, 64};

static void need(ts_status status, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "bench_plate: %s\n", error->text);
  exit(EXIT_FAILURE);
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- single problems -----------------------------------------------------------------------------------------------

// The part of examples/plate/tripod.yaml on a level plane, in centimetres and with its mass as unit: as solvers of
// mixed problems, which have (mu r_n)^2 among their functions, want it. W is the same always, q comes from how it
// slides and spins.
typedef struct tripod {
  int start[FEET + 1], index[FEET * FEET];
  double W[FEET * FEET * 9], mu[FEET], q[PROBLEMS][ROWS];
} tripod;

static const double MASS = 1.0, INERTIA[3] = {0.5, 0.5, 1.0}, RADIUS = 1.0, HEIGHT = 0.2;

static ts_vec3 foot(int i)
{
  const double angle = 2.0 * TS_PI * i / FEET;
  return (ts_vec3){RADIUS * cos(angle), RADIUS * sin(angle), -HEIGHT};
}

// Velocity of foot i along row k (z, x, y) for a unit impulse at foot j along row l.
static double compliance(int i, int k, int j, int l)
{
  static const ts_vec3 axes[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  const ts_vec3 a = ts_cross(foot(i), axes[k]), b = ts_cross(foot(j), axes[l]);
  return ts_dot(axes[k], axes[l]) / MASS + a.x * b.x / INERTIA[0] + a.y * b.y / INERTIA[1] + a.z * b.z / INERTIA[2];
}

static void set_tripod(tripod *t)
{
  for (int i = 0; i <= FEET; ++i) t->start[i] = i * FEET;
  for (int block = 0; block < FEET * FEET; ++block) {
    t->index[block] = block % FEET;
    for (int l = 0; l < 3; ++l)
      for (int k = 0; k < 3; ++k) t->W[9 * block + 3 * l + k] = compliance(block / FEET, k, block % FEET, l);
  }
  ts_random random;
  ts_random_init(&random, 1);
  for (int i = 0; i < FEET; ++i) t->mu[i] = 0.3;
  for (int p = 0; p < PROBLEMS; ++p) {
    const ts_vec3 v = {ts_random_uniform(&random, -5.0, 5.0), ts_random_uniform(&random, -5.0, 5.0), -0.0981};
    const ts_vec3 w = {0.0, 0.0, ts_random_uniform(&random, -5.0, 5.0)};
    for (int i = 0; i < FEET; ++i) {
      const ts_vec3 u = ts_add(v, ts_cross(w, foot(i)));
      const double rows[3] = {u.z, u.x, u.y};
      memcpy(t->q[p] + 3 * i, rows, sizeof rows);
    }
  }
}

static ts_friction problem_of(const tripod *t, int p)
{
  return (ts_friction){.dimension = 3,
                       .contacts = FEET,
                       .W = {.rows = FEET, .block = 3, .start = t->start, .index = t->index, .value = t->W},
                       .q = t->q[p],
                       .mu = t->mu};
}

// A problem in the form that a solver takes. Directions 0: the quadratic cone, as the solver wants it.
typedef struct posed {
  ts_problem problem;
  ts_lowering *lowering; // or NULL: as it is
} posed;

static posed pose(const tripod *t, int p, int count, const ts_solver *solver)
{
  const ts_friction friction = problem_of(t, p);
  posed result = {.problem = ts_problem_friction(friction)};
  ts_error error;
  if (count > 0)
    need(ts_lower_to_lcp(&friction, count, NULL, &result.lowering, &error), &error);
  else if (!(ts_solver_takes(solver) & TS_FRICTION))
    need(ts_lower_to_mcp(&friction, &result.lowering, &error), &error);
  if (result.lowering) result.problem = *ts_lowering_problem(result.lowering);
  return result;
}

typedef struct cost {
  size_t size;    // unknowns
  double seconds; // of a call
  int missed;     // problems that were not solved
} cost;

// All problems of a set once. Returns the time of their calls.
static double solve_all(const tripod *t, int count, const ts_solver *solver, ts_workspace *workspace, cost *sum)
{
  ts_solve_options options = ts_solve_options_default();
  ts_error error;
  double seconds = 0.0;
  sum->missed = 0;
  for (int p = 0; p < PROBLEMS; ++p) {
    const posed own = pose(t, p, count, solver);
    sum->size = ts_problem_size(&own.problem);
    double *z = calloc(sum->size, sizeof *z);
    if (!z) exit(EXIT_FAILURE);
    ts_report report = {0};
    const double start = cpu_seconds();
    need(ts_solve(solver, &own.problem, &options, workspace, z, &report, &error), &error);
    seconds += cpu_seconds() - start;
    sum->missed += report.outcome != TS_SOLVED;
    free(z);
    ts_lowering_destroy(own.lowering);
  }
  return seconds;
}

static cost measure(const tripod *t, int count, const char *name, int rounds)
{
  cost sum = {.seconds = INFINITY};
  const ts_solver *solver = ts_solver_find(name);
  ts_workspace *workspace = ts_workspace_create(NULL);
  if (!workspace) exit(EXIT_FAILURE);
  for (int k = 0; k < rounds; ++k)
    sum.seconds = fmin(sum.seconds, solve_all(t, count, solver, workspace, &sum) / PROBLEMS);
  ts_workspace_destroy(workspace);
  return sum;
}

static void print_cost(const char *solver, int count, const cost *own, double exact, double path)
{
  char cone[24] = "quadratic";
  if (count > 0) snprintf(cone, sizeof cone, "%d directions", count);
  printf("%-12s %-14s %9zu %12.2f %12.2f %14.2f %8d\n", solver, cone, own->size, 1e6 * own->seconds,
         own->seconds / exact, own->seconds / path, own->missed);
}

// The thesis solves both by PATH; pathsearch is our solver of that kind.
static void compare_problems(int rounds)
{
  static const char *const nonlinear[] = {"auto", "newton", "nsgs", "ncp-plm", "pathsearch"};
  static const char *const linear[] = {"pathsearch", "lemke"};
  enum { NONLINEAR = sizeof nonlinear / sizeof *nonlinear };
  tripod t;
  cost cone[NONLINEAR];
  set_tripod(&t);
  for (int s = 0; s < NONLINEAR; ++s) cone[s] = measure(&t, 0, nonlinear[s], rounds);
  const double exact = cone[0].seconds, path = cone[NONLINEAR - 1].seconds;
  printf("one problem of three feet\n%-12s %-14s %9s %12s %12s %14s %8s\n", "solver", "cone", "unknowns", "us a call",
         "of auto", "of pathsearch", "missed");
  for (int s = 0; s < NONLINEAR; ++s) print_cost(nonlinear[s], 0, &cone[s], exact, path);
  for (size_t s = 0; s < sizeof linear / sizeof *linear; ++s)
    for (int i = 0; i < SIZES; ++i) {
      const cost own = measure(&t, directions[i], linear[s], rounds);
      print_cost(linear[s], directions[i], &own, exact, path);
    }
}

// ---- steps ---------------------------------------------------------------------------------------------------------

typedef struct ride {
  double seconds; // of a step
  int uncertified;
  ts_vec3 place; // where the part is at its end [m]
} ride;

static ride ride_with(int count, int rounds)
{
  char cone[96] = "step.cone=quadratic";
  if (count > 0) snprintf(cone, sizeof cone, "step.cone={polyhedral: {directions: %d, align: body}}", count);
  const char *const overrides[] = {cone};
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  need(ts_scene_read(EXAMPLES "/plate/tripod.yaml", overrides, 1, &scene, &error), &error);
  need(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  ride sum = {0};
  const int steps = rounds * STEPS;
  const double start = cpu_seconds();
  for (int k = 0; k < steps; ++k) {
    need(ts_sim_step(sim, &error), &error);
    sum.uncertified += !ts_sim_report(sim)->certified;
  }
  sum.seconds = (cpu_seconds() - start) / steps;
  sum.place = ts_sim_pose(sim, ts_model_find_body(ts_sim_model(sim), "tripod")).position;
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return sum;
}

static void compare_rides(int rounds)
{
  enum { STEPS_OF_THE_THESIS = 50000 }; // 5 s
  printf("\nsteps of the part on the vibrating plate, %d of them\n%-14s %10s %10s %14s %14s %12s\n", rounds * STEPS,
         "cone", "us a step", "ratio", "5 s take [s]", "off by [mm]", "uncertified");
  const ride exact = ride_with(0, rounds);
  for (int i = -1; i < SIZES; ++i) {
    const ride own = i < 0 ? exact : ride_with(directions[i], rounds);
    char cone[24] = "quadratic";
    if (i >= 0) snprintf(cone, sizeof cone, "%d directions", directions[i]);
    printf("%-14s %10.2f %10.2f %14.2f %14.4f %12d\n", cone, 1e6 * own.seconds, own.seconds / exact.seconds,
           STEPS_OF_THE_THESIS * own.seconds, 1e3 * ts_distance_of(own.place, exact.place), own.uncertified);
  }
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  if (rounds < 1) {
    fprintf(stderr, "bench_plate: the number of rounds must be at least 1\n");
    return EXIT_FAILURE;
  }
  compare_problems(rounds);
  compare_rides(rounds);
  return EXIT_SUCCESS;
}
