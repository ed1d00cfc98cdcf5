#include "cli/start_notes.h"

enum { CORRECTIONS_SHOWN = 12 };

static bool law_followed(const ts_sim *sim, const ts_step_options *asked)
{
  return asked->impacts == TS_IMPACT_DEFAULT && ts_sim_options(sim)->impacts != TS_IMPACT_INELASTIC;
}

static void print_overlap(const ts_model *model, const ts_correction *c, FILE *out)
{
  fprintf(out, "overlap of '%s' and '%s', %.3g m", ts_model_body_name(model, c->body_1),
          ts_model_body_name(model, c->body_2), c->depth);
}

static void print_limit(const ts_model *model, const ts_correction *c, FILE *out)
{
  const ts_joint_def joint = ts_model_joint(model, c->joint);
  fprintf(out, "joint '%s' beyond its limits, %.3g %s", joint.name, c->depth,
          ts_joint_kind_traits(joint.kind)->measure == TS_MEASURE_LENGTH ? "m" : "rad");
}

static void print_corrections(const ts_sim *sim, FILE *out)
{
  int count;
  const ts_correction *corrections = ts_sim_corrections(sim, &count);
  for (int i = 0; i < count && i < CORRECTIONS_SHOWN; ++i) {
    fprintf(out, "  %-20s", "taken out at start");
    (corrections[i].joint < 0 ? print_overlap : print_limit)(ts_sim_model(sim), &corrections[i], out);
    if (corrections[i].left > 0.0) fprintf(out, "; wedged, %.3g of it is left", corrections[i].left);
    fprintf(out, "%s\n", corrections[i].left > 0.0 ? "" : "; velocities are as given");
  }
  if (count > CORRECTIONS_SHOWN) fprintf(out, "  %-20s%d more\n", "", count - CORRECTIONS_SHOWN);
}

static void print_velocities(const ts_sim *sim, FILE *out)
{
  const ts_start_velocities *start = ts_sim_start_velocities(sim);
  if (start->joint < 0) return;
  const ts_joint_def joint = ts_model_joint(ts_sim_model(sim), start->joint);
  fprintf(out, "  %-20s", "changed at start");
  fprintf(out, "velocities, for joint '%s' does not allow those given: it would part at %.3g m/s or rad/s; ",
          joint.name, start->violation);
  fprintf(out, "the nearest that all joints allow, %.6g J -> %.6g J\n", start->kinetic_given, start->kinetic_taken);
}

void cli_print_start_notes(const ts_sim *sim, const ts_step_options *asked, FILE *out)
{
  if (law_followed(sim, asked))
    fprintf(out, "  %-20s%s, for some restitution is above 0 (step.impacts: inelastic for no rebounds)\n", "impacts",
            ts_impact_law_name(ts_sim_options(sim)->impacts));
  print_velocities(sim, out);
  print_corrections(sim, out);
}

static void write_correction(cli_json *json, const ts_model *model, const ts_correction *c)
{
  cli_json_open_object(json, NULL);
  cli_json_text(json, "body_1", c->body_1 == TS_WORLD ? "world" : ts_model_body_name(model, c->body_1));
  cli_json_text(json, "body_2", ts_model_body_name(model, c->body_2));
  if (c->joint >= 0) cli_json_text(json, "joint", ts_model_joint(model, c->joint).name);
  cli_json_number(json, "depth", c->depth);
  cli_json_number(json, "left", c->left);
  cli_json_close(json);
}

static void write_velocities(cli_json *json, const ts_sim *sim)
{
  const ts_start_velocities *start = ts_sim_start_velocities(sim);
  if (start->joint < 0) return;
  cli_json_open_object(json, "start_velocities");
  cli_json_text(json, "joint", ts_model_joint(ts_sim_model(sim), start->joint).name);
  cli_json_number(json, "violation", start->violation);
  cli_json_number(json, "kinetic_given", start->kinetic_given);
  cli_json_number(json, "kinetic_taken", start->kinetic_taken);
  cli_json_close(json);
}

void cli_write_start_notes(cli_json *json, const ts_sim *sim, const ts_step_options *asked)
{
  int count;
  const ts_correction *corrections = ts_sim_corrections(sim, &count);
  cli_json_text(json, "impacts", ts_impact_law_name(ts_sim_options(sim)->impacts));
  cli_json_boolean(json, "impacts_by_default", asked->impacts == TS_IMPACT_DEFAULT);
  cli_json_open_array(json, "corrections");
  for (int i = 0; i < count; ++i) write_correction(json, ts_sim_model(sim), &corrections[i]);
  cli_json_close(json);
  write_velocities(json, sim);
}
