// What is drawn: a run, with the scene that it keeps, or a scene at its beginning.
#ifndef TS_CLI_SUBJECT_H
#define TS_CLI_SUBJECT_H

#include "cli/picture.h"
#include "cli/scene_file.h"

#include "touchstone/record.h"

typedef struct cli_subject {
  const char *path;
  ts_scene *scene;
  const ts_model *model;
  ts_record *record; // NULL: the scene at its beginning, which `sim` holds
  ts_sim *sim;
} cli_subject;

// The content tells what the file is; `robot` is how one is read. False after one sentence on standard error.
bool cli_subject_open(const char *path, const cli_robot *robot, cli_subject *subject);
void cli_subject_close(cli_subject *subject);

// States that can be drawn, one at least, and their times in ascending order [s].
int cli_subject_state_count(const cli_subject *subject);
double cli_subject_time(const cli_subject *subject, int state);
int cli_subject_nearest(const cli_subject *subject, double time);
// Poses of all bodies (ts_model_body_count() of them).
void cli_subject_poses(const cli_subject *subject, int state, ts_pose *poses);

// The contacts at a state and their forces. Release with free().
cli_force *cli_subject_forces(const cli_subject *subject, int state, int *count);

// Joints and springs at a state, springs first. Release with free().
cli_link *cli_subject_links(const cli_subject *subject, int state, int *count);

#endif
