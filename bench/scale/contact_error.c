#include "contact_error.h"

#include "touchstone/certificate.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 3 }; // components: normal, tangents

// One contact as a friction problem: W is its own block, and q makes u = W r + q the velocity that there is.
typedef struct contact_problem {
  double W[D * D];   // column after column
  double r[D], u[D]; // impulse [N s] and relative velocity at the end of the step [m/s]
  double mu;
} contact_problem;

// What a body adds: the velocity at the contact that an impulse along each direction gives it.
static void add_compliance(double *W, const scene_body *body, const ts_pose *pose, ts_vec3 arm,
                           const ts_vec3 *directions)
{
  const ts_vec3 inertia = scene_body_inertia(body);
  for (int k = 0; k < D; ++k) {
    const ts_vec3 moment = ts_cross(arm, directions[k]);
    ts_vec3 turn = ts_quat_rotate(ts_quat_conjugate(pose->orientation), moment);
    turn = ts_quat_rotate(pose->orientation, ts_vec3_make(turn.x / inertia.x, turn.y / inertia.y, turn.z / inertia.z));
    const ts_vec3 velocity = ts_add(ts_scale(1.0 / body->mass, directions[k]), ts_cross(turn, arm));
    for (int j = 0; j < D; ++j) W[D * k + j] += ts_dot(directions[j], velocity);
  }
}

// Of what is no body: a plane or an obstacle
static ts_vec3 velocity_of_surface(const scene *s, const engine_contact *c)
{
  if (c->body_2 == ENGINE_PLANE) return (ts_vec3){0.0, 0.0, 0.0};
  return ts_cross(s->obstacles[ENGINE_OBSTACLE - c->body_2].turning, c->arm_2);
}

static contact_problem problem_of(const scene *s, const engine_contact *c, const ts_pose *start, const ts_twist *end)
{
  contact_problem p = {.mu = s->friction};
  const ts_vec3 tangent = ts_tangent_of(c->normal);
  const ts_vec3 directions[D] = {c->normal, tangent, ts_cross(c->normal, tangent)};
  ts_vec3 velocity = ts_twist_at(end[c->body_1], c->arm_1);
  add_compliance(p.W, &s->bodies[c->body_1], &start[c->body_1], c->arm_1, directions);
  if (c->body_2 >= 0) {
    velocity = ts_sub(velocity, ts_twist_at(end[c->body_2], c->arm_2));
    add_compliance(p.W, &s->bodies[c->body_2], &start[c->body_2], c->arm_2, directions);
  } else {
    velocity = ts_sub(velocity, velocity_of_surface(s, c));
  }
  for (int k = 0; k < D; ++k) {
    p.r[k] = ts_dot(c->impulse, directions[k]);
    p.u[k] = ts_dot(velocity, directions[k]);
  }
  return p;
}

// The certificate's own figure, the normal velocity being what is above `asked`
static double error_above(const contact_problem *p, double asked)
{
  static const int start[] = {0, 1}, index[] = {0};
  double q[D];
  for (int j = 0; j < D; ++j) {
    q[j] = p->u[j] - (j == 0 ? asked : 0.0);
    for (int k = 0; k < D; ++k) q[j] -= p->W[D * k + j] * p->r[k];
  }
  const ts_problem problem = ts_problem_friction(
      (ts_friction){.dimension = D, .contacts = 1, .W = {1, D, start, index, p->W}, .q = q, .mu = &p->mu});
  ts_friction_measures measures;
  if (ts_friction_measure(&problem, p->r, &measures) == TS_OK) return measures.velocity_error;
  fprintf(stderr, "bench_scale: a contact cannot be measured\n");
  exit(EXIT_FAILURE);
}

static void add_error(error_sum *sum, double error)
{
  sum->worst = fmax(sum->worst, error);
  sum->squares += error * error;
}

// Where bodies overlap, an engine may mean to undo all of it, nothing, or as much as it did.
void contact_errors_add(contact_errors *errors, const scene *s, const engine_contact *contacts, int count,
                        const ts_pose *start, const ts_twist *end)
{
  for (int i = 0; i < count; ++i) {
    const contact_problem p = problem_of(s, &contacts[i], start, end);
    const double asked = -contacts[i].gap / s->step_size, whole = error_above(&p, asked);
    double least = whole;
    if (asked > 0.0) {
      least = fmin(least, error_above(&p, 0.0));
      least = fmin(least, error_above(&p, fmin(fmax(p.u[0], 0.0), asked)));
    }
    add_error(&errors->whole, whole);
    add_error(&errors->forgiven, least);
  }
  errors->count += count;
}

static void join(error_sum *sum, const error_sum *other)
{
  sum->worst = fmax(sum->worst, other->worst);
  sum->squares += other->squares;
}

void contact_errors_join(contact_errors *errors, const contact_errors *others)
{
  errors->count += others->count;
  join(&errors->whole, &others->whole);
  join(&errors->forgiven, &others->forgiven);
}

double contact_errors_rms(const contact_errors *errors, const error_sum *sum)
{
  return errors->count > 0 ? sqrt(sum->squares / errors->count) : NAN;
}
