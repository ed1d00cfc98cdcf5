#include "dynamics/tree_names.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 7 };

// By kind of node. A joint with one number is called as it is; the other words are those of run files, where these know
// the quantity (record/layout.c).
typedef struct number_words {
  const char *coordinate[MOST_NUMBERS], *rate[MOST_NUMBERS];
} number_words;

static const number_words words[] = {
    [TS_JOINT_REVOLUTE] = {{""}, {""}},
    [TS_JOINT_PRISMATIC] = {{""}, {""}},
    [TS_JOINT_SPHERICAL] = {{"qw", "qx", "qy", "qz"}, {"wx", "wy", "wz"}},
    [TS_JOINT_UNIVERSAL] = {{"angle1", "angle2"}, {"angle1", "angle2"}},
    [TS_JOINT_CYLINDRICAL] = {{"angle", "slide"}, {"angle", "slide"}},
    [TS_JOINT_PLANAR] = {{"x", "y", "angle"}, {"x", "y", "angle"}},
    [TS_NODE_FREE] = {{"qw", "qx", "qy", "qz", "x", "y", "z"}, {"wx", "wy", "wz", "vx", "vy", "vz"}},
    [TS_NODE_FREE_IN_PLANE] = {{"x", "y", "theta"}, {"vx", "vy", "w"}},
    [TS_NODE_PARTICLE] = {{"x", "y", "z"}, {"vx", "vy", "vz"}},
};

static const char *join(const char *owner, const char *word, ts_arena *arena)
{
  const size_t size = strlen(owner) + strlen(word) + 2;
  char *text = ts_arena_bytes(arena, size, 1);
  snprintf(text, size, *word ? "%s.%s" : "%s%s", owner, word);
  return text;
}

static const char *owner_of(const ts_model *model, const ts_tree_node *node)
{
  return node->joint >= 0 ? model->joints[node->joint].name : model->bodies[node->body].name;
}

const char **ts_tree_coordinate_names(const ts_tree *tree, const ts_model *model, ts_arena *arena)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(tree);
  const char **names = ts_arena_bytes(arena, (size_t)sizes.q, sizeof *names);
  for (int i = 0; i < sizes.nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    for (int k = 0; k < node->q_count; ++k)
      names[node->q + k] = join(owner_of(model, node), words[node->kind].coordinate[k], arena);
  }
  return names;
}

const char **ts_tree_rate_names(const ts_tree *tree, const ts_model *model, ts_arena *arena)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(tree);
  const char **names = ts_arena_bytes(arena, (size_t)sizes.v, sizeof *names);
  for (int i = 0; i < sizes.nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    for (int k = 0; k < node->v_count; ++k)
      names[node->v + k] = join(owner_of(model, node), words[node->kind].rate[k], arena);
  }
  return names;
}
