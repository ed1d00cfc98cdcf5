#include "dynamics/tree_names.h"

#include "dynamics/joint/joint_mechanics.h"

#include <stdio.h>
#include <string.h>

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
      names[node->q + k] = join(owner_of(model, node), ts_joint_mechanics_of(node->kind)->coordinate[k], arena);
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
      names[node->v + k] = join(owner_of(model, node), ts_joint_mechanics_of(node->kind)->rate[k], arena);
  }
  return names;
}
