// What is drawn: a run, with the scene that it keeps, or a scene at its beginning.
#ifndef TS_DRAW_SUBJECT_H
#define TS_DRAW_SUBJECT_H

#include "draw/picture.h"

#include "touchstone/record.h"
#include "touchstone/scene.h"

typedef struct ts_subject {
  ts_scene *scene;
  const ts_model *model;
  ts_record *record; // NULL: the scene at its beginning, which `sim` holds
  ts_sim *sim;
} ts_subject;

// A run that keeps its scene. After a failure of either function nothing is left to close.
ts_status ts_subject_open_run(const char *path, const ts_extensions *extensions, ts_subject *subject, ts_error *error);
// A scene at its beginning; it belongs to the subject from now on, also after a failure.
ts_status ts_subject_of_scene(ts_scene *scene, ts_subject *subject, ts_error *error);
void ts_subject_close(ts_subject *subject);

// States that can be drawn, one at least, and their times in ascending order [s].
int ts_subject_state_count(const ts_subject *subject);
double ts_subject_time(const ts_subject *subject, int state);
int ts_subject_nearest(const ts_subject *subject, double time);
// Poses of all bodies (ts_model_body_count() of them).
void ts_subject_poses(const ts_subject *subject, int state, ts_pose *poses);

// The contacts at a state and their forces; none where memory ran out. Of bodies that are hidden (NULL: none is) only
// those that act on another one that can move. Release with free().
ts_picture_force *ts_subject_forces(const ts_subject *subject, int state, const bool *hidden, int *count,
                                    ts_heap *heap);

// Joints and springs at a state, springs first; none where memory ran out. Release with free().
ts_picture_link *ts_subject_links(const ts_subject *subject, int state, int *count, ts_heap *heap);

#endif
