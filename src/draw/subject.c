#include "draw/subject.h"

#include "draw/refusal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- opening -------------------------------------------------------------------------------------------------------

static bool same_bodies(const ts_record *record, const ts_model *model)
{
  const int count = ts_model_body_count(model);
  if (ts_record_body_count(record) != count) return false;
  for (int i = 0; i < count; ++i)
    if (strcmp(ts_record_body_name(record, i), ts_model_body_name(model, i)) != 0) return false;
  return ts_record_is_planar(record) == ts_space_is_planar(ts_model_space(model));
}

static ts_status open_run(const char *path, const ts_extensions *extensions, ts_subject *subject, ts_error *error)
{
  ts_error why;
  const ts_status opened = ts_record_open(path, &subject->record, error);
  if (opened != TS_OK) return opened;
  const char *text = ts_record_scene(subject->record);
  if (!text) return ts_refuse(error, TS_INVALID, "the run holds no scene, so the shapes of its bodies are not known");
  if (ts_record_state_count(subject->record) == 0) return ts_refuse(error, TS_INVALID, "the run holds no states");
  const ts_scene_request request = {.extensions = extensions};
  if (ts_scene_parse_with(text, strlen(text), path, &request, &subject->scene, &why) != TS_OK)
    return ts_refuse(error, why.status, "the scene in the run cannot be read: %s", why.text);
  subject->model = ts_scene_model(subject->scene);
  if (same_bodies(subject->record, subject->model)) return TS_OK;
  return ts_refuse(error, TS_INVALID, "the bodies of the run are not those of the scene in it");
}

ts_status ts_subject_open_run(const char *path, const ts_extensions *extensions, ts_subject *subject, ts_error *error)
{
  *subject = (ts_subject){0};
  const ts_status status = open_run(path, extensions, subject, error);
  if (status != TS_OK) ts_subject_close(subject);
  return status;
}

ts_status ts_subject_of_scene(ts_scene *scene, ts_subject *subject, ts_error *error)
{
  *subject = (ts_subject){.scene = scene, .model = ts_scene_model(scene)};
  const ts_status status = ts_sim_create(subject->model, ts_scene_options(scene), NULL, &subject->sim, error);
  if (status != TS_OK) ts_subject_close(subject);
  return status;
}

void ts_subject_close(ts_subject *subject)
{
  ts_sim_destroy(subject->sim);
  ts_scene_destroy(subject->scene);
  ts_record_close(subject->record);
  *subject = (ts_subject){0};
}

// ---- states --------------------------------------------------------------------------------------------------------

int ts_subject_state_count(const ts_subject *subject)
{
  return subject->record ? ts_record_state_count(subject->record) : 1;
}

double ts_subject_time(const ts_subject *subject, int state)
{
  return subject->record ? ts_record_state_time(subject->record, state) : ts_sim_time(subject->sim);
}

int ts_subject_nearest(const ts_subject *subject, double time)
{
  int nearest = 0;
  for (int i = 1; i < ts_subject_state_count(subject); ++i)
    if (fabs(ts_subject_time(subject, i) - time) < fabs(ts_subject_time(subject, nearest) - time)) nearest = i;
  return nearest;
}

void ts_subject_poses(const ts_subject *subject, int state, ts_pose *poses)
{
  if (subject->record)
    ts_record_poses(subject->record, state, poses);
  else
    for (int i = 0; i < ts_model_body_count(subject->model); ++i) poses[i] = ts_sim_pose(subject->sim, i);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static bool can_be_pushed(const ts_subject *subject, const bool *hidden, int body)
{
  return !(hidden && hidden[body]) && ts_model_body_kind(subject->model, body) != TS_FIXED;
}

// Contacts are written as acting on body_1: 1 where it is seen to be pushed, -1 where the other one is, 0 for neither.
static int side_of(const ts_subject *subject, const bool *hidden, int body_1, int body_2)
{
  const int bodies = ts_model_body_count(subject->model);
  if (body_1 < 0 || body_1 >= bodies || body_2 < 0 || body_2 >= bodies) return 0;
  if (can_be_pushed(subject, hidden, body_1)) return 1;
  return can_be_pushed(subject, hidden, body_2) ? -1 : 0;
}

static ts_picture_force force_of(const ts_recorded_contact *contact, int side, bool planar)
{
  const ts_vec3 n = contact->normal, t = contact->tangent, o = ts_vector_cross(n, t);
  const double rate = contact->pn > 0.0 ? contact->fn / contact->pn : 0.0; // 1/h
  const ts_vec3 friction = ts_vector_add(ts_vector_scale(contact->pt, t), ts_vector_scale(contact->po, o));
  const ts_vec3 impulse = ts_vector_add(ts_vector_scale(contact->pn, n), friction);
  const bool onto_plane = fabs(n.z) == 1.0 && planar; // a support: its load is not seen from above
  return (ts_picture_force){.point = contact->point,
                            .force = ts_vector_scale(side * rate, onto_plane ? friction : impulse),
                            .moment = ts_vector_scale(side * rate * contact->pr, n),
                            .patch = contact->patch == 1 || contact->patch == 2 ? contact->patch : 0};
}

static ts_picture_force *recorded_forces(const ts_subject *subject, int state, const bool *hidden, int *count,
                                         ts_heap *heap)
{
  const int all = ts_record_contact_count(subject->record);
  const double time = ts_record_state_time(subject->record, state), slack = 1e-9 * (1.0 + fabs(time));
  const bool planar = ts_record_is_planar(subject->record);
  ts_picture_force *forces = ts_heap_zeros(heap, (size_t)all, sizeof *forces);
  *count = 0;
  for (int i = 0; forces && i < all; ++i) {
    const ts_recorded_contact contact = ts_record_contact(subject->record, i);
    if (contact.summed == 0) continue; // parted before
    const int side = side_of(subject, hidden, contact.body_1, contact.body_2);
    if (fabs(contact.t - time) <= slack && side != 0) forces[(*count)++] = force_of(&contact, side, planar);
  }
  return forces;
}

// At the beginning nothing is known about forces; where bodies touch is.
static ts_picture_force *initial_contacts(const ts_subject *subject, const bool *hidden, int *count, ts_heap *heap)
{
  *count = 0;
  if (ts_sim_find_contacts(subject->sim, NULL) != TS_OK) return NULL;
  int found = 0;
  const ts_contact *contacts = ts_sim_contacts(subject->sim, &found);
  ts_picture_force *forces = ts_heap_zeros(heap, (size_t)found, sizeof *forces);
  for (int i = 0; forces && i < found; ++i)
    if (side_of(subject, hidden, contacts[i].body_1, contacts[i].body_2) != 0)
      forces[(*count)++] = (ts_picture_force){.point = contacts[i].point};
  return forces;
}

ts_picture_force *ts_subject_forces(const ts_subject *subject, int state, const bool *hidden, int *count, ts_heap *heap)
{
  return subject->record ? recorded_forces(subject, state, hidden, count, heap)
                         : initial_contacts(subject, hidden, count, heap);
}
