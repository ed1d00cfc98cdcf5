#include "tree_cases.h"

#include "case_file.h"

static ts_vec3 vector(const double *x)
{
  return (ts_vec3){x[0], x[1], x[2]};
}

static bool read_body(FILE *file, int number, tree_case_body *body)
{
  int joint;
  double x[19];
  if (fscanf(file, "%d %d", &body->parent, &joint) != 2 || body->parent >= number || joint < 0 || joint > CASE_FREE)
    return false;
  if (!case_file_numbers(file, x, 19)) return false;
  body->joint = (tree_case_joint)joint;
  body->offset = vector(x);
  body->axis = vector(x + 3);
  body->mass = x[6];
  body->centre = vector(x + 7);
  body->inertia = (ts_mat3){vector(x + 10), vector(x + 13), vector(x + 16)};
  return true;
}

static bool read_vectors(FILE *file, ts_vec3 *v, int count)
{
  for (int i = 0; i < count; ++i) {
    double x[3];
    if (!case_file_numbers(file, x, 3)) return false;
    v[i] = vector(x);
  }
  return true;
}

static bool read_nodes(FILE *file, tree_case *c)
{
  for (int i = 0; i < TREE_CASE_NODES; ++i)
    if (fscanf(file, "%d", &c->node_body[i]) != 1 || !read_vectors(file, &c->node_offset[i], 1)) return false;
  return true;
}

bool tree_cases_next(FILE *file, tree_case *c)
{
  if (fscanf(file, "%d %d %d", &c->bodies, &c->q_count, &c->v_count) != 3) return false;
  if (c->bodies < 1 || c->bodies > TREE_CASE_BODIES || c->q_count > TREE_CASE_RATES) return false;
  for (int i = 0; i < c->bodies; ++i)
    if (!read_body(file, i, &c->body[i])) return false;
  return case_file_numbers(file, c->q, c->q_count) && case_file_numbers(file, c->v, c->v_count) &&
         case_file_numbers(file, c->tau, c->v_count) && case_file_numbers(file, c->qdd, c->v_count) &&
         case_file_numbers(file, &c->energy, 1) && read_vectors(file, c->hinge, c->bodies) && read_nodes(file, c) &&
         case_file_numbers(file, c->compliance, TREE_CASE_ROWS * TREE_CASE_ROWS);
}
