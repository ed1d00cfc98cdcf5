// Making a tree: nodes along the spanning forest, and what is constant about them.
#include "dynamics/tree.h"

#include "dynamics/joint/joint_mechanics.h"
#include "dynamics/tree_momentum.h"
#include "dynamics/tree_span.h"

#include "model/joint/type.h"
#include "base/status.h"

static const ts_quat TURN_ABOUT_Z = {0.0, 0.0, 0.0, 1.0};

struct ts_tree_sizes ts_tree_sizes(const ts_tree *tree)
{
  return tree->sizes;
}

const ts_tree_node *ts_tree_node_at(const ts_tree *tree, int node)
{
  return &tree->nodes[node];
}

int ts_tree_node_of_body(const ts_tree *tree, int body)
{
  return tree->node_of_body[body];
}

const int *ts_tree_closures(const ts_tree *tree)
{
  return tree->closures;
}

void ts_tree_mark(const ts_tree *tree, bool *in_tree, bool *on_tree)
{
  for (int j = 0; j < tree->model->joint_count; ++j) in_tree[j] = false;
  for (int b = 0; b < tree->model->body_count; ++b) on_tree[b] = tree->node_of_body[b] >= 0;
  for (int i = 0; i < tree->sizes.nodes; ++i)
    if (tree->nodes[i].joint >= 0) in_tree[tree->nodes[i].joint] = true;
}

ts_status ts_tree_try_factor(ts_tree *tree, const double *softness, ts_error *error)
{
  int node;
  if (ts_tree_factor(tree, softness, &node)) return TS_OK;
  return ts_fail(
      error, TS_INVALID,
      "nothing resists the joint of body '%s' beyond round-off: what hangs on it has no inertia that way, or "
      "masses and distances that are too far apart",
      tree->model->bodies[tree->nodes[node].body].name);
}

static int kind_without_joint(const ts_model *model, int body)
{
  const bool plane = ts_is_flat(model->bodies[body].freedoms);
  if (ts_body_is_particle(model, body)) return plane ? TS_NODE_PARTICLE_IN_PLANE : TS_NODE_PARTICLE;
  return plane ? TS_NODE_FREE_IN_PLANE : TS_NODE_FREE;
}

static ts_tree_node make_node(const ts_tree *tree, const ts_span *span, int body)
{
  const ts_model *model = tree->model;
  ts_tree_node node = {.body = body, .parent = -1, .base = TS_WORLD, .joint = span->joint[body]};
  if (node.joint < 0) {
    node.kind = kind_without_joint(model, body);
  } else {
    const ts_joint *joint = &model->joints[node.joint];
    node.kind = (int)joint->kind;
    node.reversed = joint->child != body;
    const int up = node.reversed ? joint->child : joint->parent;
    if (up >= 0 && model->bodies[up].kind == TS_DYNAMIC)
      node.parent = tree->node_of_body[up];
    else
      node.base = up;
  }
  node.q_count = ts_joint_mechanics_of(node.kind)->q_count;
  node.v_count = ts_joint_mechanics_of(node.kind)->v_count;
  return node;
}

static void make_nodes(ts_tree *tree, const ts_span *span)
{
  for (int body = 0; body < tree->model->body_count; ++body) tree->node_of_body[body] = -1;
  for (int i = 0; i < span->count; ++i) {
    ts_tree_node node = make_node(tree, span, span->body[i]);
    node.q = tree->sizes.q;
    node.v = tree->sizes.v;
    tree->sizes.q += node.q_count;
    tree->sizes.v += node.v_count;
    tree->straight = tree->straight && node.q_count == node.v_count;
    tree->node_of_body[node.body] = i;
    tree->nodes[i] = node;
  }
  for (int i = 0; i < tree->model->joint_count; ++i)
    if (!span->taken[i]) tree->closures[tree->sizes.closures++] = i;
}

