// Collision shapes of links.
#include "robot/urdf_robot.h"

#include "document/mesh.h"

#include "math/vec3.h"

#include <string.h>

// What the hull of a mesh is not.
static ts_status note_hull(ts_urdf_robot *robot, const ts_xml_attribute *file, const ts_mesh *mesh)
{
  static const ts_urdf_repair_kind kinds[] = {[TS_HULL_LARGER] = TS_URDF_HOLLOW_MESH,
                                              [TS_HULL_OF_OPEN] = TS_URDF_OPEN_MESH,
                                              [TS_HULL_OF_TURNED] = TS_URDF_TURNED_MESH};
  const ts_hull_doubt doubt = ts_document_doubt_hull(robot->in, mesh);
  if (doubt.kind == TS_HULL_FITS) return TS_OK;
  return ts_urdf_note_repair(robot, kinds[doubt.kind], ts_urdf_file_name(file->value), file->value_place, doubt.ratio);
}

// *there is false where the mesh is left out.
static ts_status read_mesh(ts_urdf_robot *robot, const ts_xml_element *element, ts_shape *shape, bool *there)
{
  const ts_xml_attribute *file = ts_xml_attribute_of(element, "filename");
  const ts_vec3 scale = ts_urdf_vector(element, "scale", (ts_vec3){1.0, 1.0, 1.0});
  const char *path;
  ts_mesh mesh;
  TS_TRY(ts_urdf_find_mesh(robot, file->value, file->value_place, &path));
  *there = path != NULL;
  if (!*there) return TS_OK;
  TS_TRY(ts_document_read_mesh(robot->in, path, file->value, file->value_place, scale, &mesh));
  TS_TRY(note_hull(robot, file, &mesh));
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

// Files use a ball of radius 0 to say that a link touches at a point; a capsule of length 0 is a ball.
static ts_status read_geometry(ts_urdf_robot *robot, const ts_xml_element *geometry, ts_shape *shape, bool *there)
{
  ts_shape_kind kind;
  const ts_xml_element *element = find_geometry(geometry, &kind);
  if (kind == TS_SHAPE_POLYTOPE) return read_mesh(robot, element, shape, there);
  *shape = (ts_shape){.kind = kind,
                      .size = ts_urdf_vector(element, "size", (ts_vec3){0.0, 0.0, 0.0}),
                      .radius = ts_urdf_number(element, "radius", 0.0),
                      .length = ts_urdf_number(element, "length", 0.0)};
  if (kind == TS_SHAPE_SPHERE && shape->radius == 0.0) shape->kind = TS_SHAPE_POINT;
  if (kind == TS_SHAPE_CAPSULE && shape->length == 0.0) shape->kind = TS_SHAPE_SPHERE;
  return TS_OK;
}

// Does a shape have no inside?
static bool is_empty(const ts_shape *shape)
{
  switch (shape->kind) {
  case TS_SHAPE_BOX:
    return shape->size.x == 0.0 || shape->size.y == 0.0 || shape->size.z == 0.0;
  case TS_SHAPE_CYLINDER:
    return shape->radius == 0.0 || shape->length == 0.0;
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_CAPSULE:
    return shape->radius == 0.0;
  default:
    return false;
  }
}

static ts_status read_shape(ts_urdf_robot *robot, const ts_xml_element *element, int link)
{
  const ts_xml_element *geometry = ts_xml_child(element, "geometry");
  ts_urdf_shape *shape = &robot->shapes[robot->shape_count];
  *shape = (ts_urdf_shape){.element = element, .link = link, .pose = ts_urdf_origin(element)};
  bool there = true;
  TS_TRY(read_geometry(robot, geometry, &shape->shape, &there));
  if (!there) return TS_OK;
  if (is_empty(&shape->shape))
    return ts_urdf_note_repair(robot, TS_URDF_EMPTY_SHAPE, ts_urdf_link_name(robot, link), geometry->place, 0.0);
  ++robot->shape_count;
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
