// Values of a checked tree. The schema has made sure of type, count and range, so none of these can fail; a key that
// the map's section does not have is our own mistake.
#ifndef TS_DOCUMENT_VALUES_H
#define TS_DOCUMENT_VALUES_H

#include "document/node.h"

const ts_node *ts_node_get(const ts_node *map, const char *key); // or NULL

double ts_node_number(const ts_node *map, const char *key, double fallback);
int ts_node_integer(const ts_node *map, const char *key, int fallback);
bool ts_node_boolean(const ts_node *map, const char *key, bool fallback);
const char *ts_node_word(const ts_node *map, const char *key, const char *fallback);
int ts_node_choice(const ts_node *map, const char *key, int fallback); // position of the word in the row's list
ts_vec3 ts_node_vector(const ts_node *map, const char *key, ts_vec3 fallback);

// The numbers of a list (of all vectors of a list of vectors: three each), in the arena.
double *ts_node_numbers(ts_document_input *in, const ts_node *list);
ts_vec3 *ts_node_vectors(ts_document_input *in, const ts_node *list);

// A signal or, into the first entries of `signals`, a list of them; untouched when the key is absent. Arrays are in the
// arena.
void ts_node_signal(ts_document_input *in, const ts_node *map, const char *key, ts_signal *signal);
void ts_node_signals(ts_document_input *in, const ts_node *map, const char *key, ts_signal *signals);

// `orientation` of a body or part, as a unit quaternion; in the plane `angle` says it instead.
ts_quat ts_node_orientation(const ts_node *map, ts_quat fallback);

#endif