// Kinematic bodies; and what is not dynamic and nodes hang on, first of all the world.
static void list_bases(ts_tree *tree, int *link_of_base)
{
  tree->bases[tree->base_count++] = TS_WORLD;
  for (int body = 0; body < tree->model->body_count; ++body) {
    link_of_base[body] = -1;
    if (tree->model->bodies[body].kind == TS_KINEMATIC) tree->driven[tree->driven_count++] = body;
  }
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const int base = tree->nodes[i].base;
    if (base < 0 || link_of_base[base] >= 0) continue;
    link_of_base[base] = tree->base_count;
    tree->bases[tree->base_count++] = base;
  }
}

// The joint's frames on parent and child. In reverse a turn or way q along z is one of q along -z.
static void orient_frames(const ts_joint *joint, bool reversed, ts_pose frame[2])
{
  frame[0] = joint->frame[reversed];
  frame[1] = joint->frame[!reversed];
  const ts_quat *turn = ts_joint_mechanics_of((int)joint->kind)->reversal;
  if (!reversed || !turn) return;
  for (int side = 0; side < 2; ++side) frame[side].orientation = ts_quat_product(frame[side].orientation, *turn);
}

// In the plane turns are about z, and points and directions have no z, not even from round-off.
TS_INLINE ts_wide turn_in_plane(ts_wide q)
{
  return (ts_wide){q[0], 0.0, 0.0, q[3]};
}

static void flatten(ts_joint_measure measure, ts_hinge *hinge)
{
  hinge->at.z = hinge->arm.z = 0.0;
  for (int i = 0; i < 2; ++i) hinge->about_z[i] = turn_in_plane(hinge->about_z[i]);
  if (measure == TS_MEASURE_LENGTH)
    hinge->side[0].z.z = 0.0;
  else
    hinge->side[0].z = (ts_vec3){0.0, 0.0, hinge->side[0].z.z < 0.0 ? -1.0 : 1.0};
}

static double angle_at_start(const ts_model *model, int body)
{
  return body < 0 ? 0.0 : ts_motion_angle(model, body, 0.0);
}

static void put_joint(const ts_model *model, const ts_tree_node *node, ts_hinge *hinge)
{
  const ts_joint *joint = &model->joints[node->joint];
  ts_pose frame[2];
  orient_frames(joint, node->reversed, frame);
  hinge->at = frame[0].position;
  hinge->turn[0] = ts_quat_normalize(frame[0].orientation);
  hinge->turn[1] = ts_quat_conjugate(ts_quat_normalize(frame[1].orientation));
  for (int side = 0; side < 2; ++side)
    hinge->side[side] = ts_quat_matrix(side == 0 ? hinge->turn[0] : ts_quat_conjugate(hinge->turn[1]));
  hinge->arm = ts_negate(frame[1].position);
  hinge->about_z[0] = ts_wide_quaternion(ts_quat_product(hinge->turn[0], hinge->turn[1]));
  hinge->about_z[1] =
      ts_wide_quaternion(ts_quat_product(ts_quat_product(hinge->turn[0], TURN_ABOUT_Z), hinge->turn[1]));
  hinge->angle =
      angle_at_start(model, node->body) - angle_at_start(model, node->reversed ? joint->child : joint->parent);
  if (ts_is_flat(model->freedoms)) flatten(ts_joint_type_of(joint->kind)->traits.measure, hinge);
  if (ts_joint_has_angle(joint->kind)) hinge->angle -= hinge->side[0].z.z * joint->position;
}

static ts_hinge make_hinge(const ts_tree *tree, const ts_tree_node *node, const int *link_of_base)
{
  const ts_body *body = &tree->model->bodies[node->body];
  const ts_joint_mechanics *mechanics = ts_joint_mechanics_of(node->kind);
  ts_hinge hinge = {.mechanics = mechanics,
                    .joint = node->joint < 0 ? NULL : &tree->model->joints[node->joint],
                    .fast_path = mechanics->fast_path,
                    .rate_is_spin = mechanics->rate_is_spin,
                    .body = node->body,
                    .q = node->q,
                    .v = node->v,
                    .mass = body->mass};
  hinge.up = node->parent >= 0 ? tree->base_count + node->parent : node->base >= 0 ? link_of_base[node->base] : 0;
  hinge.turns_alike = body->isotropic || ts_has_angle(body->freedoms);
  hinge.weight = ts_wide_of(ts_scale(body->mass, body->gravity));
  hinge.moments = (ts_wide){body->inertia.x.x, body->inertia.y.y, body->inertia.z.z, 0.0};
  hinge.side[0] = hinge.side[1] = ts_mat3_identity();
  hinge.turn[0] = hinge.turn[1] = ts_quat_identity();
  if (node->joint >= 0) put_joint(tree->model, node, &hinge);
  return hinge;
}

