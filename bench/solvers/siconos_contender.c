#include "siconos_contender.h"

#include "siconos_problem.h"

#include <math.h>
#include <stdlib.h>

#include <Friction_cst.h>
#include <NumericsVerbose.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>

enum {
  ENUMERATION_LIMIT = 16, // 2^n bases
  SWEEPS = 100000000,     // the time limit ends a solver, not a count
  LCP_SWEEPS = 100000,    // where the sweeps do not converge by then, they never do
  NEWTON_STEPS = 2000,    // those that converge need far fewer, the others cycle
  OUTER_STEPS = 20000
};

typedef struct siconos_solver {
  const char *name;
  ts_problem_type type;
  int dimension; // of a friction problem
  int id;
  int local; // id of its inner solver, 0: the default one
  NM_types storage;
  int iterations;
  int parameter, value; // an integer parameter that differs from the default; 0: none does
} siconos_solver;

#define FRICTION(title, d, solver) .name = "siconos:" title, .type = TS_FRICTION, .dimension = d, .id = solver
#define FC2D(title, solver, matrix)                                                                                    \
  FRICTION(title, 2, SICONOS_FRICTION_2D_##solver), .storage = NM_##matrix, .iterations = SWEEPS
#define FC3D(title, solver, matrix, limit)                                                                             \
  FRICTION(title, 3, SICONOS_FRICTION_3D_##solver), .storage = NM_##matrix, .iterations = limit
#define NSGS(title, inner)                                                                                             \
  FC3D("nsgs-" title, NSGS, SPARSE_BLOCK, SWEEPS), .local = SICONOS_FRICTION_3D_ONECONTACT_##inner
#define NEWTON(title, solver, matrix) FC3D(title, solver, matrix, NEWTON_STEPS)
#define LCP(title, solver, limit)                                                                                      \
  .name = "siconos:" title, .type = TS_LCP, .id = SICONOS_LCP_##solver, .iterations = limit
#define MLCP(title, solver, limit)                                                                                     \
  .name = "siconos:" title, .type = TS_MLCP, .id = SICONOS_MLCP_##solver, .iterations = limit

#define CSPARSE .parameter = SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER, .value = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL
#define MUMPS   .parameter = SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER, .value = SICONOS_FRICTION_3D_NSN_USE_MUMPS
#define HYBRID                                                                                                         \
  .parameter = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY, .value = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN
#define JEAN_MOREAU                                                                                                    \
  .parameter = SICONOS_FRICTION_3D_NSN_FORMULATION, .value = SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD
#define FULL_STEP .parameter = SICONOS_FRICTION_3D_NSN_LINESEARCH, .value = SICONOS_FRICTION_3D_NSN_LINESEARCH_NO

// Every solver of the library that runs without commercial parts (GAMS, PATH), with the storages and inner solvers
// that make a difference. The likely winners of a type come first: --prune limits those that follow by their times.
static const siconos_solver solvers[] = {
    {FC2D("nsgs", NSGS, SPARSE_BLOCK)},
    {FC2D("nsgs-dense", NSGS, DENSE)},
    {FC2D("cpg", CPG, DENSE)},
    {FC2D("lemke", LEMKE, DENSE)},
    {FC2D("enum", ENUM, DENSE)},

    {FC3D("prox", PROX, SPARSE_BLOCK, OUTER_STEPS)},
    {NSGS("quartic-nu", QUARTIC_NU)},
    {NSGS("newton", NSN)},
    {NEWTON("nsn-ac-hybrid", NSN_AC, SPARSE), HYBRID},
    {NEWTON("nsn-ac-dense", NSN_AC, DENSE)},
    {FC3D("prox-sparse", PROX, SPARSE, OUTER_STEPS)},
    {FC3D("prox-dense", PROX, DENSE, OUTER_STEPS)},
    {NEWTON("nsn-ac", NSN_AC, SPARSE), CSPARSE},
    {NEWTON("nsn-ac-mumps", NSN_AC, SPARSE), MUMPS},
    {NEWTON("nsn-ac-blocks", NSN_AC, SPARSE_BLOCK)},
    {NEWTON("nsn-ac-hybrid-blocks", NSN_AC, SPARSE_BLOCK), HYBRID},
    {NEWTON("nsn-ac-hybrid-dense", NSN_AC, DENSE), HYBRID},
    {NEWTON("nsn-ac-jm", NSN_AC, SPARSE), JEAN_MOREAU},
    {NEWTON("nsn-ac-jm-blocks", NSN_AC, SPARSE_BLOCK), JEAN_MOREAU},
    {NEWTON("nsn-ac-jm-dense", NSN_AC, DENSE), JEAN_MOREAU},
    {NEWTON("nsn-ac-full-step", NSN_AC, SPARSE), FULL_STEP},
    {NEWTON("nsn-ac-full-step-dense", NSN_AC, DENSE), FULL_STEP},
    {NEWTON("nsn-ac-test", NSN_AC_TEST, SPARSE)},
    {NEWTON("nsn-fb", NSN_FB, SPARSE)},
    {NEWTON("nsn-fb-dense", NSN_FB, DENSE)},
    {NEWTON("nsn-nm", NSN_NM, SPARSE)},
    {NEWTON("nsn-nm-dense", NSN_NM, DENSE)},
    {NSGS("quartic", QUARTIC)},
    {NSGS("newton-gp", NSN_GP)},
    {NSGS("hybrid", NSN_GP_HYBRID)},
    {NSGS("projection", ProjectionOnCone)},
    {NSGS("projection-iterated", ProjectionOnConeWithLocalIteration)},
    {NSGS("projection-diagonal", ProjectionOnConeWithDiagonalization)},
    {FC3D("nsgs-dense", NSGS, DENSE, SWEEPS)},
    {FC3D("admm", ADMM, SPARSE, SWEEPS)},
    {FC3D("tfp", TFP, SPARSE_BLOCK, OUTER_STEPS)},
    {FC3D("aclmfp", ACLMFP, SPARSE_BLOCK, OUTER_STEPS)},
    {FC3D("pfp", PFP, SPARSE_BLOCK, OUTER_STEPS)},
    {FC3D("vi-eg", VI_EG, SPARSE_BLOCK, SWEEPS)},
    {FC3D("vi-fpp", VI_FPP, SPARSE_BLOCK, SWEEPS)},
    {FC3D("eg", EG, SPARSE_BLOCK, SWEEPS)},
    {FC3D("fpp", FPP, SPARSE_BLOCK, SWEEPS)},
    {FC3D("dsfp", DSFP, SPARSE_BLOCK, SWEEPS)},
    {FC3D("hp", HP, SPARSE_BLOCK, SWEEPS)},

    {LCP("lemke", LEMKE, SWEEPS)},
    {LCP("newton-min", NEWTONMIN, NEWTON_STEPS)},
    {LCP("newton-fb", NEWTON_FB_FBLSA, NEWTON_STEPS)},
    {LCP("newton-min-fb", NEWTON_MIN_FBLSA, NEWTON_STEPS)},
    {LCP("pgs", PGS, LCP_SWEEPS)},
    {LCP("rpgs", RPGS, LCP_SWEEPS)},
    {LCP("psor", PSOR, LCP_SWEEPS)},
    {LCP("cpg", CPG, LCP_SWEEPS)},
    {LCP("latin", LATIN, LCP_SWEEPS)},
    {LCP("pivot", PIVOT, SWEEPS)},
    {LCP("pivot-lumod", PIVOT_LUMOD, SWEEPS)},
    {LCP("bard", BARD, SWEEPS)},
    {LCP("murty", MURTY, SWEEPS)},
    {LCP("pathsearch", PATHSEARCH, OUTER_STEPS)},
    {LCP("caoferris", AVI_CAOFERRIS, SWEEPS)},
    {LCP("enum", ENUM, SWEEPS)},

    {MLCP("fb", FB, NEWTON_STEPS)},
    {MLCP("lemke", LCP_LEMKE, SWEEPS)},
    {MLCP("pgs", PGS, LCP_SWEEPS)},
    {MLCP("rpgs", RPGS, LCP_SWEEPS)},
    {MLCP("enum", ENUM, SWEEPS)},
    {MLCP("direct-enum", DIRECT_ENUM, SWEEPS)},
};

static bool enumerates(const siconos_solver *s)
{
  return s->id == SICONOS_FRICTION_2D_ENUM || s->id == SICONOS_LCP_ENUM || s->id == SICONOS_MLCP_ENUM ||
         s->id == SICONOS_MLCP_DIRECT_ENUM;
}

static bool takes(const contender *self, const ts_problem *problem)
{
  const siconos_solver *s = self->solver;
  return s->type == problem->type && (s->type != TS_FRICTION || s->dimension == problem->friction.dimension) &&
         (!enumerates(s) || ts_problem_size(problem) <= ENUMERATION_LIMIT) && siconos_problem_exists(problem);
}

static SolverOptions *make_options(const siconos_solver *s, double tolerance)
{
  SolverOptions *options = solver_options_create(s->id);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = s->iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (s->parameter) options->iparam[s->parameter] = s->value;
  if (s->local) solver_options_update_internal(options, 0, s->local);
  return options;
}

// One solve on fresh data with the solver's tolerance at m->setting. Returns Siconos' `info`.
static int solve_timed(const siconos_solver *s, const trial *t, double *z, measurement *m, double *seconds)
{
  siconos_problem *problem = siconos_problem_create(t->problem, s->storage);
  SolverOptions *options = make_options(s, m->setting);
  siconos_problem_prepare(problem, options);
  const stopwatch watch = stopwatch_start();
  const int info = siconos_problem_drive(problem, options);
  *seconds = stopwatch_stop(&watch, m);
  m->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  siconos_problem_solution(problem, z);
  siconos_problem_finish(problem, options);
  solver_options_delete(options);
  siconos_problem_destroy(problem);
  return info;
}

static double *new_solution(const ts_problem *problem)
{
  double *z = calloc(ts_problem_size(problem) + 1, sizeof *z);
  if (!z) exit(EXIT_FAILURE);
  return z;
}

// Tighten the solver's own tolerance by tens until the certificate is content: its measure is not ours. A solver that
// already missed its own tolerance gains nothing from a tighter one. Only the solve that got there is timed.
static void solve_to_tolerance(const siconos_solver *s, const trial *t, double *z, measurement *m, double *seconds)
{
  for (double setting = t->tolerance; setting > 1e-17; setting *= 0.1) {
    *m = measurement_none();
    m->setting = setting;
    const int info = solve_timed(s, t, z, m, seconds);
    measurement_certify(m, t->problem, z, t->by, t->tolerance);
    if (m->reached || info != 0) return;
  }
}

static void measure(const contender *self, const trial *t, const publisher *to)
{
  measurement m = measurement_none();
  double *z = new_solution(t->problem), last = 0.0;
  numerics_set_verbose(0);
  solve_to_tolerance(self->solver, t, z, &m, &last);
  publish(to, &m);
  isolated_limit_time(2.0 * t->repeat_for); // for repeats, which cannot lose more than a better minimum
  double spent = last;
  for (int k = 1; m.reached && k < t->repeats && spent + last < t->repeat_for; ++k) {
    solve_timed(self->solver, t, z, &m, &last);
    spent += last;
    measurement_certify(&m, t->problem, z, t->by, t->tolerance); // again: it may have read memory it never wrote
    if (m.reached) publish(to, &m);
  }
  free(z);
}

static void solve_once(const contender *self, const trial *t, measurement *m)
{
  double *z = new_solution(t->problem), seconds;
  numerics_set_verbose(0);
  *m = measurement_none();
  m->setting = t->tolerance;
  solve_timed(self->solver, t, z, m, &seconds);
  measurement_certify(m, t->problem, z, t->by, t->tolerance);
  free(z);
}

int siconos_contenders(contender *list)
{
  const int count = (int)(sizeof solvers / sizeof solvers[0]);
  for (int i = 0; list && i < count; ++i)
    list[i] = (contender){solvers[i].name, false, &solvers[i], takes, measure, solve_once};
  return count;
}
