#include "cli/run_summary.h"

#include "cli/allocation.h"
#include "cli/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *own_name(const ts_stepper *stepper)
{
  const char *name = ts_stepper_name(stepper);
  return ts_stepper_find(name) ? NULL : name;
}

// Overlap above a thousandth of the smallest half width is worth a warning. Compliant contacts overlap by design.
static double bound_of_penetration(const ts_sim *sim)
{
  static const double SHARE = 1e-3;
  const double width = ts_model_least_half_width(ts_sim_model(sim));
  const bool soft = strstr(ts_stepper_name(ts_sim_options(sim)->method), "compliant") != NULL;
  return soft || width == 0.0 ? INFINITY : SHARE * width;
}

void cli_run_summary_init(cli_run_summary *summary, const ts_sim *sim)
{
  const ts_step_report *report = ts_sim_report(sim);
  const double energy = report->kinetic_energy + report->potential_energy;
  const ts_step_options *options = ts_sim_options(sim);
  *summary = (cli_run_summary){.tolerance = options->tolerance,
                               .accuracy = options->accuracy,
                               .penetration_bound = bound_of_penetration(sim),
                               .solver = ts_solver_name(options->solver),
                               .own_stepper = own_name(options->method),
                               .first_energy = energy,
                               .last_energy = energy};
}

void cli_run_summary_release(cli_run_summary *summary)
{
  for (int i = 0; i < summary->solver_count; ++i) free(summary->solvers[i].name);
  free(summary->solvers);
}

// ---- adding up -----------------------------------------------------------------------------------------------------

static void count_solver(cli_run_summary *summary, const char *name)
{
  for (int i = 0; i < summary->solver_count; ++i)
    if (strcmp(summary->solvers[i].name, name) == 0) {
      ++summary->solvers[i].steps;
      return;
    }
  summary->solvers = cli_grow(summary->solvers, (size_t)summary->solver_count + 1, sizeof *summary->solvers);
  char *copy = cli_zeros(strlen(name) + 1, 1);
  strcpy(copy, name);
  summary->solvers[summary->solver_count++] = (cli_solver_use){copy, 1};
}

static void count_contacts(cli_run_summary *summary, int contacts)
{
  summary->contact_sum += contacts;
  if (contacts > summary->most_contacts) summary->most_contacts = contacts;
}

static void count_substeps(cli_run_summary *summary, int substeps)
{
  if (substeps <= 1) return;
  ++summary->cut_steps;
  summary->substeps += substeps;
}

void cli_run_summary_add(cli_run_summary *summary, double t, const ts_step_report *report)
{
  if (!report->certified && summary->uncertified++ == 0) summary->first_uncertified = t;
  if (report->certified && report->within_length > 0) {
    ++summary->within_length;
    summary->worst_length_error = fmax(summary->worst_length_error, report->length_error);
  }
  summary->jammed += report->jammed;
  summary->wedged += report->wedged;
  summary->tunnelled += report->tunnelled;
  summary->gained += report->gained;
  summary->ambiguous += !report->impulses_unique;
  summary->not_unique += !report->unique;
  summary->unbalanced += report->no_equilibrium;
  summary->stayed += report->stayed;
  summary->tipping += report->tipping;
  ++summary->steps;
  summary->time = t;
  summary->in_steps += report->seconds;
  summary->worst_residual = fmax(summary->worst_residual, report->residual);
  summary->worst_penetration = fmax(summary->worst_penetration, report->penetration);
  summary->worst_joint_error = fmax(summary->worst_joint_error, report->joint_error);
  summary->last_energy = report->kinetic_energy + report->potential_energy;
  summary->contact_work += report->contact_work;
  summary->damping_work += report->damping_work;
  summary->drive_work += report->drive_work;
  summary->applied_work += report->applied_work;
  summary->stabilization_work += report->stabilization_work;
  summary->correction_work += report->correction_work;
  summary->corrected_steps += report->taken_out > 0.0;
  summary->stagger_work += report->stagger_work;
  summary->integration_work += report->integration_work;
  summary->fallbacks += report->fallbacks;
  summary->regularized += report->regularized;
  summary->regularized_size = fmax(summary->regularized_size, report->regularized_size);
  count_substeps(summary, report->substeps);
  count_contacts(summary, report->contacts);
  count_solver(summary, report->solver);
  summary->unsolved += summary->own_stepper && report->contacts > 0 && strcmp(report->solver, "none") == 0;
}

