#include "document/collada_geometry.h"

#include "document/xml_numbers.h"

#include <limits.h>
#include <string.h>

// ---- sources -------------------------------------------------------------------------------------------------------

typedef struct number_array {
  double *values;
  int count;
} number_array;

// The places of a <source>. `numbers` has for each what it is called in the geometry that is being read, if it is in
// that: there the number leads back to the place.
typedef struct source {
  ts_vec3 *places;
  int *numbers;
  int count;
} source;

static ts_status read_array(ts_collada_file *file, ts_collada_entry *entry, const number_array **array)
{
  *array = entry->made;
  if (entry->made) return TS_OK;
  const ts_xml_element *element = entry->element;
  number_array *made = ts_document_take(file->in, sizeof *made);
  TS_TRY(ts_collada_count(file, element, "count", -1, &made->count));
  const ts_xml_numbers numbers = ts_xml_numbers_begin(file->in, element);
  if ((size_t)made->count > ts_xml_numbers_capacity(&numbers))
    return ts_document_fail(file->in, element->place, "the count of 'float_array' is %d, more than it can hold",
                            made->count);
  made->values = ts_arena_doubles(&file->in->arena, (size_t)made->count);
  TS_TRY(ts_xml_numbers_read(file->in, element, made->count, made->values));
  *array = entry->made = made;
  return TS_OK;
}

typedef struct accessor {
  const ts_xml_element *element;
  int count, first, stride;
  int axes[3]; // where x, y and z stand in a group of `stride` numbers
} accessor;

// Numbers of a group are named by its <param>s.
static ts_status read_axes(ts_collada_file *file, accessor *a)
{
  static const char axis_names[] = "XYZ";
  int number = 0;
  for (int k = 0; k < 3; ++k) a->axes[k] = k;
  for (const ts_xml_element *child = a->element->first; child; child = child->next) {
    if (!ts_xml_is(child, "param")) continue;
    const ts_xml_attribute *name = ts_xml_attribute_of(child, "name");
    const char *axis = name && strlen(name->value) == 1 ? strchr(axis_names, name->value[0]) : NULL;
    if (axis) a->axes[axis - axis_names] = number;
    ++number;
  }
  for (int k = 0; k < 3; ++k)
    if (a->axes[k] >= a->stride)
      return ts_document_fail(file->in, a->element->place, "positions have three numbers, but the stride is %d",
                              a->stride);
  return TS_OK;
}

static ts_status read_accessor(ts_collada_file *file, const ts_xml_element *element, accessor *a)
{
  const ts_xml_element *technique = ts_xml_child(element, "technique_common");
  a->element = technique ? ts_xml_child(technique, "accessor") : NULL;
  if (!a->element)
    return ts_document_fail(file->in, element->place, "'source' has no 'accessor' in a 'technique_common'");
  TS_TRY(ts_collada_count(file, a->element, "count", -1, &a->count));
  TS_TRY(ts_collada_count(file, a->element, "offset", 0, &a->first));
  TS_TRY(ts_collada_count(file, a->element, "stride", 1, &a->stride));
  return read_axes(file, a);
}

// Whether the last group ends in the array.
static bool fits(const accessor *a, const number_array *array)
{
  long long last = 0;
  for (int k = 0; k < 3; ++k)
    if (a->axes[k] > last) last = a->axes[k];
  return a->count == 0 || a->first + (long long)a->stride * (a->count - 1) + last < array->count;
}

static ts_status take_places(ts_collada_file *file, const accessor *a, source *made)
{
  ts_collada_entry *entry;
  const number_array *array;
  TS_TRY(ts_collada_find(file, a->element, "source", "float_array", &entry));
  TS_TRY(read_array(file, entry, &array));
  if (!fits(a, array))
    return ts_document_fail(file->in, a->element->place,
                            "'accessor' has %d groups of %d numbers from number %d on, but the array has %d", a->count,
                            a->stride, a->first, array->count);
  if (a->count > TS_COLLADA_MOST - file->places)
    return ts_document_fail(file->in, a->element->place, "the file has more than %d positions", TS_COLLADA_MOST);
  file->places += a->count;
  made->count = a->count;
  made->places = ts_arena_bytes(&file->in->arena, (size_t)a->count, sizeof *made->places);
  made->numbers = ts_arena_ints(&file->in->arena, (size_t)a->count);
  for (int i = 0; i < a->count; ++i) {
    const double *group = array->values + a->first + (size_t)a->stride * (size_t)i;
    made->places[i] = (ts_vec3){group[a->axes[0]], group[a->axes[1]], group[a->axes[2]]};
    made->numbers[i] = 0;
  }
  return TS_OK;
}

static ts_status read_source(ts_collada_file *file, ts_collada_entry *entry, source **made)
{
  *made = entry->made;
  if (entry->made) return TS_OK;
  accessor a;
  *made = ts_document_take(file->in, sizeof **made);
  TS_TRY(read_accessor(file, entry->element, &a));
  TS_TRY(take_places(file, &a, *made));
  entry->made = *made;
  return TS_OK;
}

