// A solver of one's own: projected gradient descent for friction problems, r <- P(r - rho u), where P projects each
// contact's impulse on its cone. It is slow, and says so where it does not get there: the step then falls back to the
// library's own solvers, and the report counts that.
#include <touchstone/extension.h>

#include <math.h>

// u = W r + q.
static void velocities(const ts_friction *f, const double *r, double *u)
{
  const int d = f->dimension;
  for (int i = 0; i < f->contacts; ++i) {
    for (int k = 0; k < d; ++k) u[i * d + k] = f->q[i * d + k];
    for (int e = f->W.start[i]; e < f->W.start[i + 1]; ++e) {
      const double *block = f->W.value + (size_t)e * (size_t)(d * d), *x = r + f->W.index[e] * d;
      for (int row = 0; row < d; ++row)
        for (int column = 0; column < d; ++column) u[i * d + row] += block[column * d + row] * x[column];
    }
  }
}

// The nearest point of the cone |t| <= mu n.
static void project(double mu, int d, double *r)
{
  double length = 0.0;
  for (int k = 1; k < d; ++k) length += r[k] * r[k];
  length = sqrt(length);
  if (length <= mu * r[0]) return;
  const double share = (r[0] + mu * length) / (1.0 + mu * mu), n = share > 0.0 ? share : 0.0;
  for (int k = 1; k < d; ++k) r[k] = length > 0.0 ? r[k] / length * mu * n : 0.0;
  r[0] = n;
}

// A bound on the largest eigenvalue of W: the largest sum of a row's absolute values.
static double bound(const ts_friction *f)
{
  const int d = f->dimension;
  double largest = 0.0;
  for (int i = 0; i < f->contacts; ++i)
    for (int row = 0; row < d; ++row) {
      double sum = 0.0;
      for (int e = f->W.start[i]; e < f->W.start[i + 1]; ++e)
        for (int column = 0; column < d; ++column)
          sum += fabs(f->W.value[(size_t)e * (size_t)(d * d) + (size_t)(column * d + row)]);
      largest = sum > largest ? sum : largest;
    }
  return largest;
}

// One step of descent; returns the largest change of a velocity it stands for. De Saxce's correction, mu |u_t| on the
// normal, makes a fixed point a solution of Coulomb's law.
static double descend(const ts_friction *f, double rho, const double *u, double *r)
{
  const int d = f->dimension;
  double change = 0.0;
  for (int i = 0; i < f->contacts; ++i) {
    double slip = 0.0, old[4];
    for (int k = 1; k < d; ++k) slip += u[i * d + k] * u[i * d + k];
    for (int k = 0; k < d; ++k) {
      old[k] = r[i * d + k];
      r[i * d + k] -= rho * (u[i * d + k] + (k == 0 ? f->mu[i] * sqrt(slip) : 0.0));
    }
    project(f->mu[i], d, r + i * d);
    for (int k = 0; k < d; ++k) change = fmax(change, fabs(r[i * d + k] - old[k]) / rho);
  }
  return change;
}

static ts_outcome solve(void *user, const ts_problem *problem, ts_solver_run *run, double *z)
{
  (void)user;
  const ts_friction *f = &problem->friction;
  const size_t size = (size_t)(f->contacts * f->dimension);
  if (f->bilaterals > 0 || f->ellipsoid || size == 0) return size == 0 ? TS_SOLVED : TS_BROKE_DOWN;
  const ts_solve_options *options = ts_solver_run_options(run);
  double *u = ts_solver_run_numbers(run, size), scale = 0.0;
  for (size_t k = 0; k < size; ++k) {
    scale = fmax(scale, fabs(f->q[k]));
    if (!options->warm_start) z[k] = 0.0;
  }
  const double rho = 1.0 / bound(f);
  for (int i = 0; i < ts_solver_run_limit(run); ++i) {
    if (ts_solver_run_is_over(run)) return TS_TIME_LIMIT;
    velocities(f, z, u);
    const double change = descend(f, rho, u, z);
    ts_solver_run_record(run, scale > 0.0 ? change / scale : 0.0, rho);
    if (change <= 0.1 * options->tolerance * scale) return TS_SOLVED;
  }
  return TS_ITERATION_LIMIT;
}

static ts_status add(ts_extensions *extensions, ts_error *error)
{
  static const ts_solver_def def = {.name = "projected-descent",
                                    .summary = "projected gradient descent with De Saxce's correction",
                                    .takes = TS_FRICTION,
                                    .limit = 2000,
                                    .solve = solve};
  return ts_extensions_add_solver(extensions, &def, error);
}

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "projected descent", add};
