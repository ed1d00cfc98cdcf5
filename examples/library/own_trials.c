// How far does a ball fly that is thrown at 5 or 10 m/s, at an angle nobody knows to better than a few degrees? A trial
// is a function of this program; the library draws, runs on two threads, and makes the table throws.csv.
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81;

// Called by several threads at once. What it returns must depend on the parameters alone.
static ts_status throw_ball(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  const double speed = trial->parameters[0], angle = trial->parameters[1];
  (void)user, (void)worker;
  if (angle < 0.0) return ts_fail(error, TS_INVALID, "the ball is thrown into the ground"); // a row, too
  outcome->results[0] = speed * speed * sin(2.0 * angle) / gravity;
  return TS_OK;
}

// The largest of a column of the table.
static double largest_of(const ts_table *table, const char *name)
{
  const double *values = ts_table_column_values(table, ts_table_find_column(table, name));
  double largest = 0.0;
  for (int row = 0; row < ts_table_row_count(table); ++row) largest = fmax(largest, values[row]);
  return largest;
}

int main(void)
{
  static const double speeds[] = {5.0, 10.0};
  static const ts_variation variations[] = {
      {.name = "speed", .unit = "m/s", .kind = TS_VARY_VALUES, .values = speeds, .count = 2},
      {.name = "angle", .unit = "rad", .kind = TS_VARY_NORMAL, .mean = 0.785, .deviation = 0.05}};
  static const char *const results[] = {"distance"}, *const units[] = {"m"};
  const ts_study_def def = {.name = "throws",
                            .variations = variations,
                            .variation_count = 2,
                            .samples = 500, // at each speed
                            .seed = 1,
                            .results = results,
                            .units = units,
                            .result_count = 1,
                            .most_attempts = 1,
                            .function.run = throw_ball};
  ts_study *study = NULL;
  ts_table *table = NULL;
  ts_error error = {0};
  ts_sweep_options options = ts_sweep_options_default();
  options.jobs = 2;
  options.fresh = true;
  double farthest = NAN;
  if (ts_study_create(&def, &study, &error) == TS_OK &&
      ts_study_sweep(study, "throws.csv", &options, NULL, &error) == TS_OK &&
      ts_study_pack(study, "throws.csv", &error) == TS_OK && ts_table_open("throws.csv", &table, &error) == TS_OK)
    farthest = largest_of(table, "distance");
  else
    fprintf(stderr, "%s\n", error.text);
  ts_table_close(table);
  ts_study_destroy(study);
  printf("the farthest of 1000 throws: %.3f m\n", farthest);

  // No throw is farther than that at 45 degrees, and some come close.
  const double limit = 10.0 * 10.0 / gravity;
  return farthest <= limit && farthest > 0.999 * limit ? 0 : 1;
}