// ---- inputs --------------------------------------------------------------------------------------------------------

// Triangles, polygons, strips or fans of one material.
typedef struct primitive {
  ts_collada_file *file;
  ts_collada_geometry *geometry;
  const ts_xml_element *element;
  source *positions;
  int offset, stride; // of indices of positions among those of a corner
  bool strip;
  int corners, before[2]; // of the face that is being read: how many were there, and which two the next one joins
} primitive;

static const ts_xml_element *find_input(const ts_xml_element *element, const char *semantic)
{
  for (const ts_xml_element *child = element->first; child; child = child->next) {
    const ts_xml_attribute *found = ts_xml_is(child, "input") ? ts_xml_attribute_of(child, "semantic") : NULL;
    if (found && strcmp(found->value, semantic) == 0) return child;
  }
  return NULL;
}

static ts_status need_input(ts_collada_file *file, const ts_xml_element *element, const char *semantic,
                            const ts_xml_element **input)
{
  *input = find_input(element, semantic);
  if (*input) return TS_OK;
  return ts_document_fail(file->in, element->place, "'%.60s' has no input '%s'", element->name, semantic);
}

// Inputs with the same offset share an index.
static ts_status read_stride(primitive *p)
{
  p->stride = 1;
  for (const ts_xml_element *child = p->element->first; child; child = child->next) {
    int offset;
    if (!ts_xml_is(child, "input")) continue;
    TS_TRY(ts_collada_count(p->file, child, "offset", 0, &offset));
    if (offset == INT_MAX) return ts_document_fail(p->file->in, child->place, "the offset %d is too large", offset);
    if (offset >= p->stride) p->stride = offset + 1;
  }
  return TS_OK;
}

// The positions of a <vertices>.
static ts_status read_vertices(ts_collada_file *file, ts_collada_entry *vertices, source **positions)
{
  const ts_xml_element *input;
  ts_collada_entry *entry;
  *positions = vertices->made;
  if (vertices->made) return TS_OK;
  TS_TRY(need_input(file, vertices->element, "POSITION", &input));
  TS_TRY(ts_collada_find(file, input, "source", "source", &entry));
  TS_TRY(read_source(file, entry, positions));
  vertices->made = *positions;
  return TS_OK;
}

static ts_status read_inputs(primitive *p)
{
  const ts_xml_element *vertex;
  ts_collada_entry *vertices;
  TS_TRY(read_stride(p));
  TS_TRY(need_input(p->file, p->element, "VERTEX", &vertex));
  TS_TRY(ts_collada_count(p->file, vertex, "offset", 0, &p->offset));
  TS_TRY(ts_collada_find(p->file, vertex, "source", "vertices", &vertices));
  return read_vertices(p->file, vertices, &p->positions);
}

// ---- faces ---------------------------------------------------------------------------------------------------------

// The number of a place in the geometry, which gets one at its first use.
static int number_place(primitive *p, int index)
{
  ts_collada_geometry *g = p->geometry;
  int *number = &p->positions->numbers[index];
  const ts_vec3 *place = &p->positions->places[index];
  if (*number < g->vertex_count && g->vertices[*number] == place) return *number;
  g->vertices = ts_collada_extend(p->file, g->vertices, g->vertex_count, 1, &g->vertex_room, sizeof *g->vertices);
  g->vertices[g->vertex_count] = place;
  return *number = g->vertex_count++;
}

static ts_status add_triangle(primitive *p, int a, int b, int c)
{
  ts_collada_geometry *g = p->geometry;
  if (g->triangle_count == TS_COLLADA_MOST)
    return ts_document_fail(p->file->in, p->element->place, "a geometry has more than %d triangles", TS_COLLADA_MOST);
  g->triangles =
      ts_collada_extend(p->file, g->triangles, g->triangle_count, 1, &g->triangle_room, sizeof *g->triangles);
  int *triangle = g->triangles[g->triangle_count++];
  triangle[0] = number_place(p, a);
  triangle[1] = number_place(p, b);
  triangle[2] = number_place(p, c);
  return TS_OK;
}

// The next corner of a face, by the index of its position. A fan keeps its first corner; a strip turns every second
// triangle.
static ts_status add_corner(primitive *p, int corner)
{
  const int earlier = p->before[0], last = p->before[1], n = p->corners++;
  const bool turned = p->strip && n % 2 != 0;
  if (n < 2) {
    p->before[n] = corner;
    return TS_OK;
  }
  if (p->strip) p->before[0] = last;
  p->before[1] = corner;
  return turned ? add_triangle(p, last, earlier, corner) : add_triangle(p, earlier, last, corner);
}

static ts_status read_corner(primitive *p, ts_xml_numbers *numbers)
{
  int corner = 0, other;
  for (int i = 0; i < p->stride; ++i)
    TS_TRY(i == p->offset ? ts_xml_numbers_index(numbers, "the index of a position", p->positions->count, &corner)
                          : ts_xml_numbers_index(numbers, "an index", INT_MAX, &other));
  return add_corner(p, corner);
}

