#include "document/collada.h"

#include "document/collada_geometry.h"
#include "document/collada_place.h"

#include "shape/mesh_places.h"
#include "text/number_text.h"

#include <string.h>

enum { DEEPEST = 128 }; // nodes within one another, those that are named counted with those that lie in it

typedef struct collada_reader {
  ts_collada_file file;
  ts_mesh raw; // vertices and triangles as they come
  int vertex_room, triangle_room;
} collada_reader;

// A node that is being read, and the one that holds it.
typedef struct open_node open_node;
struct open_node {
  const ts_xml_element *element;
  const open_node *outer;
  int depth;
};

// ---- copies of geometries ------------------------------------------------------------------------------------------

static ts_status make_room(collada_reader *reader, const ts_xml_element *element, const ts_collada_geometry *geometry)
{
  ts_mesh *raw = &reader->raw;
  if (geometry->vertex_count > TS_COLLADA_MOST - raw->vertex_count ||
      geometry->triangle_count > TS_COLLADA_MOST - raw->triangle_count)
    return ts_document_fail(reader->file.in, element->place,
                            "with this the file has more than %d vertices or triangles", TS_COLLADA_MOST);
  raw->vertices = ts_collada_extend(&reader->file, raw->vertices, raw->vertex_count, geometry->vertex_count,
                                    &reader->vertex_room, sizeof *raw->vertices);
  raw->triangles = ts_collada_extend(&reader->file, raw->triangles, raw->triangle_count, geometry->triangle_count,
                                     &reader->triangle_room, sizeof *raw->triangles);
  return TS_OK;
}

