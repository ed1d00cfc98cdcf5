// Positions: overlap of bodies, joints, stops and gears at the end of a step, from the recorded poses.
#include "checks.h"
#include "separation.h"

#include "math/vec3.h"

#include <math.h>

static double speed_of(const check_step *s, int b, double *turning)
{
  *turning = b == TS_WORLD ? 0.0 : fmax(ts_length(s->v0[b].angular), ts_length(s->v1[b].angular));
  return b == TS_WORLD ? 0.0 : fmax(ts_length(s->v0[b].linear), ts_length(s->v1[b].linear));
}

// The same for joints. With whole impacts positions move by velocities w of their own, q+ = q + h w, which close gaps
// and take bodies along by friction: they may be faster than those before and after. Poses tell w.
static double speed_in_joint(const check_step *s, int b, double *turning)
{
  const double speed = speed_of(s, b, turning);
  if (b == TS_WORLD || !s->scene->whole_impacts) return speed;
  const ts_quat turn = ts_quat_product(s->after[b].orientation, ts_quat_conjugate(s->before[b].orientation));
  *turning = fmax(*turning, 2.0 * asin(fmin(1.0, ts_length(ts_vec3_make(turn.x, turn.y, turn.z)))) / s->h);
  return fmax(speed, ts_length(ts_sub(s->after[b].position, s->before[b].position)) / s->h);
}

// Gaps are linear in the step: paths of points curve by w^2 r h^2/2, normals turn by w h while points move by v h. In a
// tree they curve with all of its links.
static double step_error(const check_step *s, int a, int b)
{
  double sum = 0.0, turn = 0.0, way = 0.0;
  const int bodies[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    double w;
    const double v = speed_of(s, bodies[k], &w), reach = s->scene->bodies[bodies[k]].reach;
    if (!isfinite(reach)) continue;
    sum += s->h * (s->h * w * w * reach + check_tree_slack(s, bodies[k]));
    turn += s->h * w;
    way += s->h * v;
  }
  return sum + turn * way;
}

static double deflection_of(const check_step *s, int step, int a, int b)
{
  double most = 0.0;
  for (int i = s->run->first[step]; i < s->run->first[step + 1]; ++i) {
    const ts_recorded_contact *c = &s->run->contacts[i];
    const bool same = (c->body_1 == a && c->body_2 == b) || (c->body_1 == b && c->body_2 == a);
    if (same) most = fmax(most, fabs(c->deflection[0]));
  }
  return most;
}

// Overlap of `compliant` beyond what springs are deflected by: where the features of a pair change, the new ones take
// over the energy of the old ones, which are fewer and so deeper; the rest stays until the contact opens
// (docs/theory/viscoelastic.md, "Overlap and memory"). Springs go with the bodies: such overlap grows by no more than
// deflections do, and by the error of linear gaps.
static double lasting_overlap(const check_step *s, int a, int b, double error)
{
  if (s->step == 0) return 0.0;
  const double pressed = deflection_of(s, s->step, a, b) - deflection_of(s, s->step - 1, a, b);
  return s->kept_overlap[a * CAMPAIGN_BODIES + b] + fmax(0.0, pressed) + 2.0 * error;
}

// Distance of the farthest point of a part from its origin
static double size_of(const campaign_part *part)
{
  double size = 0.0;
  for (int i = 0; i < part->shape.vertex_count; ++i) size = fmax(size, ts_length(part->shape.vertices[i]));
  return size > 0.0 ? size : part->reach;
}

// `implicit` promises 1e-8 of the size of the smaller part (docs/theory/implicit.md). Directions that separate are
// known to a tenth of that (separation.c).
static double promised_overlap(const campaign_part *p, const campaign_part *q)
{
  return 1.1e-8 * fmin(size_of(p), size_of(q));
}

// `event-driven`: parts that meet within one of its fixed steps are let overlap (docs/theory/minimal.md, "Bounded
// work"). Smooth motion behind them keeps such overlap, and `penetration` shows it: it explains no more than that, and
// no more than the fixed steps may have left.
static double event_overlap(const check_step *s, int a, int b, double size, double way)
{
  double *kept = &s->kept_overlap[a * CAMPAIGN_BODIES + b];
  *kept = s->report->regularized > 0.0 ? 0.01 * size + 2.0 * way : fmin(*kept, s->report->penetration);
  return fmax(*kept, 0.0) + (s->report->regularized > 0.0 ? 0.0 : 1e-5 * size);
}

