// Where the nodes of a COLLADA scene are.
#ifndef TS_DOCUMENT_COLLADA_PLACE_H
#define TS_DOCUMENT_COLLADA_PLACE_H

#include "document/xml.h"

#include "math/vec3.h"

// x becomes linear x + origin.
typedef struct ts_collada_place {
  ts_mat3 linear;
  ts_vec3 origin;
} ts_collada_place;

ts_vec3 ts_collada_place_apply(const ts_collada_place *place, ts_vec3 point);
bool ts_collada_place_mirrors(const ts_collada_place *place);

// The place within `place` that the transformations of a node lead to, one after the other. <skew> is refused.
ts_status ts_collada_place_node(ts_document_input *in, const ts_xml_element *node, ts_collada_place *place);

#endif