// The series that a summary is made of.
#define SERIES_LIST(X)                                                                                                 \
  X(t)                                                                                                                 \
  X(solver)                                                                                                            \
  X(certified)                                                                                                         \
  X(jammed)                                                                                                            \
  X(wedged)                                                                                                            \
  X(tunnelled)                                                                                                         \
  X(gained)                                                                                                            \
  X(impulses_unique)                                                                                                   \
  X(unique)                                                                                                            \
  X(no_equilibrium)                                                                                                    \
  X(stayed)                                                                                                            \
  X(tipping)                                                                                                           \
  X(residual)                                                                                                          \
  X(penetration)                                                                                                       \
  X(joint_error)                                                                                                       \
  X(kinetic)                                                                                                           \
  X(potential)                                                                                                         \
  X(contact_work)                                                                                                      \
  X(damping_work)                                                                                                      \
  X(drive_work)                                                                                                        \
  X(applied_work)                                                                                                      \
  X(stabilization_work)                                                                                                \
  X(correction_work)                                                                                                   \
  X(taken_out)                                                                                                         \
  X(stagger_work)                                                                                                      \
  X(integration_work)                                                                                                  \
  X(fallbacks)                                                                                                         \
  X(substeps)                                                                                                          \
  X(regularized)                                                                                                       \
  X(regularized_size)                                                                                                  \
  X(contacts)                                                                                                          \
  X(within_length)                                                                                                     \
  X(length_error)

void cli_run_summary_replay(cli_run_summary *summary, const ts_record *record)
{
  int count;
#define TAKE_SERIES(name) const double *name = ts_record_series(record, "steps." #name, &count);
  SERIES_LIST(TAKE_SERIES)
#undef TAKE_SERIES
  for (int i = 0; i < count; ++i) {
    const ts_step_report report = {.certified = certified[i] != 0.0,
                                   .jammed = jammed[i] != 0.0,
                                   .wedged = wedged[i] != 0.0,
                                   .tunnelled = tunnelled && tunnelled[i] != 0.0, // older runs do not say
                                   .gained = gained && gained[i] != 0.0,
                                   .impulses_unique = !impulses_unique || impulses_unique[i] != 0.0,
                                   .unique = unique[i] != 0.0,
                                   .no_equilibrium = no_equilibrium[i] != 0.0,
                                   .stayed = stayed && stayed[i] != 0.0,
                                   .tipping = tipping[i] != 0.0,
                                   .solver = ts_record_solver_name(record, (int)solver[i]),
                                   .residual = residual[i],
                                   .penetration = penetration[i],
                                   .joint_error = joint_error[i],
                                   .kinetic_energy = kinetic[i],
                                   .potential_energy = potential[i],
                                   .contact_work = contact_work[i],
                                   .damping_work = damping_work[i],
                                   .drive_work = drive_work[i],
                                   .applied_work = applied_work[i],
                                   .stabilization_work = stabilization_work[i],
                                   .correction_work = correction_work[i],
                                   .taken_out = taken_out[i],
                                   .stagger_work = stagger_work[i],
                                   .integration_work = integration_work[i],
                                   .fallbacks = (int)fallbacks[i],
                                   .substeps = (int)substeps[i],
                                   .regularized = regularized[i],
                                   .regularized_size = regularized_size[i],
                                   .contacts = (int)contacts[i],
                                   .within_length = within_length ? (int)within_length[i] : 0,
                                   .length_error = length_error ? length_error[i] : 0.0};
    cli_run_summary_add(summary, t[i], &report);
  }
  summary->resumed_steps = summary->steps;
}

