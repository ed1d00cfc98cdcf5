// Joints that start at a coordinate other than 0, or with a rate: see model/joint_start.h.
//
// With F the frames of a joint on its parent (0) and child (1), in the world, and Q(q) what its coordinate makes of
// them,
//   F_1 = F_0 Q(q),   w_1 = w_0 + F_0 (rho + q' z),   v_1(o) = v_0(o) + F_0 (lambda + q' z),
// of the two terms in q' those that the joint has, o the origin of F_1. rho and lambda are the
// relative motion that the velocities of the bodies mean as they are defined. They are 0 for bodies without a velocity
// of their own that hang on a base which moves: it carries them along.
#include "model/joint_start.h"

#include "model/joint/type.h"

#include "base/status.h"
#include "math/disjoint_sets.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-6; // [m, rad], and of rates as a share of the velocities about

// A centre of mass frame at time 0.
typedef struct place {
  ts_pose pose;
  ts_twist velocity;
} place;

static place place_of(const ts_model *model, int body)
{
  place p = {.pose = ts_pose_identity()};
  if (body != TS_WORLD) ts_motion_evaluate(model, body, 0.0, &p.pose, &p.velocity);
  return p;
}

static bool starts_at_rest_in_place(const ts_joint *joint)
{
  return joint->position == 0.0 && joint->velocity == 0.0;
}

// ---- a joint -------------------------------------------------------------------------------------------------------

// The child's frame in the parent's at the start.
static ts_pose offset_of(const ts_joint *joint)
{
  const ts_joint_type *type = ts_joint_type_of(joint->kind);
  return type->pose_at ? type->pose_at(joint, joint->position) : ts_pose_identity();
}

static ts_vec3 velocity_at(const place *p, ts_vec3 point)
{
  return ts_twist_at(p->velocity, ts_sub(point, p->pose.position));
}

// Motion of the child against the parent at the child's frame, along the axes of the parent's.
static ts_twist relative_twist(const ts_joint *joint, const place *parent, const place *child)
{
  const ts_quat axes = ts_quat_product(parent->pose.orientation, joint->frame[0].orientation);
  const ts_quat back = ts_quat_conjugate(axes);
  const ts_vec3 o = ts_pose_apply(&child->pose, joint->frame[1].position);
  return (ts_twist){ts_quat_rotate(back, ts_sub(velocity_at(child, o), velocity_at(parent, o))),
                    ts_quat_rotate(back, ts_sub(child->velocity.angular, parent->velocity.angular))};
}

// The same as it should be at the start: `written`, that of the definitions, and the joint's rate.
static ts_twist wanted_twist(const ts_joint *joint, ts_twist written)
{
  const ts_joint_type *type = ts_joint_type_of(joint->kind);
  if (type->add_rate) type->add_rate(joint, joint->velocity, &written);
  return written;
}

// Whether the joint lets the child move like this against the parent, whatever its coordinate does. x: the child's x in
// the parent's frame.
static bool allows(const ts_joint *joint, ts_twist rate, ts_vec3 x, double slow)
{
  const ts_joint_type *type = ts_joint_type_of(joint->kind);
  if (type->add_rate) type->add_rate(joint, ts_joint_has_angle(joint->kind) ? -rate.angular.z : -rate.linear.z, &rate);
  return type->locked_slide(rate.linear) <= slow && type->locked_spin(rate.angular, x) <= slow;
}

// ---- bases that move -----------------------------------------------------------------------------------------------

static bool is_dynamic(const ts_model *model, int body)
{
  return body != TS_WORLD && model->bodies[body].kind == TS_DYNAMIC;
}

static bool is_zero(ts_twist v)
{
  return ts_length(v.linear) == 0.0 && ts_length(v.angular) == 0.0;
}

// What a group of bodies that joints join hangs on: one thing that is not dynamic, or several.
typedef struct anchor {
  int count;  // of different ones, or 2 for more
  int body;   // the first, or TS_WORLD
  bool turns; // all bodies of the group can
  bool moves; // one of them has a velocity of its own
  bool tears; // joints do not allow the velocities
} anchor;