// `element` is what asks for the geometry. What a mirror turns inside out is turned back.
static ts_status add_geometry(collada_reader *reader, const ts_xml_element *element,
                              const ts_collada_geometry *geometry, const ts_collada_place *place)
{
  ts_mesh *raw = &reader->raw;
  const int first = raw->vertex_count;
  const bool mirrored = ts_collada_place_mirrors(place);
  TS_TRY(make_room(reader, element, geometry));
  for (int i = 0; i < geometry->vertex_count; ++i) {
    const ts_vec3 at = ts_collada_place_apply(place, *geometry->vertices[i]);
    if (!ts_vec3_is_finite(at))
      return ts_document_fail(reader->file.in, element->place, "where this is, coordinates are too large");
    raw->vertices[raw->vertex_count++] = at;
  }
  for (int i = 0; i < geometry->triangle_count; ++i) {
    const int *from = geometry->triangles[i];
    int *to = raw->triangles[raw->triangle_count++];
    to[0] = first + from[0];
    to[1] = first + from[mirrored ? 2 : 1];
    to[2] = first + from[mirrored ? 1 : 2];
  }
  return TS_OK;
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

static ts_status read_node(collada_reader *reader, const ts_xml_element *element, ts_collada_place place,
                           const open_node *outer);

// Copies of copies are cut off here: what is read of them each time is counted in bytes. An element takes as long as
// some thirty of a text, and the search for what a `url` names compares it some twenty times. Files without
// <instance_node> come nowhere near the limit.
static ts_status count_walk(collada_reader *reader, const ts_xml_element *child)
{
  const ts_xml_attribute *url = ts_xml_attribute_of(child, "url");
  size_t bytes = 32 + (url ? 16 * strlen(url->value) : 0);
  for (const ts_xml_text *text = child->first_text; text; text = text->next) bytes += (size_t)(text->end - text->begin);
  reader->file.walk += bytes;
  if (reader->file.walk <= 2 * (size_t)TS_MESH_LARGEST_FILE) return TS_OK;
  return ts_document_fail(reader->file.in, child->place, "nodes of the scene hold too many copies of others");
}

static ts_status read_instance_of_node(collada_reader *reader, const ts_xml_element *element,
                                       const ts_collada_place *place, const open_node *node)
{
  ts_collada_entry *entry;
  TS_TRY(ts_collada_find(&reader->file, element, "url", "node", &entry));
  for (const open_node *open = node; open; open = open->outer)
    if (open->element == entry->element)
      return ts_document_fail(reader->file.in, element->place, "the node '%.100s' holds itself", entry->id);
  return read_node(reader, entry->element, *place, node);
}

static ts_status read_instance_of_geometry(collada_reader *reader, const ts_xml_element *element,
                                           const ts_collada_place *place)
{
  ts_collada_entry *entry;
  const ts_collada_geometry *geometry;
  TS_TRY(ts_collada_find(&reader->file, element, "url", "geometry", &entry));
  TS_TRY(ts_collada_read_geometry(&reader->file, entry->element, &geometry));
  return add_geometry(reader, element, geometry, place);
}

static ts_status read_content(collada_reader *reader, const ts_xml_element *child, const ts_collada_place *place,
                              const open_node *node)
{
  if (ts_xml_is(child, "node")) return read_node(reader, child, *place, node);
  if (ts_xml_is(child, "instance_node")) return read_instance_of_node(reader, child, place, node);
  if (ts_xml_is(child, "instance_geometry")) return read_instance_of_geometry(reader, child, place);
  if (ts_xml_is(child, "instance_controller"))
    return ts_document_fail(reader->file.in, child->place,
                            "'instance_controller', a mesh that bones or weights shape, is not read");
  return TS_OK;
}

static ts_status read_node(collada_reader *reader, const ts_xml_element *element, ts_collada_place place,
                           const open_node *outer)
{
  const open_node node = {element, outer, outer ? outer->depth + 1 : 1};
  if (node.depth > DEEPEST)
    return ts_document_fail(reader->file.in, element->place, "nodes are nested more than %d deep", DEEPEST);
  for (const ts_xml_element *child = element->first; child; child = child->next) TS_TRY(count_walk(reader, child));
  TS_TRY(ts_collada_place_node(reader->file.in, element, &place));
  for (const ts_xml_element *child = element->first; child; child = child->next)
    TS_TRY(read_content(reader, child, &place, &node));
  return TS_OK;
}

// ---- all -----------------------------------------------------------------------------------------------------------

static ts_status read_unit(collada_reader *reader, ts_collada_place *place)
{
  const ts_xml_element *asset = ts_xml_child(reader->file.root, "asset");
  const ts_xml_element *unit = asset ? ts_xml_child(asset, "unit") : NULL;
  const ts_xml_attribute *meter = unit ? ts_xml_attribute_of(unit, "meter") : NULL;
  double size = 1.0;
  if (meter && !(ts_text_is_number(meter->value, &size) && size > 0.0))
    return ts_document_fail(reader->file.in, meter->value_place, "'meter' must be a number greater than 0, not '%.60s'",
                            meter->value);
  *place = (ts_collada_place){.linear = {{size, 0.0, 0.0}, {0.0, size, 0.0}, {0.0, 0.0, size}}};
  return TS_OK;
}

static ts_status read_all_geometries(collada_reader *reader, const ts_collada_place *place)
{
  for (const ts_xml_element *library = reader->file.root->first; library; library = library->next) {
    if (!ts_xml_is(library, "library_geometries")) continue;
    for (const ts_xml_element *child = library->first; child; child = child->next) {
      const ts_collada_geometry *geometry;
      if (!ts_xml_is(child, "geometry")) continue;
      TS_TRY(ts_collada_read_geometry(&reader->file, child, &geometry));
      TS_TRY(add_geometry(reader, child, geometry, place));
    }
  }
  return TS_OK;
}

static ts_status read_scene(collada_reader *reader)
{
  const ts_xml_element *scene = ts_xml_child(reader->file.root, "scene");
  const ts_xml_element *instance = scene ? ts_xml_child(scene, "instance_visual_scene") : NULL;
  ts_collada_entry *shown;
  ts_collada_place place;
  TS_TRY(read_unit(reader, &place));
  if (!instance) return read_all_geometries(reader, &place);
  TS_TRY(ts_collada_find(&reader->file, instance, "url", "visual_scene", &shown));
  for (const ts_xml_element *child = shown->element->first; child; child = child->next)
    if (ts_xml_is(child, "node")) TS_TRY(read_node(reader, child, place, NULL));
  return TS_OK;
}

ts_status ts_collada_parse(ts_document_input *in, const char *text, size_t length, int file, ts_arena *arena,
                           ts_mesh *mesh)
{
  ts_xml_element *root;
  *mesh = (ts_mesh){0};
  TS_TRY(ts_xml_parse(in, text, length, file, &root));
  if (!ts_xml_is(root, "COLLADA"))
    return ts_document_fail(in, root->place, "the root of a COLLADA file is 'COLLADA', not '%.60s'", root->name);
  collada_reader reader = {.file = {.in = in, .root = root}};
  ts_collada_list_ids(&reader.file);
  TS_TRY(read_scene(&reader));
  if (reader.raw.triangle_count == 0) return ts_document_fail(in, root->place, "the file has no triangles");
  ts_mesh_join_places(&reader.raw, true, arena, &in->arena, mesh);
  return TS_OK;
}