void cli_run_summary_end(cli_run_summary *summary, const ts_sim *sim, double wall)
{
  summary->time = ts_sim_time(sim);
  summary->wall = wall;
  summary->memory = ts_sim_memory(sim, &summary->growths);
}

// ---- figures that follow -------------------------------------------------------------------------------------------

static long long own_steps(const cli_run_summary *summary)
{
  return summary->steps - summary->resumed_steps;
}

static double per_step(const cli_run_summary *summary, double seconds)
{
  return own_steps(summary) > 0 ? seconds / (double)own_steps(summary) : 0.0;
}

static double mean_contacts(const cli_run_summary *summary)
{
  return summary->steps > 0 ? summary->contact_sum / (double)summary->steps : 0.0;
}

// ---- for people ----------------------------------------------------------------------------------------------------

static void label(FILE *out, const char *text)
{
  fprintf(out, "  %-20s", text);
}

static void print_length(const cli_run_summary *s, FILE *out)
{
  label(out, "steps");
  fprintf(out, "%lld", s->steps);
  if (s->resumed_steps > 0) fprintf(out, ", %lld of them resumed", s->resumed_steps);
  fputc('\n', out);
  label(out, "simulated time");
  fprintf(out, "%.9g s\n", s->time);
  char wall[32], step[32], itself[32];
  label(out, "wall time");
  fprintf(out, "%s, %s a step, %s of it in the step itself\n", cli_time_text(s->wall, wall, sizeof wall),
          cli_time_text(per_step(s, s->wall), step, sizeof step),
          cli_time_text(per_step(s, s->in_steps), itself, sizeof itself));
}

static void print_fallen(const cli_run_summary *s, FILE *out)
{
  if (s->unbalanced > 0) {
    label(out, "no equilibrium");
    fprintf(out, "in %lld of them: nothing balances what pulls %s, which stays\n", s->unbalanced, s->unheld);
  }
  if (s->stayed > 0) {
    label(out, "no motion");
    fprintf(out, "in %lld of them: forces do not balance, and all bodies stay\n", s->stayed);
  }
  if (s->tipping > 0) {
    label(out, "tipping");
    fprintf(out, "in %lld of them: a support would have to pull, first of %s\n", s->tipping, s->tipped);
  }
  if (s->not_unique > 0) {
    label(out, "not unique");
    fprintf(out, "motion of %lld steps: of several the one with the least loads is taken\n", s->not_unique);
  }
}

static void print_jam(const cli_run_summary *s, FILE *out)
{
  if (s->jammed == 0) return;
  label(out, "jammed steps");
  fprintf(out, "%lld of them: no solution exists", s->jammed);
  if (s->wedged > 0) fprintf(out, "; of %lld none was found, bodies are wedged by friction", s->wedged);
  if (s->jam[0]) fprintf(out, ", first for %s", s->jam);
  fputc('\n', out);
}

static void print_tunnel(const cli_run_summary *s, FILE *out)
{
  if (s->tunnelled == 0) return;
  label(out, "tunnelled steps");
  fprintf(out, "%lld of them: bodies passed through each other", s->tunnelled);
  if (s->tunnel[0]) fprintf(out, ", first %s", s->tunnel);
  fputs("; a smaller step would help\n", out);
}

static void print_gains(const cli_run_summary *s, FILE *out)
{
  if (s->gained == 0) return;
  label(out, "gaining steps");
  fprintf(
      out,
      "%lld of them: the method gained energy; a smaller step, an implicit spring or gyroscopic: implicit would help\n",
      s->gained);
}