static void hang_on(anchor *a, int body)
{
  if (a->count == 0 || a->body != body) a->count = a->count == 0 ? 1 : 2;
  a->body = body;
}

static anchor *find_anchors(const ts_model *model, int *group, ts_arena *arena)
{
  anchor *anchors = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *anchors);
  for (int b = 0; b < model->body_count; ++b) {
    group[b] = b;
    anchors[b] = (anchor){.turns = true};
  }
  for (int j = 0; j < model->joint_count; ++j) {
    const int parent = model->joints[j].parent, child = model->joints[j].child;
    if (is_dynamic(model, parent) && is_dynamic(model, child)) ts_join_sets(group, parent, child);
  }
  for (int j = 0; j < model->joint_count; ++j) {
    const int parent = model->joints[j].parent, child = model->joints[j].child;
    if (!is_dynamic(model, parent) && is_dynamic(model, child)) hang_on(&anchors[ts_find_set(group, child)], parent);
    if (is_dynamic(model, parent) && !is_dynamic(model, child)) hang_on(&anchors[ts_find_set(group, parent)], child);
  }
  for (int b = 0; b < model->body_count; ++b) {
    const ts_mat3 *I = &model->bodies[b].inverse_inertia;
    const bool turns = ts_length(I->x) + ts_length(I->y) + ts_length(I->z) > 0.0 || model->bodies[b].mass == 0.0;
    if (!is_dynamic(model, b)) continue;
    anchor *a = &anchors[ts_find_set(group, b)];
    a->turns = a->turns && turns;
    a->moves = a->moves || !is_zero(model->bodies[b].velocity);
  }
  return anchors;
}

static void find_torn_joints(const ts_model *model, int *group, anchor *anchors)
{
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_joint *joint = &model->joints[j];
    const int some = is_dynamic(model, joint->child) ? joint->child : joint->parent;
    if (!is_dynamic(model, some)) continue;
    const place parent = place_of(model, joint->parent), child = place_of(model, joint->child);
    const ts_quat outer = ts_quat_product(parent.pose.orientation, joint->frame[0].orientation);
    const ts_quat inner = ts_quat_product(child.pose.orientation, joint->frame[1].orientation);
    const ts_vec3 x = ts_quat_rotate(ts_quat_product(ts_quat_conjugate(outer), inner), (ts_vec3){1.0, 0.0, 0.0});
    const double slow = CLOSED * (ts_length(parent.velocity.linear) + ts_length(parent.velocity.angular));
    if (!allows(joint, relative_twist(joint, &parent, &child), x, slow)) anchors[ts_find_set(group, some)].tears = true;
  }
}

// Bodies without a velocity of their own in groups that hang on one base, which moves at time 0 as their joints do not
// let it without them. Returns whether there are any.
static bool mark_carried(const ts_model *model, ts_arena *arena, bool *carried)
{
  bool any = false;
  int *group = ts_arena_ints(arena, (size_t)model->body_count);
  anchor *anchors = find_anchors(model, group, arena);
  find_torn_joints(model, group, anchors);
  for (int b = 0; b < model->body_count; ++b) {
    const anchor *a = &anchors[ts_find_set(group, b)];
    const bool hangs = is_dynamic(model, b) && a->count == 1 && a->body != TS_WORLD && a->tears && !a->moves;
    carried[b] = hangs && (a->turns || ts_length(place_of(model, a->body).velocity.angular) == 0.0);
    any = any || carried[b];
  }
  return any;
}

// ---- the walk over all joints --------------------------------------------------------------------------------------

typedef struct walk {
  ts_model *model;
  const place *written; // bodies as they are defined (body_count)
  int *first, *joints;  // joints of body b: joints[first[b]] to joints[first[b + 1] - 1]
  int *queue;           // bodies that are reached
  int queued;
  bool *reached;   // bodies (body_count)
  bool *displaced; // bodies whose pose changes
  bool *stirred;   // bodies whose velocity changes
  bool *carried;   // bodies that start along with their base
  bool *walked;    // joints in the tree (joint_count)
  double *turned;  // plane: by which angle bodies are displaced (body_count)
} walk;

