// Collision shapes of links.
#include "robot/urdf_robot.h"

#include "document/mesh.h"

#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

static ts_status read_mesh(ts_urdf_robot *robot, const ts_xml_element *element, ts_shape *shape)
{
  const ts_xml_attribute *file = ts_xml_attribute_of(element, "filename");
  const ts_vec3 scale = ts_urdf_vector(element, "scale", (ts_vec3){1.0, 1.0, 1.0});
  const char *path;
  ts_mesh mesh;
  char what[160];
  TS_TRY(ts_urdf_find_mesh(robot, file->value, file->value_place, &path));
  TS_TRY(ts_document_read_mesh(robot->in, path, file->value, file->value_place, scale, &mesh));
  snprintf(what, sizeof what, "mesh '%.100s'", file->value);
  ts_document_question_hull(robot->in, what, file->value_place, &mesh, "");
  *shape = (ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = mesh.vertices, .vertex_count = mesh.vertex_count};
  return TS_OK;
}

static const ts_xml_element *find_geometry(const ts_xml_element *geometry, ts_shape_kind *kind)
{
  static const struct {
    const char *name;
    ts_shape_kind kind;
  } shapes[] = {{"box", TS_SHAPE_BOX},
                {"cylinder", TS_SHAPE_CYLINDER},
                {"capsule", TS_SHAPE_CAPSULE},
                {"sphere", TS_SHAPE_SPHERE},
                {"mesh", TS_SHAPE_POLYTOPE}};
  const ts_xml_element *found = NULL;
  for (size_t i = 0; !found && i < sizeof shapes / sizeof shapes[0]; ++i) {
    found = ts_xml_child(geometry, shapes[i].name);
    *kind = shapes[i].kind;
  }
  return found;
}

// Files use a ball of radius 0 to say that a link touches at a point.
static ts_status read_geometry(ts_urdf_robot *robot, const ts_xml_element *geometry, ts_shape *shape)
{
  ts_shape_kind kind;
  const ts_xml_element *element = find_geometry(geometry, &kind);
  if (kind == TS_SHAPE_POLYTOPE) return read_mesh(robot, element, shape);
  *shape = (ts_shape){.kind = kind,
                      .size = ts_urdf_vector(element, "size", (ts_vec3){0.0, 0.0, 0.0}),
                      .radius = ts_urdf_number(element, "radius", 0.0),
                      .length = ts_urdf_number(element, "length", 0.0)};
  if (kind == TS_SHAPE_SPHERE && shape->radius == 0.0) shape->kind = TS_SHAPE_POINT;
  return TS_OK;
}

static ts_status read_shape(ts_urdf_robot *robot, const ts_xml_element *element, int link)
{
  const ts_xml_element *geometry = ts_xml_child(element, "geometry");
  ts_urdf_shape *shape = &robot->shapes[robot->shape_count++];
  *shape = (ts_urdf_shape){.element = element, .link = link, .pose = ts_urdf_origin(element)};
  TS_TRY(read_geometry(robot, geometry, &shape->shape));
  const ts_status status = ts_shape_check(&shape->shape, robot->in->error);
  if (status != TS_OK) return ts_document_locate(robot->in, geometry->place, status);
  int pieces;
  shape->convex = ts_convex_pieces(&shape->shape, &robot->in->arena, &pieces);
  if (shape->shape.kind == TS_SHAPE_POLYTOPE) { // of a mesh most points lie inside
    shape->shape.vertices = shape->convex->hull->vertices;
    shape->shape.vertex_count = shape->convex->hull->vertex_count;
  }
  return TS_OK;
}

static int count_collisions(const ts_urdf_robot *robot)
{
  int count = 0;
  for (int i = 0; i < robot->link_count; ++i)
    for (const ts_xml_element *child = robot->links[i].element->first; child; child = child->next)
      count += strcmp(child->name, "collision") == 0;
  return count;
}

ts_status ts_urdf_read_shapes(ts_urdf_robot *robot)
{
  robot->shapes = ts_arena_bytes(&robot->in->arena, (size_t)count_collisions(robot), sizeof *robot->shapes);
  for (int i = 0; i < robot->link_count; ++i) {
    robot->links[i].first_shape = robot->shape_count;
    for (const ts_xml_element *child = robot->links[i].element->first; child; child = child->next)
      if (strcmp(child->name, "collision") == 0) TS_TRY(read_shape(robot, child, i));
    robot->links[i].shape_count = robot->shape_count - robot->links[i].first_shape;
  }
  return TS_OK;
}