static ts_sweep_node make_sweep_node(const ts_tree *tree, const ts_tree_node *node, int block)
{
  const ts_body *body = &tree->model->bodies[node->body];
  return (ts_sweep_node){
      .inertia = {ts_wide_of(body->inertia.x), ts_wide_of(body->inertia.y), ts_wide_of(body->inertia.z)},
      .mass = body->mass,
      .parent = node->parent,
      .body = node->body,
      .v = node->v,
      .v_count = node->v_count,
      .block = block};
}

static void make_sweep_nodes(ts_tree *tree)
{
  int block = 0;
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    tree->sweep[i] = make_sweep_node(tree, node, block);
    for (int j = node->v; j < node->v + node->v_count; ++j) tree->node_of_rate[j] = i;
    block += node->v_count * node->v_count;
  }
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const int parent = tree->sweep[i].parent;
    if (parent < 0) continue;
    tree->sweep[i].first = !tree->sweep[parent].gathers;
    tree->sweep[parent].gathers = true;
  }
}

static void reserve_rates(ts_tree *tree, ts_arena *arena)
{
  const size_t v = (size_t)tree->sizes.v, nodes = (size_t)tree->sizes.nodes;
  size_t block = 0;
  for (size_t i = 0; i < nodes; ++i) block += (size_t)(tree->nodes[i].v_count * tree->nodes[i].v_count);
  tree->hinges = ts_arena_bytes(arena, nodes, sizeof *tree->hinges);
  tree->links = ts_arena_bytes(arena, nodes + (size_t)tree->base_count, sizeof *tree->links);
  tree->sweep = ts_arena_bytes(arena, nodes, sizeof *tree->sweep);
  tree->axes = ts_arena_bytes(arena, v, sizeof *tree->axes);
  tree->gain = ts_arena_bytes(arena, v, sizeof *tree->gain);
  tree->inverse = ts_arena_doubles(arena, block);
  tree->inertia = ts_arena_bytes(arena, nodes, sizeof *tree->inertia);
  tree->load = ts_arena_bytes(arena, nodes, sizeof *tree->load);
  tree->motion = ts_arena_bytes(arena, nodes, sizeof *tree->motion);
  tree->base_motion = ts_arena_bytes(arena, (size_t)tree->base_count, sizeof *tree->base_motion);
  tree->node_of_rate = ts_arena_ints(arena, v);
  tree->sine = ts_arena_doubles(arena, (size_t)tree->sizes.q);
  tree->cosine = ts_arena_doubles(arena, (size_t)tree->sizes.q);
  tree->push = ts_arena_doubles(arena, v);
  tree->change = ts_arena_doubles(arena, v);
}

ts_tree *ts_tree_create(const ts_model *model, bool jointed_only, ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count;
  const ts_span span = ts_span_find(model, jointed_only, arena);
  ts_tree *made = ts_arena_bytes(arena, 1, sizeof *made);
  *made = (ts_tree){.model = model, .sizes = {.nodes = span.count}, .straight = true};
  made->nodes = ts_arena_bytes(arena, (size_t)span.count, sizeof *made->nodes);
  made->node_of_body = ts_arena_ints(arena, bodies);
  made->closures = ts_arena_ints(arena, (size_t)model->joint_count);
  made->bases = ts_arena_ints(arena, bodies + 1);
  made->driven = ts_arena_ints(arena, bodies);
  int *link_of_base = ts_arena_ints(arena, bodies);
  make_nodes(made, &span);
  list_bases(made, link_of_base);
  reserve_rates(made, arena);
  for (int i = 0; i < span.count; ++i) made->hinges[i] = make_hinge(made, &made->nodes[i], link_of_base);
  make_sweep_nodes(made);
  ts_tree_list_floating(made, arena);
  ts_tree_place_world(made);
  return made;
}