// Overlap that a stepper may leave without a word, by its documentation
static double allowed_overlap(const check_step *s, int a, int b, const campaign_part *p, const campaign_part *q)
{
  const campaign_body *first = &s->scene->bodies[a], *second = &s->scene->bodies[b];
  const double size = fmin(first->reach, second->reach), error = step_error(s, a, b);
  const double way = s->h * (s->fastest[a] + s->fastest[b]);
  switch (s->scene->stepper) {
  case CAMPAIGN_IMPLICIT:
    return promised_overlap(p, q);
  // Cores are parts drawn in by the skin: corners of boxes by sqrt(3) of it, tips of cones by more. 4 is a margin for
  // half angles above 15 degrees; the overlap of the cores themselves is not checked.
  case CAMPAIGN_IMPLICIT_COMPLIANT:
    return 4.0 * (first->skin + second->skin) + promised_overlap(p, q);
  case CAMPAIGN_EVENT_DRIVEN:
    return event_overlap(s, a, b, size, way);
  // The manual states no bound for overlap beyond the deflection of the springs. 3 % of the size is a margin that was
  // chosen from the runs, not derived: it finds passing through, not small errors.
  case CAMPAIGN_COMPLIANT:
    return fmax(1.1 * deflection_of(s, s->step, a, b) + 3e-2 * size + 2.0 * error, lasting_overlap(s, a, b, error));
  // Contacts act once bodies overlap, which is not repaired (stabilization: none): a step's way, and errors of all
  // steps
  case CAMPAIGN_VELOCITY:
    return 0.01 * size + 2.0 * way + s->bent[a] + s->bent[b];
  // Overlap deeper than 2 % of the smaller arm, from the center of mass, is taken out before the next step.
  default:
    return 0.02 * fmin(first->reach + ts_length(first->centre), second->reach + ts_length(second->centre)) +
           2.0 * error;
  }
}

static void check_overlaps(const check_step *s, step_findings *findings)
{
  const campaign_scene *scene = s->scene;
  for (int a = 0; a < scene->body_count; ++a)
    for (int b = 0; b < a; ++b) {
      if (!campaign_collides(scene, a, b)) continue;
      const campaign_body *first = &scene->bodies[a], *second = &scene->bodies[b];
      double deepest = 0.0;
      for (int i = 0; i < first->part_count; ++i)
        for (int j = 0; j < second->part_count; ++j) {
          const campaign_part *p = &first->parts[i], *q = &second->parts[j];
          if (!p->has_support || !q->has_support) continue;
          const double deep = allowed_overlap(s, a, b, p, q);
          const double found =
              separation_overlap(p, &s->after[a], q, &s->after[b], deep, &s->kept_axes[a * CAMPAIGN_BODIES + b]);
          check_note(findings, CHECK_OVERLAP, found, deep, a);
          deepest = fmax(deepest, found);
        }
      if (scene->stepper == CAMPAIGN_COMPLIANT) s->kept_overlap[a * CAMPAIGN_BODIES + b] = deepest;
    }
}

// ---- joints --------------------------------------------------------------------------------------------------------

typedef struct joint_view {
  ts_vec3 apart;            // of the child's point from the parent's
  ts_vec3 axis, axis_child; // unit, in the world
  ts_vec3 axis2_child;
  double turn; // by which a joint without rotation has turned [rad]
} joint_view;

static joint_view view_of(const check_step *s, const campaign_joint *j)
{
  const ts_pose parent = check_pose_of(s->after, j->parent), child = s->after[j->child];
  const ts_quat meant = ts_quat_product(parent.orientation, j->turn);
  const ts_quat turn = ts_quat_product(child.orientation, ts_quat_conjugate(meant));
  return (joint_view){.apart = ts_sub(ts_pose_apply(&child, j->at_child), ts_pose_apply(&parent, j->at)),
                      .axis = ts_quat_rotate(parent.orientation, j->axis),
                      .axis_child = ts_quat_rotate(child.orientation, j->axis_child),
                      .axis2_child = ts_quat_rotate(child.orientation, j->axis2_child),
                      .turn = 2.0 * ts_length(ts_vec3_make(turn.x, turn.y, turn.z))};
}

// Distances and angles that the joint holds at 0
static void errors_of(const check_step *s, const campaign_joint *j, const recorded_joint *recorded, double *place,
                      double *angle)
{
  const joint_view v = view_of(s, j);
  const double along = ts_dot(v.axis, v.apart), bent = ts_length(ts_cross(v.axis, v.axis_child));
  const double across = ts_length(ts_add_scaled(v.apart, -along, v.axis));
  *place = ts_length(v.apart);
  *angle = 0.0;
  switch (j->kind) {
  case TS_JOINT_REVOLUTE:
    *angle = campaign_is_planar(s->scene) ? 0.0 : bent;
    break;
  case TS_JOINT_PRISMATIC:
    *place = across;
    *angle = v.turn;
    break;
  case TS_JOINT_UNIVERSAL:
    *angle = fabs(ts_dot(v.axis, v.axis2_child));
    break;
  case TS_JOINT_CYLINDRICAL:
    *place = across;
    *angle = bent;
    break;
  case TS_JOINT_SCREW:
    *place = hypot(across, along - j->pitch * recorded->position);
    *angle = bent;
    break;
  case TS_JOINT_PLANAR:
    *place = fabs(along);
    *angle = bent;
    break;
  case TS_JOINT_WELD:
    *angle = v.turn;
    break;
  default:
    break;
  }
}

