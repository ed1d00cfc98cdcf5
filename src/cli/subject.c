#include "cli/subject.h"

#include "cli/image_file.h"
#include "cli/memory.h"
#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- opening -------------------------------------------------------------------------------------------------------

static bool begins_as_hdf5(const char *path)
{
  static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char head[sizeof signature] = "";
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const bool whole = fread(head, 1, sizeof head, file) == sizeof head;
  fclose(file);
  return whole && memcmp(head, signature, sizeof head) == 0;
}

static bool same_bodies(const ts_record *record, const ts_model *model)
{
  const int count = ts_model_body_count(model);
  if (ts_record_body_count(record) != count) return false;
  for (int i = 0; i < count; ++i)
    if (strcmp(ts_record_body_name(record, i), ts_model_body_name(model, i)) != 0) return false;
  return ts_record_is_planar(record) == (ts_model_space(model) == TS_SPACE_2D);
}

static bool open_run(cli_subject *subject)
{
  ts_error error;
  if (ts_record_open(subject->path, &subject->record, &error) != TS_OK) {
    cli_message_about(subject->path, &error);
    return false;
  }
  const char *text = ts_record_scene(subject->record);
  if (!text || ts_record_state_count(subject->record) == 0) {
    cli_message("%s: %s", subject->path,
                text ? "the run holds no states" : "the run holds no scene, so the shapes of its bodies are not known");
    return false;
  }
  if (ts_scene_parse(text, strlen(text), subject->path, NULL, 0, &subject->scene, &error) != TS_OK) {
    cli_message("%s: the scene in the run cannot be read: %s", subject->path, error.text);
    return false;
  }
  subject->model = ts_scene_model(subject->scene);
  if (same_bodies(subject->record, subject->model)) return true;
  cli_message("%s: the bodies of the run are not those of the scene in it", subject->path);
  return false;
}

static bool open_scene(cli_subject *subject, const cli_robot *robot)
{
  ts_error error;
  if (!cli_scene_open(subject->path, robot, &(cli_texts){.count = 0}, &subject->scene)) return false;
  subject->model = ts_scene_model(subject->scene);
  const ts_step_options *options = ts_scene_options(subject->scene);
  if (ts_sim_create(subject->model, options, NULL, &subject->sim, &error) == TS_OK) return true;
  cli_message_about(subject->path, &error);
  return false;
}

bool cli_subject_open(const char *path, const cli_robot *robot, cli_subject *subject)
{
  *subject = (cli_subject){.path = path};
  const bool run =
      cli_ends_with(path, ".csv") || cli_ends_with(path, ".h5") || cli_ends_with(path, ".hdf5") || begins_as_hdf5(path);
  if (run ? open_run(subject) : open_scene(subject, robot)) return true;
  cli_subject_close(subject);
  return false;
}

void cli_subject_close(cli_subject *subject)
{
  ts_sim_destroy(subject->sim);
  ts_scene_destroy(subject->scene);
  ts_record_close(subject->record);
  *subject = (cli_subject){0};
}

// ---- states --------------------------------------------------------------------------------------------------------

int cli_subject_state_count(const cli_subject *subject)
{
  return subject->record ? ts_record_state_count(subject->record) : 1;
}

double cli_subject_time(const cli_subject *subject, int state)
{
  return subject->record ? ts_record_state_time(subject->record, state) : ts_sim_time(subject->sim);
}

int cli_subject_nearest(const cli_subject *subject, double time)
{
  int nearest = 0;
  for (int i = 1; i < cli_subject_state_count(subject); ++i)
    if (fabs(cli_subject_time(subject, i) - time) < fabs(cli_subject_time(subject, nearest) - time)) nearest = i;
  return nearest;
}

void cli_subject_poses(const cli_subject *subject, int state, ts_pose *poses)
{
  if (subject->record)
    ts_record_poses(subject->record, state, poses);
  else
    for (int i = 0; i < ts_model_body_count(subject->model); ++i) poses[i] = ts_sim_pose(subject->sim, i);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// Force on the body that can move: contacts are written as acting on body_1.
static cli_force force_of(const cli_subject *subject, const ts_recorded_contact *contact)
{
  const ts_vec3 n = contact->normal, t = contact->tangent, o = cli_cross(n, t);
  const double rate = contact->pn > 0.0 ? contact->fn / contact->pn : 0.0; // 1/h
  const ts_vec3 impulse =
      cli_add(cli_scale(contact->pn, n), cli_add(cli_scale(contact->pt, t), cli_scale(contact->po, o)));
  const double side = ts_model_body_kind(subject->model, contact->body_1) == TS_FIXED ? -1.0 : 1.0;
  return (cli_force){contact->point, cli_scale(side * rate, impulse)};
}

static cli_force *recorded_forces(const cli_subject *subject, int state, int *count)
{
  const int all = ts_record_contact_count(subject->record), bodies = ts_model_body_count(subject->model);
  const double time = ts_record_state_time(subject->record, state), slack = 1e-9 * (1.0 + fabs(time));
  cli_force *forces = cli_zeros((size_t)all, sizeof *forces);
  *count = 0;
  for (int i = 0; i < all; ++i) {
    const ts_recorded_contact contact = ts_record_contact(subject->record, i);
    if (fabs(contact.t - time) > slack || contact.body_1 < 0 || contact.body_1 >= bodies) continue;
    forces[(*count)++] = force_of(subject, &contact);
  }
  return forces;
}

// At the beginning nothing is known about forces; where bodies touch is.
static cli_force *initial_contacts(const cli_subject *subject, int *count)
{
  *count = 0;
  if (ts_sim_find_contacts(subject->sim, NULL) != TS_OK) return NULL;
  const ts_contact *contacts = ts_sim_contacts(subject->sim, count);
  cli_force *forces = cli_zeros((size_t)*count, sizeof *forces);
  for (int i = 0; i < *count; ++i) forces[i] = (cli_force){contacts[i].point, {0.0, 0.0, 0.0}};
  return forces;
}

cli_force *cli_subject_forces(const cli_subject *subject, int state, int *count)
{
  return subject->record ? recorded_forces(subject, state, count) : initial_contacts(subject, count);
}
