// A document as a tree of values, each with its place. Aliases have been written out, so that no value has two
// parents and a change (an override, a merge) changes one place.
#ifndef TS_DOCUMENT_NODE_H
#define TS_DOCUMENT_NODE_H

#include "document/input.h"

typedef enum ts_node_kind { TS_NODE_SCALAR, TS_NODE_LIST, TS_NODE_MAP } ts_node_kind;

typedef struct ts_node ts_node;

// The place of a body in its robot.
typedef struct ts_robot_place {
  const ts_node *first; // entry of the same robot, which tells it from others
  ts_pose pose;         // as the robot is written
  bool positioned;      // a position of the robot is given
  bool oriented;        // an orientation of the robot is given
  bool on_world;        // hangs on the robot's link `world`, or is it
} ts_robot_place;

typedef struct ts_variable_scope ts_variable_scope;
struct ts_node {
  ts_node_kind kind;
  ts_place place;
  const char *key; // in a map
  ts_place key_place;
  ts_node *next;                  // sibling
  ts_node *first, *last;          // list, map: children
  int count;                      // of children
  const char *text;               // scalar
  bool plain;                     // scalar: not in quotes, so it can be a number, a boolean or nothing
  const ts_robot_place *robot;    // body of a robot; NULL: any other node
  const ts_variable_scope *scope; // variables of the repeats that it comes from (document/formula.h); NULL: none
  // What checking against the schema has found out:
  const struct ts_key *row;         // what it is the value of
  const struct ts_section *section; // map
  bool is_number;
  double number;
};

// NULL with a sentence when there are TS_DOCUMENT_NODES already.
ts_node *ts_node_create(ts_document_input *in, ts_node_kind kind, ts_place place);
ts_node *ts_node_create_number(ts_document_input *in, double value, ts_place place);
ts_node *ts_node_create_numbers(ts_document_input *in, const double *values, int count, ts_place place);
ts_node *ts_node_create_vectors(ts_document_input *in, const ts_vec3 *vectors, int count, ts_place place);
ts_node *ts_node_copy(ts_document_input *in, const ts_node *node);         // the whole tree; NULL as above
ts_node *ts_node_copy_checked(ts_document_input *in, const ts_node *node); // with what checking has found out

// Make a scalar child of a map the value of `key` in a map of its own: `mu: 0.5` to `mu: {value: 0.5}`. What is no
// scalar stays.
ts_status ts_node_wrap(ts_document_input *in, ts_node *parent, ts_node **child, const char *key);

void ts_node_append(ts_node *parent, ts_node *child);
void ts_node_set(ts_node *map, const char *key, ts_place key_place, ts_node *value); // append, or replace in its place
void ts_node_replace(ts_node *parent, const ts_node *old, ts_node *value);
void ts_node_remove(ts_node *parent, const ts_node *child);

ts_node *ts_node_find(const ts_node *map, const char *key);    // or NULL
ts_node *ts_node_at(const ts_node *parent, int i);             // 0 <= i < count
ts_place ts_node_place_at(const ts_node *node, int character); // the place of a character of a scalar's text, from 0
bool ts_node_is_null(const ts_node *node);                     // nothing was written: an empty value, ~ or null
const char *ts_node_describe(const ts_node *node, char *text, size_t size); // "a list", "text 'abc'": for messages

#endif