static bool *no_flags(ts_arena *arena, int count)
{
  bool *flags = ts_arena_bytes(arena, (size_t)count, sizeof *flags);
  memset(flags, 0, (size_t)count * sizeof *flags);
  return flags;
}

static void list_joints_by_body(walk *w, ts_arena *arena)
{
  const ts_model *model = w->model;
  const size_t bodies = (size_t)model->body_count;
  w->first = ts_arena_ints(arena, bodies + 2);
  w->joints = ts_arena_ints(arena, 2 * (size_t)model->joint_count);
  memset(w->first, 0, (bodies + 2) * sizeof *w->first);
  int *next = w->first + 1; // becomes where the joints of a body end, which is where those of the next begin
  for (int j = 0; j < model->joint_count; ++j) {
    ++next[model->joints[j].child + 1];
    if (model->joints[j].parent != TS_WORLD) ++next[model->joints[j].parent + 1];
  }
  for (size_t b = 0; b < bodies; ++b) next[b + 1] += next[b];
  for (int j = 0; j < model->joint_count; ++j) {
    w->joints[next[model->joints[j].child]++] = j;
    if (model->joints[j].parent != TS_WORLD) w->joints[next[model->joints[j].parent]++] = j;
  }
}

static walk begin(ts_model *model)
{
  ts_arena *arena = &model->memory;
  place *written = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *written);
  for (int b = 0; b < model->body_count; ++b) written[b] = place_of(model, b);
  walk w = {.model = model,
            .written = written,
            .queue = ts_arena_ints(arena, (size_t)model->body_count),
            .reached = no_flags(arena, model->body_count),
            .displaced = no_flags(arena, model->body_count),
            .stirred = no_flags(arena, model->body_count),
            .carried = no_flags(arena, model->body_count),
            .walked = no_flags(arena, model->joint_count),
            .turned = ts_arena_zeros(arena, (size_t)model->body_count)};
  list_joints_by_body(&w, arena);
  return w;
}

static place written_place(const walk *w, int body)
{
  return body == TS_WORLD ? place_of(w->model, TS_WORLD) : w->written[body];
}

static void reach(walk *w, int body)
{
  w->reached[body] = true;
  w->queue[w->queued++] = body;
}

// The pose that the joint gives `body` where its other body, `from`, is in place.
static ts_pose joined_pose(const walk *w, const ts_joint *joint, int from, int body)
{
  const bool forward = body == joint->child;
  const ts_pose start = place_of(w->model, from).pose, offset = offset_of(joint), back = ts_pose_inverse(&offset);
  const ts_pose near = ts_pose_compose(&start, &joint->frame[forward ? 0 : 1]);
  const ts_pose far = ts_pose_compose(&near, forward ? &offset : &back);
  const ts_pose *own = &joint->frame[forward ? 1 : 0];
  const ts_body *b = &w->model->bodies[body];
  ts_pose pose;
  pose.orientation = ts_quat_normalize(ts_quat_product(far.orientation, ts_quat_conjugate(own->orientation)));
  if (ts_has_angle(b->freedoms)) pose.orientation = ts_quat_about_z(b->angle);
  pose.position = ts_sub(far.position, ts_quat_rotate(pose.orientation, own->position));
  pose.position = ts_free_part(b->freedoms->along, pose.position); // but for round-off it is
  return pose;
}

static void displace(walk *w, const ts_joint *joint, int from, int body)
{
  const double sign = body == joint->child ? 1.0 : -1.0;
  if (ts_joint_has_angle(joint->kind)) w->turned[body] = sign * joint->position;
  if (from != TS_WORLD) w->turned[body] += w->turned[from];
  ts_body *b = &w->model->bodies[body];
  if (ts_has_angle(b->freedoms)) b->angle += w->turned[body];
  b->pose = joined_pose(w, joint, from, body);
}

