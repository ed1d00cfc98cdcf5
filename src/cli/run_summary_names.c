// Names of the bodies that jam, tunnel, tip or lack a balance of forces, for the summary of a run.
#include "cli/run_summary.h"

#include <stdio.h>
#include <string.h>

static bool has_name(const char *text, const char *name)
{
  const char *at = strstr(text, name);
  const size_t length = strlen(name);
  return at && at > text && at[-1] == '\'' && at[length] == '\'';
}

// Append 'name' where there is room and it is not there yet.
static void append_name(char *text, size_t size, const char *name)
{
  const size_t used = strlen(text);
  if (has_name(text, name) || used + strlen(name) + sizeof ", ''" > size) return;
  snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "", name);
}

static void name_jam(cli_run_summary *summary, const ts_sim *sim)
{
  static const double LEAST_SHARE = 0.05;
  int count;
  if (!ts_sim_report(sim)->jammed || summary->jam[0]) return;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  const ts_model *model = ts_sim_model(sim);
  for (int i = 0; i < count; ++i) {
    if (contacts[i].jam < LEAST_SHARE) continue;
    append_name(summary->jam, sizeof summary->jam, ts_model_body_name(model, contacts[i].body_1));
    append_name(summary->jam, sizeof summary->jam, ts_model_body_name(model, contacts[i].body_2));
  }
}

static void name_tunnel(cli_run_summary *summary, const ts_sim *sim)
{
  const ts_step_report *report = ts_sim_report(sim);
  if (!report->tunnelled || summary->tunnel[0]) return;
  for (int k = 0; k < 2; ++k)
    append_name(summary->tunnel, sizeof summary->tunnel,
                ts_model_body_name(ts_sim_model(sim), report->tunnelled_bodies[k]));
}

// Bodies that nothing holds, or that tip over.
static void name_fallen(cli_run_summary *summary, const ts_sim *sim)
{
  const ts_step_report *report = ts_sim_report(sim);
  const ts_model *model = ts_sim_model(sim);
  if (report->no_equilibrium)
    append_name(summary->unheld, sizeof summary->unheld, ts_model_body_name(model, report->unheld_body));
  if (report->tipping)
    append_name(summary->tipped, sizeof summary->tipped, ts_model_body_name(model, report->tipping_body));
}

void cli_run_summary_name_bodies(cli_run_summary *summary, const ts_sim *sim)
{
  name_jam(summary, sim);
  name_tunnel(summary, sim);
  name_fallen(summary, sim);
}