static void print_quality(const cli_run_summary *s, FILE *out)
{
  label(out, "worst residual");
  fprintf(out, "%.3g (tolerance %.3g", s->worst_residual, s->tolerance);
  if (s->accuracy > 0.0) fprintf(out, ", accuracy %.3g m", s->accuracy);
  fputs(")\n", out);
  if (s->unsolved > 0) {
    label(out, "");
    fprintf(out, "in %lld steps with contacts stepper '%s' solved nothing: there the residual promises nothing\n",
            s->unsolved, s->own_stepper);
  }
  if (s->within_length > 0) {
    label(out, "certified steps");
    fprintf(out, "%lld to the tolerance, %lld within %.2g m\n", s->steps - s->uncertified - s->within_length,
            s->within_length, s->worst_length_error);
  }
  label(out, "uncertified steps");
  fprintf(out, "%lld", s->uncertified);
  if (s->uncertified > 0) fprintf(out, ", the first one ends at t = %.9g s", s->first_uncertified);
  fputc('\n', out);
  print_jam(s, out);
  print_fallen(s, out);
  print_tunnel(s, out);
  print_gains(s, out);
  label(out, "worst penetration");
  fprintf(out, "%.3g m", s->worst_penetration);
  if (s->worst_penetration > s->penetration_bound)
    fprintf(out, "; warning: above %.2g m, 1e-3 of the smallest body's half width", s->penetration_bound);
  fputc('\n', out);
  label(out, "worst joint error");
  fprintf(out, "%.3g m or rad\n", s->worst_joint_error);
}

static void print_energy(const cli_run_summary *s, FILE *out)
{
  label(out, "energy");
  fprintf(out, "%.9g J -> %.9g J\n", s->first_energy, s->last_energy);
  label(out, "work of");
  fprintf(out, "contacts %.6g J, damping %.6g J, drives %.6g J, forces %.6g J\n", s->contact_work, s->damping_work,
          s->drive_work, s->applied_work);
  label(out, "added by");
  fprintf(out, "stabilization %.6g J, integration %.6g J, stagger %.6g J\n", s->stabilization_work, s->integration_work,
          s->stagger_work);
  if (s->corrected_steps == 0) return;
  label(out, "positions corrected");
  fprintf(out, "in %lld steps that began with overlap; potential energy %+.6g J\n", s->corrected_steps,
          s->correction_work);
}

// `auto` is named where none of its stages came to be needed: the point to start from, that of the step before in most
// cases, solves the problem already.
static void print_solvers(const cli_run_summary *s, FILE *out)
{
  const bool chooses = strcmp(s->solver, "auto") == 0;
  long long idle = 0;
  int listed = 0;
  label(out, "solvers");
  for (int i = 0; i < s->solver_count; ++i) {
    const cli_solver_use *use = &s->solvers[i];
    if (strcmp(use->name, "none") == 0) {
      idle = use->steps;
      continue;
    }
    const bool start = chooses && strcmp(use->name, "auto") == 0;
    fputs(listed++ > 0 ? ", " : chooses ? "auto: " : "", out);
    fprintf(out, "%s %lld", start ? "its start alone" : use->name, use->steps);
  }
  if (listed > 0) fputs(" steps", out);
  if (idle > 0) fprintf(out, "%snothing to solve in %lld steps", listed > 0 ? "; " : "", idle);
  fprintf(out, "%s\n", s->solver_count == 0 ? "none" : "");
}

static void print_effort(const cli_run_summary *s, FILE *out)
{
  print_solvers(s, out);
  label(out, "fallbacks");
  fprintf(out, "%lld\n", s->fallbacks);
  label(out, "substeps");
  fprintf(out, "%lld in %lld steps that were cut\n", s->substeps, s->cut_steps);
  if (s->regularized > 0.0) {
    label(out, "regularized");
    fprintf(out, "%.4g s by fixed steps of at most %.3g s: events came too close\n", s->regularized,
            s->regularized_size);
  }
  label(out, "contacts");
  fprintf(out, "%.4g on average, %d at most", mean_contacts(s), s->most_contacts);
  if (s->ambiguous > 0)
    fprintf(out, "; impulses not unique in %lld step%s, the least taken", s->ambiguous, s->ambiguous == 1 ? "" : "s");
  fputc('\n', out);
  label(out, "memory");
  fprintf(out, "%.4g MiB, grown %d times\n", (double)s->memory / 1048576.0, s->growths);
}

