// "path=value": one value of a scene replaced, or added, before the scene is checked.
#ifndef TS_SCENE_OVERRIDE_H
#define TS_SCENE_OVERRIDE_H

#include "document/node.h"

// Apply override k of `in`. The path is keys joined by points; an entry of a list is named by its `name` or its index,
// and the first word may be the name of a parameter, body, joint, material, spring or force itself. Maps on the way are
// created. The value is YAML. Before robots are read the name of one of them may come first, too.
ts_status ts_scene_override(ts_document_input *in, ts_node *root, int k);

// Does override k set a parameter, which expressions are evaluated with?
bool ts_scene_override_is_of_parameters(ts_document_input *in, ts_node *root, int k);
// Does it say how a robot is read, so that it has to come before?
bool ts_scene_override_is_of_robots(ts_document_input *in, ts_node *root, int k);

#endif