// Loops in minimal coordinates are closed by the motion of all links of the tree, with its errors.
static double loop_error(const check_step *s, const campaign_joint *j)
{
  double w = 0.0, v = 0.0, arm = 0.0;
  for (int b = 0; b < s->scene->body_count; ++b) {
    const campaign_body *body = &s->scene->bodies[b];
    if (body->linkage != s->scene->bodies[j->child].linkage || body->kind != TS_DYNAMIC) continue;
    double turning;
    v += speed_of(s, b, &turning);
    w += turning;
    arm += 2.0 * body->reach;
  }
  return 2.0 * s->h * s->h * w * (w * arm + v);
}

// Joints in minimal coordinates never open. Rows hold velocities of the start: a step leaves w^2 r h^2/2 for each body,
// and w v h^2 where points slide; the next step takes it back. Twice that, and round-off of positions. Rows are
// certified to 1e-6 of their velocities (docs/theory/stepping.md). Parts of a step take back their share of the error
// that they begin with, which leaves at most 1/e of it. The record has the largest row of it, which a length exceeds by
// up to a factor of 3^(1/2).
static double joint_error(const check_step *s, const campaign_joint *j, double *angle)
{
  double wp, wc;
  const double vp = speed_in_joint(s, j->parent, &wp), vc = speed_in_joint(s, j->child, &wc), h2 = s->h * s->h;
  const double size = s->scene->bodies[j->child].reach + ts_length(j->at) + ts_length(s->after[j->child].position);
  const bool in_tree = s->scene->minimal && !j->closes_loop;
  const double arm = ts_length(j->at) * (j->parent != TS_WORLD) + ts_length(j->at_child);
  const double jolt = check_jolt(s, j->child, j->at_child) + check_jolt(s, j->parent, j->at);
  const double w = wp + wc + (arm > 0.0 ? jolt / arm : 0.0); // within the step
  const double fastest = s->fastest[j->child] + (j->parent == TS_WORLD ? 0.0 : s->fastest[j->parent]);
  const double left = 1e-6 * s->h * fastest + (s->report->substeps > 1.0 ? 0.7 * s->report->joint_error : 0.0);
  const double loop = s->scene->minimal && j->closes_loop ? loop_error(s, j) : 0.0;
  const double turned = 2.0 * h2 * w * w + (left + loop) / s->scene->bodies[j->child].reach;
  *angle = 1e-9 + (in_tree ? 0.0 : turned);
  return 1e-9 * size + (in_tree ? 0.0 : 2.0 * h2 * (w * w * arm + w * (vp + vc)) + left + loop);
}

static void check_joints(const check_step *s, step_findings *findings)
{
  const campaign_scene *scene = s->scene;
  for (int k = 0; k < scene->joint_count; ++k) {
    const campaign_joint *j = &scene->joints[k];
    double place, angle, most_angle;
    errors_of(s, j, &s->joints[k], &place, &angle);
    const double most = joint_error(s, j, &most_angle), q = s->joints[k].position, rate = fabs(s->joints[k].rate);
    check_note(findings, CHECK_JOINT, place, most, k);
    check_note(findings, CHECK_JOINT, angle, most_angle, k);
    // Stops are gaps: overlap of up to 2 % is left to the next steps; `velocity` finds a stop after it was passed.
    const double fastest = s->fastest[j->child] / s->scene->bodies[j->child].reach +
                           (j->parent == TS_WORLD ? 0.0 : s->fastest[j->parent] / s->scene->bodies[j->parent].reach);
    const double passed = 0.02 + most_angle + (scene->stepper == CAMPAIGN_VELOCITY ? s->h * fmax(rate, fastest) : 0.0);
    if (isfinite(j->lower)) check_note(findings, CHECK_LIMIT, j->lower - q, passed, k);
    if (isfinite(j->upper)) check_note(findings, CHECK_LIMIT, q - j->upper, passed, k);
    double follows = q, slack = most_angle + most;
    for (int t = 0; t < j->term_count; ++t) {
      const campaign_joint *leader = &scene->joints[j->followed[t]];
      double leader_angle;
      follows -= j->ratio[t] * s->joints[j->followed[t]].position;
      slack += fabs(j->ratio[t]) * (joint_error(s, leader, &leader_angle) + leader_angle);
    }
    if (j->term_count > 0) check_note(findings, CHECK_LIMIT, fabs(follows), slack, k);
  }
}

void check_geometry(const check_step *s, step_findings *findings)
{
  check_overlaps(s, findings);
  check_joints(s, findings);
}