// The poses of both bodies are those of the start.
static void stir(const walk *w, const ts_joint *joint, int from, int body)
{
  const double sign = body == joint->child ? 1.0 : -1.0;
  const place parent = written_place(w, joint->parent), child = written_place(w, joint->child);
  const ts_twist written = w->carried[body] ? (ts_twist){0} : relative_twist(joint, &parent, &child);
  const ts_twist relative = wanted_twist(joint, written);
  const place start = place_of(w->model, from), parent_start = place_of(w->model, joint->parent);
  const ts_quat axes = ts_quat_product(parent_start.pose.orientation, joint->frame[0].orientation);
  const ts_pose child_start = place_of(w->model, joint->child).pose;
  const ts_vec3 o = ts_pose_apply(&child_start, joint->frame[1].position);
  ts_body *b = &w->model->bodies[body];
  ts_twist at_o = {ts_add_scaled(velocity_at(&start, o), sign, ts_quat_rotate(axes, relative.linear)),
                   ts_add_scaled(start.velocity.angular, sign, ts_quat_rotate(axes, relative.angular))};
  at_o = (ts_twist){ts_free_part(b->freedoms->along, at_o.linear), ts_free_part(b->freedoms->about, at_o.angular)};
  b->velocity = (ts_twist){ts_twist_at(at_o, ts_sub(b->pose.position, o)), at_o.angular};
}

static void walk_joint(walk *w, int j, int from, int body)
{
  const ts_joint *joint = &w->model->joints[j];
  w->walked[j] = true;
  w->displaced[body] = joint->position != 0.0 || (from != TS_WORLD && w->displaced[from]);
  const bool is_moved = w->carried[body] || (from != TS_WORLD && w->stirred[from]);
  w->stirred[body] = w->displaced[body] || joint->velocity != 0.0 || is_moved;
  if (w->displaced[body]) displace(w, joint, from, body);
  if (w->stirred[body]) stir(w, joint, from, body);
  reach(w, body);
}

// Breadth first over what hangs on body queue[next] and those behind it. Returns the end of the queue.
static int walk_from(walk *w, int next)
{
  for (; next < w->queued; ++next) {
    const int from = w->queue[next];
    for (int k = w->first[from]; k < w->first[from + 1]; ++k) {
      const ts_joint *joint = &w->model->joints[w->joints[k]];
      const int body = joint->child == from ? joint->parent : joint->child;
      if (body != TS_WORLD && !w->reached[body]) walk_joint(w, w->joints[k], from, body);
    }
  }
  return next;
}

// What holds linkages comes first: bodies that are not dynamic, and the world. Of linkages that nothing holds the body
// that is no joint's child stays, or the first one where each is.
static void walk_all(walk *w, ts_arena *arena)
{
  const ts_model *model = w->model;
  bool *is_child = no_flags(arena, model->body_count);
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind != TS_DYNAMIC) reach(w, b);
  for (int j = 0; j < model->joint_count; ++j) {
    const int child = model->joints[j].child;
    is_child[child] = true;
    if (model->joints[j].parent == TS_WORLD && !w->reached[child]) walk_joint(w, j, TS_WORLD, child);
  }
  int next = walk_from(w, 0);
  for (int pass = 0; pass < 2; ++pass)
    for (int b = 0; b < model->body_count; ++b) {
      if (w->reached[b] || (pass == 0 && is_child[b])) continue;
      reach(w, b);
      next = walk_from(w, next);
    }
}

// ---- joints that close loops ---------------------------------------------------------------------------------------

// What a closing joint is off by: lengths and angles, and their rates.
typedef struct misfit {
  double slide, turn, slide_rate, turn_rate;
} misfit;