void cli_run_summary_print(const cli_run_summary *summary, FILE *out)
{
  print_length(summary, out);
  print_quality(summary, out);
  print_energy(summary, out);
  print_effort(summary, out);
}

// ---- for programs --------------------------------------------------------------------------------------------------

void cli_run_summary_json(const cli_run_summary *s, cli_json *json)
{
  cli_json_integer(json, "steps", s->steps);
  cli_json_integer(json, "resumed_steps", s->resumed_steps);
  cli_json_number(json, "time", s->time);
  cli_json_number(json, "wall_time", s->wall);
  cli_json_number(json, "time_in_steps", s->in_steps);
  cli_json_number(json, "worst_residual", s->worst_residual);
  cli_json_number(json, "tolerance", s->tolerance);
  cli_json_number(json, "accuracy", s->accuracy);
  cli_json_integer(json, "steps_within_length", s->within_length);
  cli_json_number(json, "worst_length_error", s->worst_length_error);
  if (s->own_stepper) cli_json_integer(json, "unsolved_steps", s->unsolved);
  cli_json_integer(json, "uncertified_steps", s->uncertified);
  cli_json_number(json, "first_uncertified", s->uncertified > 0 ? s->first_uncertified : NAN);
  cli_json_integer(json, "jammed_steps", s->jammed);
  cli_json_integer(json, "wedged_steps", s->wedged);
  if (s->jam[0]) cli_json_text(json, "jammed_bodies", s->jam);
  cli_json_integer(json, "steps_without_equilibrium", s->unbalanced);
  cli_json_integer(json, "steps_without_motion", s->stayed);
  if (s->unheld[0]) cli_json_text(json, "unheld_bodies", s->unheld);
  cli_json_integer(json, "tipping_steps", s->tipping);
  if (s->tipped[0]) cli_json_text(json, "tipping_bodies", s->tipped);
  cli_json_integer(json, "steps_not_unique", s->not_unique);
  cli_json_integer(json, "ambiguous_steps", s->ambiguous);
  cli_json_integer(json, "tunnelled_steps", s->tunnelled);
  if (s->tunnel[0]) cli_json_text(json, "tunnelled_bodies", s->tunnel);
  cli_json_integer(json, "gained_steps", s->gained);
  cli_json_number(json, "worst_penetration", s->worst_penetration);
  cli_json_number(json, "penetration_bound", s->penetration_bound);
  cli_json_number(json, "worst_joint_error", s->worst_joint_error);
  cli_json_number(json, "first_energy", s->first_energy);
  cli_json_number(json, "last_energy", s->last_energy);
  cli_json_number(json, "contact_work", s->contact_work);
  cli_json_number(json, "damping_work", s->damping_work);
  cli_json_number(json, "drive_work", s->drive_work);
  cli_json_number(json, "applied_work", s->applied_work);
  cli_json_number(json, "stabilization_work", s->stabilization_work);
  cli_json_integer(json, "corrected_steps", s->corrected_steps);
  cli_json_number(json, "correction_work", s->correction_work);
  cli_json_number(json, "stagger_work", s->stagger_work);
  cli_json_number(json, "integration_work", s->integration_work);
  cli_json_integer(json, "fallbacks", s->fallbacks);
  cli_json_integer(json, "cut_steps", s->cut_steps);
  cli_json_integer(json, "substeps", s->substeps);
  cli_json_number(json, "regularized", s->regularized);
  cli_json_number(json, "regularized_size", s->regularized_size);
  cli_json_number(json, "mean_contacts", mean_contacts(s));
  cli_json_integer(json, "most_contacts", s->most_contacts);
  cli_json_integer(json, "memory", (long long)s->memory);
  cli_json_integer(json, "memory_growths", s->growths);
  cli_json_text(json, "solver", s->solver);
  cli_json_open_object(json, "solver_steps");
  for (int i = 0; i < s->solver_count; ++i) cli_json_integer(json, s->solvers[i].name, s->solvers[i].steps);
  cli_json_close(json);
}