static ts_status read_face(primitive *p, ts_xml_numbers *numbers, int corners)
{
  p->corners = 0;
  for (int i = 0; i < corners; ++i) TS_TRY(read_corner(p, numbers));
  return TS_OK;
}

// All of a <p> is one face.
static ts_status read_whole(primitive *p, const ts_xml_element *list)
{
  ts_xml_numbers numbers = ts_xml_numbers_begin(p->file->in, list);
  p->corners = 0;
  while (ts_xml_numbers_more(&numbers)) TS_TRY(read_corner(p, &numbers));
  return TS_OK;
}

static ts_status check_count(const primitive *p, int found)
{
  int count;
  TS_TRY(ts_collada_count(p->file, p->element, "count", -1, &count));
  if (count == found) return TS_OK;
  return ts_document_fail(p->file->in, p->element->place, "the count of '%.60s' is %d, but there are %d",
                          p->element->name, count, found);
}

static ts_status read_triangles(primitive *p)
{
  int found = 0;
  for (const ts_xml_element *child = p->element->first; child; child = child->next) {
    if (!ts_xml_is(child, "p")) continue;
    ts_xml_numbers numbers = ts_xml_numbers_begin(p->file->in, child);
    for (; ts_xml_numbers_more(&numbers); ++found) TS_TRY(read_face(p, &numbers, 3));
  }
  return check_count(p, found);
}

// Faces of as many corners as <vcount> says, one behind the other in <p>.
static ts_status read_polylist(primitive *p)
{
  const ts_xml_element nothing = {.name = "p", .place = p->element->place};
  const ts_xml_element *counts = ts_xml_child(p->element, "vcount"), *list = ts_xml_child(p->element, "p");
  ts_xml_numbers sizes = ts_xml_numbers_begin(p->file->in, counts ? counts : &nothing);
  ts_xml_numbers numbers = ts_xml_numbers_begin(p->file->in, list ? list : &nothing);
  int found = 0, size;
  for (; ts_xml_numbers_more(&sizes); ++found) {
    TS_TRY(ts_xml_numbers_index(&sizes, "a count of corners", INT_MAX, &size));
    TS_TRY(read_face(p, &numbers, size));
  }
  if (ts_xml_numbers_more(&numbers))
    return ts_document_fail(p->file->in, list->place, "'p' has more corners than 'vcount' says");
  return check_count(p, found);
}

// A <p> a face, or, in a <ph>, a face with holes, which are filled.
static ts_status read_faces(primitive *p)
{
  int found = 0;
  for (const ts_xml_element *child = p->element->first; child; child = child->next) {
    const ts_xml_element *list = ts_xml_is(child, "ph")  ? ts_xml_child(child, "p")
                                 : ts_xml_is(child, "p") ? child
                                                         : NULL;
    if (!list) continue;
    TS_TRY(read_whole(p, list));
    ++found;
  }
  return check_count(p, found);
}

static ts_status read_strips(primitive *p)
{
  p->strip = true;
  return read_faces(p);
}

// ---- geometries ----------------------------------------------------------------------------------------------------

// Anything but these (lines and points, too) has no faces.
static ts_status read_primitive(primitive *p)
{
  static const struct {
    const char *name;
    ts_status (*read)(primitive *p);
  } kinds[] = {{"triangles", read_triangles},
               {"polylist", read_polylist},
               {"polygons", read_faces},
               {"trifans", read_faces},
               {"tristrips", read_strips}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    if (!ts_xml_is(p->element, kinds[i].name)) continue;
    TS_TRY(read_inputs(p));
    return kinds[i].read(p);
  }
  return TS_OK;
}

static ts_status read_mesh(ts_collada_file *file, const ts_xml_element *element, ts_collada_geometry *geometry)
{
  for (const ts_xml_element *child = element->first; child; child = child->next) {
    if (ts_xml_is(child, "convex_mesh"))
      return ts_document_fail(file->in, child->place, "'convex_mesh' is not read; write the hull as a 'mesh'");
    if (!ts_xml_is(child, "mesh")) continue;
    for (const ts_xml_element *part = child->first; part; part = part->next) {
      primitive p = {.file = file, .geometry = geometry, .element = part};
      TS_TRY(read_primitive(&p));
    }
  }
  return TS_OK;
}

ts_status ts_collada_read_geometry(ts_collada_file *file, const ts_xml_element *element,
                                   const ts_collada_geometry **geometry)
{
  ts_collada_entry *entry = ts_collada_entry_of(file, element);
  *geometry = entry ? entry->made : NULL;
  if (*geometry) return TS_OK;
  ts_collada_geometry *made = ts_document_take(file->in, sizeof *made);
  TS_TRY(read_mesh(file, element, made));
  if (entry) entry->made = made;
  *geometry = made;
  return TS_OK;
}
