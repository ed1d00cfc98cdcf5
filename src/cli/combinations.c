#include "cli/combinations.h"

#include "cli/table.h"

#include "touchstone/scene.h"
#include "touchstone/sim.h"

#include <stdio.h>
#include <string.h>

// What scenes may ask for: a ball or a disc on a floor, and a map below `step`. Contacts have a stiffness, for the
// stepper that needs one.
typedef struct combination {
  const char *name, *space, *law, *body, *step;
} combination;

static const combination combinations[] = {
    {"3d", "3d", "", "", ""},
    {"2d", "2d", "", "", ""},
    {"2.5d", "2.5d", "", "", ""},
    {"polyhedral cone", "3d", "", "", ", cone: polyhedral"},
    {"minimal coordinates", "3d", "", "", ", coordinates: minimal"},
    {"restitution", "3d", ", restitution: 0.5", "", ""},
    {"exact corners", "2d", "", "", ", corners: exact"},
    {"skins", "2d", "", ", skin: {thickness: 0.1, stiffness: 100}", ""},
};
enum { COMBINATIONS = sizeof combinations / sizeof *combinations };

// Whether a stepper takes it; else the sentence.
static bool goes_with(const char *stepper, const combination *c, ts_error *error)
{
  const bool space = strcmp(c->space, "3d") == 0;
  char text[800];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: %s, contact: {stiffness: 1e4, tangential_stiffness: 1e4%s}, bodies: ["
           "{name: body, mass: 1, shape: {%s: {radius: 1}}, position: %s%s},"
           "{name: floor, kind: fixed, shape: {plane: {normal: %s}}}], step: {method: %s%s}}",
           c->space, c->law, space ? "sphere" : "disc", space ? "[0, 0, 1]" : "[0, 1]", c->body,
           space ? "[0, 0, 1]" : "[0, 1]", stepper, c->step);
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  ts_status status = ts_scene_parse(text, strlen(text), "a scene", NULL, 0, &scene, error);
  if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return status == TS_OK;
}

static void print_reasons(void)
{
  ts_error error;
  for (int i = 0; i < ts_stepper_count(); ++i)
    for (int k = 0; k < COMBINATIONS; ++k) {
      const char *name = ts_stepper_name(ts_stepper_at(i));
      if (!goes_with(name, &combinations[k], &error)) printf("  %s, %s: %s\n", name, combinations[k].name, error.text);
    }
}

void cli_print_combinations(void)
{
  ts_error error;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "goes with", 'l');
  for (int k = 0; k < COMBINATIONS; ++k) cli_table_column(&table, combinations[k].name, 'l');
  for (int i = 0; i < ts_stepper_count(); ++i) {
    const char *name = ts_stepper_name(ts_stepper_at(i));
    cli_table_row(&table);
    cli_table_cell(&table, "%s", name);
    for (int k = 0; k < COMBINATIONS; ++k)
      cli_table_cell(&table, "%s", goes_with(name, &combinations[k], &error) ? "yes" : "-");
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
  puts("\nwhy not:");
  print_reasons();
}

void cli_write_combinations(cli_json *json, const char *stepper)
{
  ts_error error;
  cli_json_open_object(json, "goes_with");
  for (int k = 0; k < COMBINATIONS; ++k) {
    if (goes_with(stepper, &combinations[k], &error))
      cli_json_boolean(json, combinations[k].name, true);
    else
      cli_json_text(json, combinations[k].name, error.text);
  }
  cli_json_close(json);
}
