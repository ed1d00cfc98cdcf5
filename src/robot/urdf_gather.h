// From a URDF file to the tree of a scene, as if somebody had written the robot down as one: all that follows (checks,
// overrides, building, writing it out) is the same for both.
#ifndef TS_ROBOT_URDF_GATHER_H
#define TS_ROBOT_URDF_GATHER_H

#include "document/node.h"
#include "robot/urdf_robot.h"
#include "schema/schema.h"

// What is kept of the files beside the scene.
typedef struct ts_urdf_facts {
  ts_arena memory; // of what follows
  ts_urdf_summary summary;
  ts_urdf_link *links;
  ts_urdf_joint *joints;
} ts_urdf_facts;

ts_status ts_urdf_options_check(const ts_urdf_options *options, ts_error *error);

extern const ts_section ts_urdf_section; // keys of `urdf` of a scene

// A whole scene with the robot in it.
ts_status ts_urdf_gather(ts_document_input *in, const char *text, size_t length, int file,
                         const ts_urdf_options *options, ts_urdf_facts *facts, ts_node **root);

// Put the robots that a scene names under `urdf` in its `bodies`, `joints` and `pairs`, and take the key out.
ts_status ts_urdf_include(ts_document_input *in, ts_node *root, ts_space space, ts_urdf_facts *facts);

#endif