static misfit misfit_of(const walk *w, const ts_joint *joint)
{
  const place parent = place_of(w->model, joint->parent), child = place_of(w->model, joint->child);
  const ts_pose outer = ts_pose_compose(&parent.pose, &joint->frame[0]), to_parent = ts_pose_inverse(&outer);
  const ts_pose inner = ts_pose_compose(&child.pose, &joint->frame[1]);
  const ts_pose is = ts_pose_compose(&to_parent, &inner), wanted = offset_of(joint);
  const ts_vec3 x = ts_quat_rotate(is.orientation, (ts_vec3){1.0, 0.0, 0.0});
  const place parent_written = written_place(w, joint->parent), child_written = written_place(w, joint->child);
  const ts_twist rate = relative_twist(joint, &parent, &child);
  const ts_twist wanted_rate = wanted_twist(joint, relative_twist(joint, &parent_written, &child_written));
  const ts_quat turn = ts_quat_product(is.orientation, ts_quat_conjugate(wanted.orientation));
  const ts_joint_type *type = ts_joint_type_of(joint->kind);
  return (misfit){.slide = type->locked_slide(ts_sub(is.position, wanted.position)),
                  .turn = type->locked_turn(ts_quat_rotation_vector(turn), x),
                  .slide_rate = type->locked_slide(ts_sub(rate.linear, wanted_rate.linear)),
                  .turn_rate = type->locked_spin(ts_sub(rate.angular, wanted_rate.angular), x)};
}

// The size of velocities about a joint.
static double speed_of(const walk *w, int body)
{
  const ts_twist v = place_of(w->model, body).velocity;
  return ts_length(v.linear) + ts_length(v.angular);
}

static ts_status check_closed(const walk *w, const ts_joint *joint, ts_error *error)
{
  const misfit m = misfit_of(w, joint);
  if (!(m.slide <= CLOSED && m.turn <= CLOSED))
    return ts_fail(error, TS_INVALID,
                   "joint '%s' closes a loop that the positions of its joints leave open by %.3g m and %.3g rad there",
                   joint->name, m.slide, m.turn);
  const double slow = CLOSED * (1.0 + speed_of(w, joint->parent) + speed_of(w, joint->child));
  if (!(m.slide_rate <= slow && m.turn_rate <= slow))
    return ts_fail(error, TS_INVALID,
                   "joint '%s' closes a loop that the velocities of its joints tear apart at %.3g m/s and %.3g rad/s",
                   joint->name, m.slide_rate, m.turn_rate);
  return TS_OK;
}

static bool has_changed(const walk *w, int body)
{
  return body != TS_WORLD && w->stirred[body];
}

// A particle has no inertia about its centre, and stays as it is turned.
static ts_status check_not_turned(const walk *w, int body, ts_error *error)
{
  const ts_body *b = &w->model->bodies[body];
  const ts_mat3 *I = &b->inverse_inertia;
  if (!w->stirred[body] || b->mass == 0.0 || ts_length(I->x) + ts_length(I->y) + ts_length(I->z) > 0.0) return TS_OK;
  const ts_quat before = w->written[body].pose.orientation,
                turn = ts_quat_product(b->pose.orientation, ts_quat_conjugate(before));
  if (ts_length(ts_quat_rotation_vector(turn)) <= CLOSED && ts_length(b->velocity.angular) <= CLOSED) return TS_OK;
  return ts_fail(error, TS_INVALID, "body '%s' does not rotate, but positions or velocities of joints turn it",
                 b->name);
}

ts_status ts_model_take_positions(ts_model *model, ts_error *error)
{
  bool *carried = ts_arena_bytes(&model->memory, (size_t)model->body_count, sizeof *carried);
  bool is_needed = model->motion_count > 0 && mark_carried(model, &model->memory, carried);
  for (int j = 0; j < model->joint_count; ++j) is_needed = is_needed || !starts_at_rest_in_place(&model->joints[j]);
  if (!is_needed) return TS_OK;
  walk w = begin(model);
  if (model->motion_count > 0) w.carried = carried;
  walk_all(&w, &model->memory);
  for (int b = 0; b < model->body_count; ++b) TS_TRY(check_not_turned(&w, b, error));
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_joint *joint = &model->joints[j];
    const bool is_touched =
        !starts_at_rest_in_place(joint) || has_changed(&w, joint->parent) || has_changed(&w, joint->child);
    if (!w.walked[j] && is_touched) TS_TRY(check_closed(&w, joint, error));
  }
  return TS_OK;
}
