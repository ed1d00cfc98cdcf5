#include "results.h"

#include <math.h>
#include <stdlib.h>

void results_add(results *all, const result *r)
{
  if (all->count == all->room) {
    all->room = 2 * all->room + 64;
    all->rows = realloc(all->rows, (size_t)all->room * sizeof *all->rows);
    if (!all->rows) {
      fprintf(stderr, "bench_scale: out of memory\n");
      exit(EXIT_FAILURE);
    }
  }
  all->rows[all->count++] = *r;
}

void results_release(results *all)
{
  free(all->rows);
}

// A number in a column, or a dash where there is none
static void print_number(const char *format, int width, double value)
{
  if (isnan(value))
    printf(" %*s", width, "-");
  else
    printf(format, width, value);
}

void results_print_head(const recipe *r)
{
  printf("\n%d %s, mu = %g, seed %llu: ms a step\n", r->bodies, recipe_kind_name(r->kind), r->friction,
         (unsigned long long)r->seed);
  printf("  %-14s %9s %8s %7s", "engine", "mean", "worst", "ours is");
  for (int k = 0; k < PHASE_COUNT; ++k) printf(" %8s", phase_name((phase)k));
  printf(" %8s %6s %6s %14s %8s %8s %8s %8s %8s %8s %8s %9s %8s\n", "contacts", "sweeps", "factor", "tol/len/none",
         "residual", "reported", "error", "rms", "forgiven", "over/r", "late", "kinetic", "gained");
}

static void print_reports(const fall *f)
{
  const fall_reports *p = &f->reports;
  char steps[48] = "-";
  if (f->has_reports)
    snprintf(steps, sizeof steps, "%d/%d/%d", p->to_tolerance, p->within_length, p->neither);
  else if (f->failed >= 0)
    snprintf(steps, sizeof steps, "failed %d", f->failed);
  print_number(" %*.1f", 6, f->has_reports ? p->iterations : NAN);
  print_number(" %*.1f", 6, f->has_reports ? p->factorizations : NAN);
  printf(" %14s", steps);
  const bool late = f->phase_steps[PHASE_CREEP] + f->phase_steps[PHASE_REST] > 0;
  print_number(" %*.1e", 8, f->has_reports && late ? p->residual[STAGE_LATE] : NAN);
  print_number(" %*.1e", 8, f->has_reports ? fmax(p->velocity_error[0], p->velocity_error[1]) : NAN);
}

void results_print_row(const result *r)
{
  const fall *f = &r->fall;
  contact_errors errors = {0};
  for (int k = 0; k < STAGE_COUNT; ++k) contact_errors_join(&errors, &f->errors[k]);
  printf("  %-14s %9.3f %8.2f", r->engine, 1e3 * f->mean, 1e3 * f->worst);
  print_number(" %*.2f", 7, r->ratio);
  for (int k = 0; k < PHASE_COUNT; ++k) print_number(" %*.3f", 8, 1e3 * f->phase[k]);
  printf(" %8.0f", f->contacts);
  print_reports(f);
  print_number(" %*.1e", 8, errors.count > 0 ? errors.whole.worst : NAN);
  print_number(" %*.1e", 8, contact_errors_rms(&errors, &errors.whole));
  print_number(" %*.1e", 8, errors.count > 0 ? errors.forgiven.worst : NAN);
  for (int k = 0; k < STAGE_COUNT; ++k) print_number(" %*.1e", 8, f->overlap[k] / PILE_RADIUS);
  printf(" %9.1e", f->kinetic);
  print_number(" %*.1e", 8, f->gained);
  if (!f->complete) printf("  stopped after %d steps", f->steps);
  putchar('\n');
}

static void write_csv_head(FILE *file)
{
  fprintf(file, "kind,bodies,friction,seed,engine,complete,steps,mean_ms,worst_ms,ours_is");
  for (int k = 0; k < PHASE_COUNT; ++k) fprintf(file, ",%s_ms,%s_steps", phase_name((phase)k), phase_name((phase)k));
  fprintf(file, ",contacts,failed,iterations,factorizations,to_tolerance,within_length,neither,kinetic_J,gained_J");
  static const char *const stages[STAGE_COUNT] = {"moving", "late"};
  for (int k = 0; k < STAGE_COUNT; ++k)
    fprintf(file,
            ",%s_overlap_r,%s_residual,%s_reported_m_s,%s_error_m_s,%s_rms_m_s,%s_forgiven_m_s,%s_forgiven_rms_m_s",
            stages[k], stages[k], stages[k], stages[k], stages[k], stages[k], stages[k]);
  fputc('\n', file);
}

// Empty where there is no number
static void write_number(FILE *file, double value)
{
  if (isnan(value))
    fputc(',', file);
  else
    fprintf(file, ",%.9g", value);
}

static void write_stage(FILE *file, const fall *f, stage k)
{
  const contact_errors *e = &f->errors[k];
  const double none = e->count > 0 ? 0.0 : NAN;
  write_number(file, f->overlap[k] / PILE_RADIUS);
  write_number(file, f->has_reports ? f->reports.residual[k] : NAN);
  write_number(file, f->has_reports ? f->reports.velocity_error[k] : NAN);
  write_number(file, none + e->whole.worst);
  write_number(file, contact_errors_rms(e, &e->whole));
  write_number(file, none + e->forgiven.worst);
  write_number(file, contact_errors_rms(e, &e->forgiven));
}

static void write_csv_row(FILE *file, const result *r)
{
  const fall *f = &r->fall;
  const fall_reports *p = &f->reports;
  fprintf(file, "%s,%d,%.9g,%llu,%s,%d,%d", recipe_kind_name(r->recipe.kind), r->recipe.bodies, r->recipe.friction,
          (unsigned long long)r->recipe.seed, r->engine, f->complete, f->steps);
  write_number(file, 1e3 * f->mean);
  write_number(file, 1e3 * f->worst);
  write_number(file, r->ratio);
  for (int k = 0; k < PHASE_COUNT; ++k) {
    write_number(file, 1e3 * f->phase[k]);
    fprintf(file, ",%d", f->phase_steps[k]);
  }
  write_number(file, f->contacts);
  write_number(file, f->failed >= 0 ? (double)f->failed : NAN);
  const double reports[] = {p->iterations, p->factorizations, p->to_tolerance, p->within_length, p->neither};
  for (size_t k = 0; k < sizeof reports / sizeof *reports; ++k) write_number(file, f->has_reports ? reports[k] : NAN);
  write_number(file, f->kinetic);
  write_number(file, f->gained);
  for (int k = 0; k < STAGE_COUNT; ++k) write_stage(file, f, (stage)k);
  fputc('\n', file);
}

bool results_write_csv(const results *all, const char *path)
{
  FILE *file = fopen(path, "w");
  if (!file) return false;
  write_csv_head(file);
  for (int i = 0; i < all->count; ++i) write_csv_row(file, &all->rows[i]);
  const bool written = !ferror(file);
  return fclose(file) == 0 && written;
}
