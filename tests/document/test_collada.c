// COLLADA files: one box in every kind of primitive and place, what assimp makes of the same files, files that are
// damaged or meant to do harm, and sentences about what is wrong.
#define _POSIX_C_SOURCE 200809L // popen, truncate

#include "document/collada.h"

#include "counting_allocator.h"
#include "scratch_folder.h"
#include "shared_data.h"
#include "whole_file.h"

#include "document/mesh.h"
#include "touchstone/shape.h"

#include "base/random.h"

#include "math/vec3.h"
#include "shape/mesh_solid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "near.h"

// ---- files ---------------------------------------------------------------------------------------------------------

#define HEAD "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
#define ACCESSOR(attributes, names)                                                                                    \
  "<technique_common><accessor source='#a' " attributes ">" names "</accessor></technique_common>"
#define XYZ "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/>"

// The box 0..1, 0..2, 0..3: bits of a corner's number say where it is.
#define CORNERS  "0 0 0  1 0 0  0 2 0  1 2 0\n0 0 3  1 0 3  0 2 3  1 2 3"
#define VERTICES "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>\n"
#define BOX_CORNERS                                                                                                    \
  "<source id='s'><float_array id='a' count='24'>" CORNERS                                                             \
  "</float_array>" ACCESSOR("count='8' stride='3'", XYZ) "</source>\n" VERTICES
#define VERTEX "<input semantic='VERTEX' source='#v' offset='0'/>"
#define BOX_TRIANGLES                                                                                                  \
  "<triangles count='12'>" VERTEX "<p>0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5</p>"     \
  "</triangles>"

#define FILE_OF(asset, mesh, scene)                                                                                    \
  HEAD "<asset>" asset "</asset>\n<library_geometries><geometry id='box'><mesh>\n" mesh                                \
       "\n</mesh></geometry></library_geometries>\n" scene "</COLLADA>\n"
#define SHOWN(nodes)                                                                                                   \
  "<library_visual_scenes><visual_scene id='w'>\n" nodes "\n</visual_scene></library_visual_scenes>\n"                 \
  "<scene><instance_visual_scene url='#w'/></scene>\n"
#define BOX        "<instance_geometry url='#box'/>"
#define NODE(what) "<node>" what "</node>\n"

#define OF_MESH(mesh)  FILE_OF("", mesh, SHOWN(NODE(BOX)))
#define OF_SCENE(rest) FILE_OF("", BOX_CORNERS BOX_TRIANGLES, rest)

// Quadrilaterals of the box, turned outwards: as corners, and as strips.
#define QUADS(each)      each("0 2 3 1") each("4 5 7 6") each("0 1 5 4") each("2 6 7 3") each("0 4 6 2") each("1 3 7 5")
#define STRIPS(each)     each("0 2 1 3") each("4 5 6 7") each("0 1 4 5") each("2 6 3 7") each("0 4 2 6") each("1 3 5 7")
#define IN_P(corners)    "<p>" corners "</p>"
#define IN_PH(corners)   "<ph><p>" corners "</p><h>0 1 2</h></ph>"
#define IN_LINE(corners) corners " "

typedef struct solid {
  const char *name, *text;
  double volume;
  ts_vec3 low, high;
  const char *unlike_assimp; // why assimp 5.2 reads it otherwise, or not at all
} solid;

#define BOX_RESULT                                                                                                     \
  6.0, {0, 0, 0},                                                                                                      \
  {                                                                                                                    \
    1, 2, 3                                                                                                            \
  }
static const solid primitives[] = {
    {"triangles", OF_MESH(BOX_CORNERS BOX_TRIANGLES), BOX_RESULT, NULL},
    {"triangles of two materials",
     OF_MESH(BOX_CORNERS "<triangles count='7'>" VERTEX "<p>0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3</p></triangles>\n"
                         "<triangles count='5'>" VERTEX
                         "<p>3 6 7 0 4 2 2 4 6 1 3 5 3 7 5</p></triangles><triangles count='0'>" VERTEX "</triangles>"),
     BOX_RESULT, NULL},
    {"a polylist",
     OF_MESH(BOX_CORNERS "<polylist count='6'>" VERTEX
                         "<vcount>4 4 4 4 4 4</vcount><p>" QUADS(IN_LINE) "</p></polylist>"),
     BOX_RESULT, NULL},
    {"a polylist of triangles and quadrilaterals",
     OF_MESH(BOX_CORNERS "<polylist count='7'>" VERTEX
                         "<vcount>3 3 4 4 4 4 4</vcount><p>0 2 1 1 2 3 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p>"
                         "</polylist>"),
     BOX_RESULT, NULL},
    {"polygons", OF_MESH(BOX_CORNERS "<polygons count='6'>" VERTEX QUADS(IN_P) "</polygons>"), BOX_RESULT, NULL},
    {"polygons with holes", OF_MESH(BOX_CORNERS "<polygons count='6'>" VERTEX QUADS(IN_PH) "</polygons>"), BOX_RESULT,
     "it reads no holes"},
    {"fans", OF_MESH(BOX_CORNERS "<trifans count='6'>" VERTEX QUADS(IN_P) "</trifans>"), BOX_RESULT, NULL},
    {"strips", OF_MESH(BOX_CORNERS "<tristrips count='6'>" VERTEX STRIPS(IN_P) "</tristrips>"), BOX_RESULT, NULL},
    {"a long strip and its ends",
     OF_MESH(BOX_CORNERS "<tristrips count='1'>" VERTEX "<p>0 1 4 5 6 7 2 3 0 1</p></tristrips>"
                         "<polylist count='2'>" VERTEX "<vcount>4 4</vcount><p>0 4 6 2 1 3 7 5</p></polylist>"),
     BOX_RESULT, NULL},
    {"several primitives, lines and points among them",
     OF_MESH("<source id='far'><float_array id='n' count='3'>9 9 9</float_array></source>" BOX_CORNERS
             "<lines count='1'>" VERTEX "<p>0 7</p></lines>"
             "<triangles count='2'>" VERTEX "<p>0 2 1 1 2 3</p></triangles><trifans count='1'>" VERTEX
             "<p>4 5 7 6</p></trifans>"
             "<polylist count='4'>" VERTEX "<vcount>4 4 4 4</vcount><p>0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p></polylist>"),
     BOX_RESULT, NULL},
    {"inputs with offsets",
     OF_MESH(
         "<source id='n'><float_array id='m' count='3'>0 0 1</float_array>"
         "<technique_common><accessor source='#m' count='1' stride='3'>" XYZ
         "</accessor></technique_common></source>" BOX_CORNERS
         "<triangles count='12'><input semantic='NORMAL' source='#n' offset='0'/>"
         "<input semantic='VERTEX' source='#v' offset='1'/>"
         "<p>0 0 0 2 0 1 0 1 0 2 0 3 0 4 0 5 0 6 0 5 0 7 0 6 0 0 0 1 0 4 0 1 0 5 0 4 0 2 0 6 0 3 0 3 0 6 0 7 0 0 0 4 "
         "0 2 0 2 0 4 0 6 0 1 0 3 0 5 0 3 0 7 0 5</p></triangles>"),
     BOX_RESULT, NULL},
    {"positions in groups of five",
     OF_MESH(
         "<source id='s'><float_array id='a' count='41'>-1 8 0 0 0 8 8 1 0 0 8 8 0 2 0 8 8 1 2 0 8 8 0 0 3 8 8 1 0 3 "
         "8 8 0 2 3 8 8 1 2 3 8</float_array>" ACCESSOR("count='8' offset='1' stride='5'",
                                                        "<param type='float'/>" XYZ
                                                        "<param type='float'/>") "</source>\n" VERTICES BOX_TRIANGLES),
     BOX_RESULT, NULL},
    {"parameters in another order",
     OF_MESH("<source id='s'><float_array id='a' count='24'>0 0 0 0 0 1 0 2 0 0 2 1 3 0 0 3 0 1 3 2 0 3 2 "
             "1</float_array>" ACCESSOR("count='8' stride='3'",
                                        "<param name='Z' type='float'/><param name='Y' type='float'/><param "
                                        "name='X' type='float'/>") "</source>\n" VERTICES BOX_TRIANGLES),
     BOX_RESULT, NULL},
    {"parameters without names",
     OF_MESH("<source id='s'><float_array id='a' count='24'>" CORNERS "</float_array>" ACCESSOR(
         "count='8' stride='3'",
         "<param type='float'/><param type='float'/><param type='float'/>") "</source>\n" VERTICES BOX_TRIANGLES),
     BOX_RESULT, "it makes points of them"},
    {"comments and CDATA between numbers",
     OF_MESH(
         "<source id='s'><float_array id='a' count='24'><!-- x -->0 0 0 1 0 0<!-- y -->\n<![CDATA[0 2 0 1 2 0 0 0 3 1 "
         "0 3]]> 0 2 3 1 2 3<!-- z --></float_array>" ACCESSOR("count='8' stride='3'",
                                                               XYZ) "</source>\n" VERTICES BOX_TRIANGLES),
     BOX_RESULT, "it reads one text of an element"},
    {"places that are listed twice and never",
     OF_MESH("<source id='s'><float_array id='a' count='36'>" CORNERS
             " 7 7 7 1 2 3 0 0 0 -5 0 0</float_array>" ACCESSOR(
                 "count='12' stride='3'",
                 XYZ) "</source>\n" VERTICES "<triangles count='12'>" VERTEX
                      "<p>10 2 1 1 2 3 4 5 6 5 9 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5</p></triangles>"),
     BOX_RESULT, NULL},
};

#define LIBRARY                                                                                                        \
  "<library_nodes><node id='pair'>" BOX "<node><translate>10 0 0</translate>" BOX "</node></node></library_nodes>\n"

static const solid scenes[] = {
    {"no scene", OF_SCENE(""), BOX_RESULT, "it asks for a scene"},
    {"a scene that shows nothing of its own", OF_SCENE("<scene/>"), BOX_RESULT, "it asks for a scene"},
    {"cameras and lights",
     OF_SCENE("<library_lights><light id='sun'/></library_lights>" SHOWN(
         "<node><translate>5 5 5</translate><instance_light url='#sun'/><instance_camera url='#none'/></node>" NODE(
             BOX))),
     BOX_RESULT, NULL},
    {"translate and rotate",
     OF_SCENE(SHOWN(NODE("<translate>1 2 3</translate><rotate>0 0 1 90</rotate>" BOX))),
     6.0,
     {-1, 2, 3},
     {1, 3, 6},
     NULL},
    {"rotate and translate",
     OF_SCENE(SHOWN(NODE("<rotate>0 0 1 90</rotate><translate>1 2 3</translate>" BOX))),
     6.0,
     {-4, 1, 3},
     {-2, 2, 6},
     NULL},
    {"rotate about a long axis, and once around",
     OF_SCENE(SHOWN(NODE("<rotate>0 0 -2 270</rotate><rotate>1 2 3 720</rotate>" BOX))),
     6.0,
     {-2, 0, 0},
     {0, 1, 3},
     "it takes the length of an axis for a factor"},
    {"rotate about no axis by nothing", OF_SCENE(SHOWN(NODE("<rotate>0 0 0 0</rotate>" BOX))), BOX_RESULT, NULL},
    {"scale", OF_SCENE(SHOWN(NODE("<scale>2 3 0.5</scale>" BOX))), 18.0, {0, 0, 0}, {2, 6, 1.5}, NULL},
    {"mirror",
     OF_SCENE(SHOWN(NODE("<scale>2 3 -1</scale>" BOX))),
     36.0,
     {0, 0, -3},
     {2, 6, 0},
     "it leaves mirrored faces inside out"},
    {"a matrix",
     OF_SCENE(SHOWN(NODE("<matrix>0.5 0 0 1\n0 0 -0.5 2\n0 0.5 0 3\n0 0 0 1</matrix>" BOX))),
     0.75,
     {1, 0.5, 3},
     {1.5, 2, 4},
     NULL},
    {"a shear",
     OF_SCENE(SHOWN(NODE("<matrix>1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>" BOX))),
     6.0,
     {0, 0, 0},
     {3, 2, 3},
     NULL},
    {"lookat", OF_SCENE(SHOWN(NODE("<lookat>1 2 3 5 2 3 0 0 2</lookat>" BOX))), 6.0, {-2, 1, 3}, {1, 2, 5}, NULL},
    {"lookat that leans",
     OF_SCENE(SHOWN(NODE("<lookat>1 2 3 5 2 3 1 0 2</lookat>" BOX))),
     6.0,
     {-2, 1, 3},
     {1, 2, 5},
     "it leaves the box askew"},
    {"nodes in nodes",
     OF_SCENE(SHOWN("<node><scale>2 2 2</scale><node><translate>1 0 0</translate><node><rotate>1 0 0 90</rotate>" BOX
                    "</node></node></node>")),
     48.0,
     {2, -6, 0},
     {4, 0, 4},
     NULL},
    {"transformations behind what they move",
     OF_SCENE(SHOWN(NODE(BOX "<translate>1 0 0</translate>"))),
     6.0,
     {1, 0, 0},
     {2, 2, 3},
     NULL},
    {"two copies",
     OF_SCENE(SHOWN(NODE(BOX) NODE("<translate>10 0 0</translate>" BOX))),
     12.0,
     {0, 0, 0},
     {11, 2, 3},
     NULL},
    {"two copies of a pair",
     OF_SCENE(LIBRARY SHOWN("<node id='n'><instance_node url='#pair'/></node><node><translate>0 10 "
                            "0</translate><instance_node url='#pair'/></node>")),
     24.0,
     {0, 0, 0},
     {11, 12, 3},
     NULL},
    {"a copy and its mirror image",
     OF_SCENE(SHOWN(NODE(BOX) NODE("<translate>20 0 0</translate><scale>-1 1 1</scale>" BOX))),
     12.0,
     {0, 0, 0},
     {20, 2, 3},
     "it leaves mirrored faces inside out"},
    {"millimetres",
     FILE_OF("<unit name='millimeter' meter='0.001'/>", BOX_CORNERS BOX_TRIANGLES, SHOWN(NODE(BOX))),
     6e-9,
     {0, 0, 0},
     {1e-3, 2e-3, 3e-3},
     NULL},
    {"millimetres without a scene",
     FILE_OF("<unit meter='1e-3'/>", BOX_CORNERS BOX_TRIANGLES, ""),
     6e-9,
     {0, 0, 0},
     {1e-3, 2e-3, 3e-3},
     "it asks for a scene"},
    {"inches that are moved",
     FILE_OF("<unit name='inch' meter='0.0254'/>", BOX_CORNERS BOX_TRIANGLES,
             SHOWN(NODE("<translate>1 0 0</translate>" BOX))),
     6.0 * 0.0254 * 0.0254 * 0.0254,
     {0.0254, 0, 0},
     {0.0508, 0.0508, 0.0762},
     NULL},
    {"a unit without a size", FILE_OF("<unit name='meter'/>", BOX_CORNERS BOX_TRIANGLES, SHOWN(NODE(BOX))), BOX_RESULT,
     NULL},
    {"up is x", FILE_OF("<up_axis>X_UP</up_axis>", BOX_CORNERS BOX_TRIANGLES, SHOWN(NODE(BOX))), BOX_RESULT, NULL},
    {"up is y", FILE_OF("<up_axis>Y_UP</up_axis>", BOX_CORNERS BOX_TRIANGLES, SHOWN(NODE(BOX))), BOX_RESULT, NULL},
    {"up is z", FILE_OF("<up_axis>Z_UP</up_axis>", BOX_CORNERS BOX_TRIANGLES, SHOWN(NODE(BOX))), BOX_RESULT, NULL},
};

// ---- reading -------------------------------------------------------------------------------------------------------

typedef struct reading {
  ts_document_input in;
  ts_error error;
  ts_status status;
  ts_mesh mesh;
  ts_arena arena;
} reading;

// The text is copied to memory of exactly its size, so that reading past its end is seen.
static void read_bytes_of(reading *r, const char *text, size_t length)
{
  jmp_buf recovery;
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  r->error = (ts_error){0};
  ts_document_input_init(&r->in, NULL, &r->error);
  ts_arena_init(&r->arena, NULL);
  r->in.arena.recovery = r->arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_document_add_file(&r->in, "test.dae");
  r->status = ts_collada_parse(&r->in, exact, length, 0, &r->arena, &r->mesh);
  ts_document_input_release(&r->in);
  free(exact);
}

static void read_text_of(reading *r, const char *text)
{
  read_bytes_of(r, text, strlen(text));
}

static void end_reading(reading *r)
{
  ts_arena_release(&r->arena);
}

// ---- measures ------------------------------------------------------------------------------------------------------

typedef struct measures {
  double volume, hull; // of the mesh by its faces, and of its hull; of an open one, from the middle of its box
  ts_vec3 low, high;
} measures;

// Vertices of lines are none: assimp lists them too.
static int vertices_of_triangles(const ts_mesh *mesh, ts_vec3 *vertices)
{
  char *used = calloc((size_t)mesh->vertex_count, 1);
  int count = 0;
  for (int i = 0; i < 3 * mesh->triangle_count; ++i) used[mesh->triangles[i / 3][i % 3]] = 1;
  for (int i = 0; i < mesh->vertex_count; ++i)
    if (used[i]) vertices[count++] = mesh->vertices[i];
  free(used);
  return count;
}

static void measure_box(const ts_vec3 *vertices, int count, measures *m)
{
  m->low = (ts_vec3){INFINITY, INFINITY, INFINITY};
  m->high = ts_negate(m->low);
  for (int i = 0; i < count; ++i) {
    const ts_vec3 v = vertices[i];
    m->low = (ts_vec3){fmin(m->low.x, v.x), fmin(m->low.y, v.y), fmin(m->low.z, v.z)};
    m->high = (ts_vec3){fmax(m->high.x, v.x), fmax(m->high.y, v.y), fmax(m->high.z, v.z)};
  }
}

static measures measure(const ts_mesh *mesh)
{
  measures m = {0};
  ts_vec3 *vertices = malloc((size_t)mesh->vertex_count * sizeof *vertices);
  const int count = vertices_of_triangles(mesh, vertices);
  measure_box(vertices, count, &m);
  const ts_vec3 middle = ts_scale(0.5, ts_add(m.low, m.high));
  for (int i = 0; i < mesh->triangle_count; ++i) {
    const int *t = mesh->triangles[i];
    const ts_vec3 a = ts_sub(mesh->vertices[t[0]], middle), b = ts_sub(mesh->vertices[t[1]], middle);
    m.volume += ts_dot(a, ts_cross(b, ts_sub(mesh->vertices[t[2]], middle))) / 6.0;
  }
  const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = vertices, .vertex_count = count};
  ts_mass_properties mass;
  assert_int_equal(ts_shape_mass_properties(&shape, &mass, NULL), TS_OK);
  m.hull = mass.volume;
  free(vertices);
  return m;
}

static double largest_difference(ts_vec3 a, ts_vec3 b)
{
  return fmax(fmax(fabs(a.x - b.x), fabs(a.y - b.y)), fabs(a.z - b.z));
}

// Largest relative difference of volumes and box.
static double compare(const measures *a, const measures *b)
{
  const double size = ts_distance_of(b->low, b->high);
  const double box = fmax(largest_difference(a->low, b->low), largest_difference(a->high, b->high)) / size;
  const double hull = fabs(a->hull - b->hull) / b->hull, volume = fabs(a->volume - b->volume) / fabs(b->volume);
  return fmax(box, fmax(hull, volume));
}

static void assert_solid(const solid *s)
{
  reading r;
  read_text_of(&r, s->text);
  if (r.status != TS_OK) fail_msg("%s: %d:%d: %s", s->name, r.error.line, r.error.column, r.error.text);
  const ts_mesh_solid closed = ts_mesh_measure(&r.mesh, &r.arena);
  const measures m = measure(&r.mesh), expected = {s->volume, m.hull, s->low, s->high};
  if (closed.open_edges != 0 || r.mesh.vertex_count % 8 != 0 || compare(&m, &expected) > 1e-14)
    fail_msg("%s: %d open edges, %d vertices, volume %g, from %g %g %g to %g %g %g", s->name, closed.open_edges,
             r.mesh.vertex_count, m.volume, m.low.x, m.low.y, m.low.z, m.high.x, m.high.y, m.high.z);
  end_reading(&r);
}

static void every_primitive(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof primitives / sizeof *primitives; ++i) assert_solid(&primitives[i]);
}

static void every_place(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) assert_solid(&scenes[i]);
}

// Two boxes, and two twice as long. Everything is in decimetres.
static void every_element(void **state)
{
  (void)state;
  char *text = read_text(TEST_DATA "/collada/every_element.dae");
  assert_solid(&(solid){"every element", text, 0.036, {-0.2, -1.2, 0}, {1.1, 1, 0.3}, NULL});
  free(text);
}

// Pieces that touch are told apart by the vertices of the file, copies among them.
static void copies_are_pieces(void **state)
{
  (void)state;
  reading r;
  int pieces;
  read_text_of(&r, OF_SCENE(SHOWN(NODE(BOX) NODE("<translate>1 0 0</translate>" BOX))));
  assert_int_equal(r.status, TS_OK);
  assert_int_equal(r.mesh.vertex_count, 12);
  assert_non_null(ts_mesh_pieces(&r.mesh, &r.arena, &pieces));
  assert_int_equal(pieces, 2);
  end_reading(&r);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

typedef struct refusal {
  const char *text;
  int line;
  const char *fragment;
} refusal;

// The mesh begins in line 5 of a file.
#define TRIANGLES(attributes, p) OF_MESH(BOX_CORNERS "<triangles " attributes ">" VERTEX "<p>" p "</p></triangles>")
#define SOURCE(array, accessor)  OF_MESH("<source id='s'>\n" array "\n" accessor "</source>\n" VERTICES BOX_TRIANGLES)
#define ARRAY                    "<float_array id='a' count='24'>" CORNERS "</float_array>"
#define EIGHT                    ACCESSOR("count='8' stride='3'", XYZ)
#define POLYLIST(counts, p)                                                                                            \
  OF_MESH(BOX_CORNERS "<polylist count='2'>" VERTEX "\n<vcount>" counts "</vcount>\n<p>" p "</p></polylist>")

static const refusal refusals[] = {
    {"", 1, "no element"},
    {"<robot/>", 1, "the root of a COLLADA file is 'COLLADA', not 'robot'"},
    {"<COLLADA>", 1, "the file ends before '</COLLADA>'"},
    {"<COLLADA><asset></COLLADA>", 1, "does not close '<asset>'"},
    {"<!DOCTYPE x><COLLADA/>", 1, "DOCTYPE"},
    {"<COLLADA/>", 1, "no triangles"},
    {OF_MESH(BOX_CORNERS "<lines count='1'>" VERTEX "<p>0 7</p></lines>"), 2, "no triangles"},
    {OF_SCENE(SHOWN("<node/>")), 2, "no triangles"},
    {FILE_OF("<unit meter='0'/>", BOX_CORNERS BOX_TRIANGLES, ""), 3,
     "'meter' must be a number greater than 0, not '0'"},
    {FILE_OF("<unit meter='nan'/>", BOX_CORNERS BOX_TRIANGLES, ""), 3, "not 'nan'"},
    // inputs
    {OF_MESH(BOX_CORNERS "<triangles count='1'><p>0 1 2</p></triangles>"), 8, "'triangles' has no input 'VERTEX'"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' offset='0'/></triangles>"), 8,
     "'input' has no attribute 'source'"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='v'/></triangles>"), 8,
     "'v' does not begin with '#'"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='other.dae#v'/></triangles>"), 8,
     "only what stands in this file is read"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='#s'/></triangles>"), 8,
     "there is no 'vertices' with the id 's'"},
    {OF_MESH(BOX_CORNERS VERTICES BOX_TRIANGLES), 9, "there are several 'vertices' with the id 'v'"},
    {OF_MESH("<vertices id='v'/>" BOX_TRIANGLES), 5, "'vertices' has no input 'POSITION'"},
    {OF_MESH(VERTICES BOX_TRIANGLES), 5, "there is no 'source' with the id 's'"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='#v' offset='-1'/></triangles>"), 8,
     "'offset' must be a whole number from 0 on, not '-1'"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='#v' offset='2147483647'/></triangles>"),
     8, "too large"},
    {OF_MESH(BOX_CORNERS "<triangles count='1'><input semantic='VERTEX' source='#v' offset='1000000'/><p>0 1</p>"
                         "</triangles>"),
     8, "'p' ends where a number should be"},
    // sources
    {SOURCE(ARRAY, ""), 5, "'source' has no 'accessor' in a 'technique_common'"},
    {SOURCE("", EIGHT), 7, "there is no 'float_array' with the id 'a'"},
    {SOURCE(ARRAY, ACCESSOR("stride='3'", XYZ)), 8, "'accessor' has no attribute 'count'"},
    {SOURCE(ARRAY, ACCESSOR("count='8'", XYZ)), 8, "positions have three numbers, but the stride is 1"},
    {SOURCE(ARRAY, ACCESSOR("count='8' stride='3'", "<param/>" XYZ)), 8, "but the stride is 3"},
    {SOURCE(ARRAY, ACCESSOR("count='9' stride='3'", XYZ)), 8,
     "9 groups of 3 numbers from number 0 on, but the array has 24"},
    {SOURCE(ARRAY, ACCESSOR("count='8' stride='3' offset='1'", XYZ)), 8, "from number 1 on"},
    {SOURCE(ARRAY, ACCESSOR("count='2147483647' stride='2147483647' offset='2147483647'", XYZ)), 8,
     "2147483647 groups of"},
    {SOURCE(ARRAY, ACCESSOR("count='99999999999' stride='3'", XYZ)), 8,
     "'count' must be a whole number from 0 on, not"},
    {SOURCE(ARRAY, ACCESSOR("count='8.5' stride='3'", XYZ)), 8, "'count' must be a whole number from 0 on, not"},
    {SOURCE(ARRAY, ACCESSOR("count='8 9' stride='3'", XYZ)), 8, "not '8 9'"},
    {SOURCE(ARRAY, ACCESSOR("count='' stride='3'", XYZ)), 8, "not ''"},
    {SOURCE("<float_array id='a'>" CORNERS "</float_array>", EIGHT), 6, "'float_array' has no attribute 'count'"},
    {SOURCE("<float_array id='a' count='23'>" CORNERS "</float_array>", EIGHT), 6, "more than 23 numbers"},
    {SOURCE("<float_array id='a' count='25'>" CORNERS "</float_array>", EIGHT), 6, "ends where a number should be"},
    {SOURCE("<float_array id='a' count='2000000000'>" CORNERS "</float_array>", EIGHT), 6,
     "the count of 'float_array' is 2000000000, more than it can hold"},
    {SOURCE("<float_array id='a' count='24'/>", EIGHT), 6, "more than it can hold"},
    {SOURCE("<float_array id='a' count='24'>0 0 0 1 0 0 0 2 0\n1 nan 0 0 0 3 1 0 3 0 2 3 1 2 3</float_array>", EIGHT),
     7, "not finite"},
    {SOURCE("<float_array id='a' count='24'>0 0 0 1 0 0 0 2 0\n1 -INF 0 0 0 3 1 0 3 0 2 3 1 2 3</float_array>", EIGHT),
     7, "not finite"},
    {SOURCE("<float_array id='a' count='24'>0 0 0 1 0 0 0 2 0\n1 1e999 0 0 0 3 1 0 3 0 2 3 1 2 3</float_array>", EIGHT),
     7, "too large"},
    {SOURCE("<float_array id='a' count='24'>0 0 0 1 0 0 0 2 0\n1 &#50; 0 0 0 3 1 0 3 0 2 3 1 2 3</float_array>", EIGHT),
     7, "\"&#50;\" stands where"},
    {SOURCE("<float_array id='a' count='24'>0 0 0 1 0 0 0 2 0\n1,5 2 0 0 0 3 1 0 3 0 2 3 1 2 3</float_array>", EIGHT),
     7, "\"1,5\" stands where"},
    // indices
    {TRIANGLES("count='1'", "0 1\n8"), 9, "the index of a position is 8, but there are 8"},
    {TRIANGLES("count='1'", "0 1\n\n-1"), 10, "the index of a position is -1, it must be at least 0"},
    {TRIANGLES("count='1'", "0 1 99999999999"), 8, "the index of a position (a whole number) should be"},
    {TRIANGLES("count='1'", "0 1 2.0"), 8, "\"2.0\" stands where"},
    {TRIANGLES("count='1'", "0 1"), 8, "'p' ends where a number should be"},
    {TRIANGLES("count='1'", "0 1 2 3"), 8, "'p' ends where a number should be"},
    {TRIANGLES("count='2'", "0 1 2"), 8, "the count of 'triangles' is 2, but there are 1"},
    {TRIANGLES("count='1'", "0 1 2 0 1 2"), 8, "is 1, but there are 2"},
    {TRIANGLES("count='2000000000'", "0 1 2"), 8, "is 2000000000, but there are 1"},
    {TRIANGLES("", "0 1 2"), 8, "'triangles' has no attribute 'count'"},
    {TRIANGLES("count='1'", ""), 8, "is 1, but there are 0"},
    {OF_MESH(BOX_CORNERS "<polylist count='2'>" VERTEX "<vcount>3 3</vcount></polylist>"), 8, "'p' ends where"},
    {OF_MESH(BOX_CORNERS "<polylist count='2'>" VERTEX "\n<p>0 1 2</p></polylist>"), 9,
     "more corners than 'vcount' says"},
    {POLYLIST("3 3", "0 1 2 3 4"), 10, "'p' ends where"},
    {POLYLIST("3 2000000000", "0 1 2 3 4"), 10, "'p' ends where"},
    {POLYLIST("3 -3", "0 1 2 3 4"), 9, "a count of corners is -3"},
    {POLYLIST("3 3", "0 1 2 3 4 5 6"), 10, "more corners than 'vcount' says"},
    {POLYLIST("3 3 3", "0 1 2 3 4 5 6 7 0"), 8, "is 2, but there are 3"},
    {OF_MESH(BOX_CORNERS "<tristrips count='2'>" VERTEX "<p>0 1 2 3</p></tristrips>"), 8,
     "the count of 'tristrips' is 2, but there are 1"},
    {OF_MESH(BOX_CORNERS "<polygons count='1'>" VERTEX "<ph><h>0 1 2</h></ph></polygons>"), 8, "but there are 0"},
    {HEAD "<library_geometries><geometry><convex_mesh convex_hull_of='#x'/></geometry></library_geometries></COLLADA>",
     3, "'convex_mesh' is not read"},
    // scenes
    {OF_SCENE("<scene><instance_visual_scene/></scene>"), 10, "'instance_visual_scene' has no attribute 'url'"},
    {OF_SCENE("<scene><instance_visual_scene url='#w'/></scene>"), 10, "there is no 'visual_scene' with the id 'w'"},
    {OF_SCENE(SHOWN(NODE("<instance_geometry url='#ball'/>"))), 11, "there is no 'geometry' with the id 'ball'"},
    {OF_SCENE(SHOWN(NODE("<instance_node url='#box'/>"))), 11, "there is no 'node' with the id 'box'"},
    {OF_SCENE(SHOWN(NODE("<instance_controller url='#skin'/>"))), 11, "'instance_controller'"},
    {OF_SCENE(SHOWN(NODE("<skew>45 0 1 0 1 0 0</skew>" BOX))), 11, "'skew' is not read"},
    {OF_SCENE(SHOWN(NODE("<translate>1 2</translate>" BOX))), 11, "'translate' ends where a number should be"},
    {OF_SCENE(SHOWN(NODE("<translate/>" BOX))), 11, "'translate' ends where a number should be"},
    {OF_SCENE(SHOWN(NODE("<scale>1 2 3 4</scale>" BOX))), 11, "'scale' has more than 3 numbers"},
    {OF_SCENE(SHOWN(NODE("<rotate>0 0 0 90</rotate>" BOX))), 11, "'rotate' has no axis"},
    {OF_SCENE(SHOWN(NODE("<lookat>1 2 3 1 2 3 0 0 1</lookat>" BOX))), 11, "'lookat' has no direction"},
    {OF_SCENE(SHOWN(NODE("<lookat>0 0 0 0 0 1 0 0 1</lookat>" BOX))), 11, "'lookat' has no direction"},
    {OF_SCENE(SHOWN(NODE("<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>" BOX))), 11, "last row"},
    {OF_SCENE(SHOWN(NODE("<scale>1e300 1 1</scale><scale>1e300 1 1</scale>" BOX))), 11, "too large"},
    {OF_SCENE(SHOWN("<node id='a'><node><instance_node url='#a'/></node></node>")), 11, "the node 'a' holds itself"},
    {OF_SCENE(SHOWN("<node id='a'>\n<instance_node url='#b'/></node>"
                    "<node id='b'>\n<instance_node url='#c'/></node><node id='c'>\n<instance_node url='#a'/></node>")),
     14, "the node 'a' holds itself"},
};

static void refused_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
    const refusal *f = &refusals[i];
    reading r;
    read_text_of(&r, f->text);
    if (r.status != TS_INVALID || r.error.line != f->line || r.error.column < 1 || !strstr(r.error.text, f->fragment))
      fail_msg("%zu (%s): %d:%d: %s", i, f->fragment, r.error.line, r.error.column, r.error.text);
    assert_null(r.mesh.vertices);
    end_reading(&r);
  }
}

// Where in its line the trouble is.
static void places_of_numbers(void **state)
{
  (void)state;
  reading r;
  read_text_of(&r, "<COLLADA><library_geometries><geometry><mesh>" BOX_CORNERS "<triangles count='1'>" VERTEX
                   "<p>0 1 9</p></triangles></mesh></geometry></library_geometries>"
                   "</COLLADA>");
  const char last_line[] = "<triangles count='1'>" VERTEX "<p>0 1 ";
  assert_int_equal(r.error.line, 4);
  assert_int_equal(r.error.column, (int)sizeof last_line);
  end_reading(&r);
}

// ---- harm ----------------------------------------------------------------------------------------------------------

// `count` nodes, each with `copies` of the next one; the last holds a box.
static char *make_tower(int count, int copies)
{
  char *text = malloc((size_t)count * (size_t)(60 + 40 * copies) + 4000);
  size_t n = (size_t)sprintf(text, "%s", FILE_OF("", BOX_CORNERS BOX_TRIANGLES, ""));
  n -= strlen("</COLLADA>\n");
  n += (size_t)sprintf(text + n, "<library_nodes><node id='n0'>" BOX "</node>\n");
  for (int i = 1; i < count; ++i) {
    n += (size_t)sprintf(text + n, "<node id='n%d'>", i);
    for (int k = 0; k < copies; ++k) n += (size_t)sprintf(text + n, "<instance_node url='#n%d'/>", i - 1);
    n += (size_t)sprintf(text + n, "</node>\n");
  }
  sprintf(text + n, "</library_nodes>" SHOWN("<node><instance_node url='#n%d'/></node>") "</COLLADA>", count - 1);
  return text;
}

static void assert_tower(int count, int copies, const char *refused)
{
  reading r;
  char *text = make_tower(count, copies);
  read_text_of(&r, text);
  if (refused && (r.status != TS_INVALID || !strstr(r.error.text, refused))) fail_msg("%s", r.error.text);
  if (!refused) assert_int_equal(r.status, TS_OK);
  free(text);
  end_reading(&r);
}

static void copies_of_copies_are_bounded(void **state)
{
  (void)state;
  assert_tower(5, 4, NULL);
  assert_tower(100, 1, NULL);
  assert_tower(1000, 1, "nested more than 128 deep");
  assert_tower(100, 2, "vertices or triangles");
  assert_tower(30, 5, "vertices or triangles");
}

// The same where the copies hold nothing.
static void copies_of_nothing_are_bounded(void **state)
{
  (void)state;
  reading r;
  char *text = make_tower(100, 2);
  memcpy(strstr(text, "<instance_geometry"), "<instance_nothing_", strlen("<instance_geometry"));
  read_text_of(&r, text);
  assert_int_equal(r.status, TS_INVALID);
  assert_non_null(strstr(r.error.text, "too many copies"));
  free(text);
  end_reading(&r);
}

// Many primitives share many positions: what is read once takes a moment, what is read anew for each takes minutes.
static void many_primitives_share_positions(void **state)
{
  (void)state;
  enum { PRIMITIVES = 20000, POSITIONS = 100000 };
  char *text = malloc(PRIMITIVES * 150 + POSITIONS * 8 + 4000);
  size_t n = (size_t)sprintf(text,
                             HEAD "<library_geometries><geometry id='box'><mesh><source id='s'>"
                                  "<float_array id='a' count='%d'>" CORNERS,
                             3 * POSITIONS);
  for (int i = 8; i < POSITIONS; ++i) n += (size_t)sprintf(text + n, " 0 0 0");
  n += (size_t)sprintf(text + n,
                       "</float_array><technique_common><accessor source='#a' count='%d' stride='3'>" XYZ
                       "</accessor></technique_common></source>" VERTICES BOX_TRIANGLES,
                       POSITIONS);
  for (int i = 0; i < PRIMITIVES; ++i)
    n += (size_t)sprintf(text + n, "<triangles count='1'>" VERTEX "<p>0 0 0</p></triangles>\n");
  sprintf(text + n, "</mesh></geometry></library_geometries></COLLADA>");
  reading r;
  read_text_of(&r, text);
  assert_int_equal(r.status, TS_OK);
  assert_int_equal(r.mesh.vertex_count, 8);
  assert_int_equal(r.mesh.triangle_count, 12 + PRIMITIVES);
  free(text);
  end_reading(&r);
}

// A file cut short anywhere, or with any bytes changed, gives a mesh or one sentence.
static void check_any(const char *text, size_t length)
{
  reading r;
  read_bytes_of(&r, text, length);
  if (r.status == TS_OK) {
    for (int i = 0; i < r.mesh.vertex_count; ++i) assert_true(ts_vec3_is_finite(r.mesh.vertices[i]));
    for (int i = 0; i < 3 * r.mesh.triangle_count; ++i)
      assert_in_range(r.mesh.triangles[i / 3][i % 3], 0, r.mesh.vertex_count - 1);
  } else {
    assert_int_equal(r.error.status, TS_INVALID);
    assert_true(r.error.text[0] && !strchr(r.error.text, '\n'));
    assert_null(r.mesh.vertices);
  }
  end_reading(&r);
}

static void damaged(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 97);
  char *text = read_text(TEST_DATA "/collada/every_element.dae");
  const size_t length = strlen(text);
  char *changed = malloc(length);
  for (size_t n = 0; n < length; ++n) check_any(text, n);
  for (int trial = 0; trial < 20000; ++trial) {
    memcpy(changed, text, length);
    for (int k = 0; k <= trial % 4; ++k)
      changed[ts_random_below(&random, (int)length)] = (char)(32 + ts_random_below(&random, 96));
    check_any(changed, length);
  }
  free(changed);
  free(text);
}

// ---- documents -----------------------------------------------------------------------------------------------------

static const char pair_file[] = OF_SCENE(LIBRARY SHOWN(NODE("<instance_node url='#pair'/>")));

static ts_status read_document_mesh(ts_document_input *in, const char *path, ts_mesh *mesh)
{
  ts_document_add_file(in, "robot.urdf");
  return ts_document_read_mesh(in, path, "mesh.dae", (ts_place){.line = 7, .column = 9}, (ts_vec3){2, 2, -2}, mesh);
}

static bool read_within(const char *path, int budget)
{
  allocation_count allowed = {.budget = budget};
  const ts_allocator allocator = counting_allocator(&allowed);
  ts_document_input in;
  ts_error error;
  jmp_buf recovery;
  ts_document_input_init(&in, NULL, &error);
  ts_arena_init(&in.arena, &allocator);
  in.arena.recovery = &recovery;
  volatile bool finished = false;
  if (!setjmp(recovery)) {
    ts_mesh mesh;
    assert_int_equal(read_document_mesh(&in, path, &mesh), TS_OK);
    assert_int_equal(mesh.vertex_count, 16);
    assert_near(measure(&mesh).high.x, 22.0, 0.0);
    assert_near(measure(&mesh).low.z, -6.0, 0.0);
    finished = true;
  }
  ts_document_input_release(&in);
  assert_int_equal(allowed.held, 0);
  return finished;
}

static void memory_runs_out(void **state)
{
  const char *path = scratch_path(*state, "pair.DAE");
  scratch_write(path, pair_file, strlen(pair_file));
  int needed = 0;
  while (!read_within(path, needed)) assert_true(++needed < 40);
  assert_true(needed > 2);
}

static void assert_not_read(const char *path, ts_status status, int line, const char *file, const char *fragment)
{
  ts_document_input in;
  ts_error error = {0};
  ts_mesh mesh;
  jmp_buf recovery;
  ts_document_input_init(&in, NULL, &error);
  in.arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  assert_int_equal(read_document_mesh(&in, path, &mesh), status);
  assert_int_equal(mesh.vertex_count, 0);
  assert_int_equal(error.line, line);
  assert_string_equal(error.file, file);
  if (!strstr(error.text, fragment)) fail_msg("%s", error.text);
  ts_document_input_release(&in);
}

static void files_that_are_none(void **state)
{
  const char *path = scratch_path(*state, "bad.dae");
  assert_not_read(path, TS_IO, 7, "", "mesh file 'mesh.dae': the file cannot be opened");
  scratch_write(path, "<COLLADA>\n<a>\n</COLLADA>", 24);
  assert_not_read(path, TS_INVALID, 3, path, "does not close");
  scratch_write(path, "", 0);
  assert_not_read(path, TS_INVALID, 1, path, "no element");
  assert_int_equal(truncate(path, (off_t)TS_MESH_LARGEST_FILE + 1), 0); // sparse: takes no room
  assert_not_read(path, TS_INVALID, 7, "", "larger than 128 MiB");
}

// ---- assimp --------------------------------------------------------------------------------------------------------

static bool assimp_is_there(void)
{
  if (system("assimp version > /dev/null 2>&1") == 0) return true;
  print_message("skipped: the command assimp is not installed\n");
  return false;
}

// assimp turns files so that y is up: from there back to the axes of the file.
static ts_vec3 turn_back(ts_vec3 v, char up)
{
  return up == 'X' ? (ts_vec3){v.y, -v.x, v.z} : up == 'Z' ? (ts_vec3){v.x, -v.z, v.y} : v;
}

static measures measure_by_assimp(scratch_folder *folder, const char *path, char up)
{
  char command[1200];
  ts_arena arena;
  ts_mesh mesh;
  ts_error error;
  const char *obj = scratch_path(folder, "assimp.obj");
  snprintf(command, sizeof command, "assimp export '%s' '%s' -fobjnomtl > /dev/null 2>&1", path, obj);
  if (system(command) != 0) fail_msg("assimp fails with %s", path);
  ts_arena_init(&arena, NULL);
  if (ts_mesh_read(obj, &arena, &mesh, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  for (int i = 0; i < mesh.vertex_count; ++i) mesh.vertices[i] = turn_back(mesh.vertices[i], up);
  const measures m = measure(&mesh);
  ts_arena_release(&arena);
  remove(obj);
  return m;
}

static char up_axis_of(const char *text)
{
  const char *up = strstr(text, "<up_axis>");
  return up ? up[9] : 'Y';
}

// assimp counts in single precision.
static void assert_like_assimp(scratch_folder *folder, const solid *s)
{
  if (s->unlike_assimp) return;
  reading r;
  const char *path = scratch_path(folder, "solid.dae");
  scratch_write(path, s->text, strlen(s->text));
  read_text_of(&r, s->text);
  const measures ours = measure(&r.mesh), theirs = measure_by_assimp(folder, path, up_axis_of(s->text));
  if (compare(&ours, &theirs) > 1e-6) fail_msg("%s: volume %g, assimp %g", s->name, ours.volume, theirs.volume);
  end_reading(&r);
}

static void as_assimp_reads(void **state)
{
  if (!assimp_is_there()) skip();
  for (size_t i = 0; i < sizeof primitives / sizeof *primitives; ++i) assert_like_assimp(*state, &primitives[i]);
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) assert_like_assimp(*state, &scenes[i]);
}

// ---- robots --------------------------------------------------------------------------------------------------------

static double compare_file(scratch_folder *folder, const char *path)
{
  size_t bytes;
  char *text = NULL;
  reading r;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  assert_int_equal(ts_mesh_load(path, &arena, &text, &bytes, NULL), TS_OK);
  read_bytes_of(&r, text, bytes);
  if (r.status != TS_OK) fail_msg("%s:%d:%d: %s", path, r.error.line, r.error.column, r.error.text);
  const measures ours = measure(&r.mesh), theirs = measure_by_assimp(folder, path, up_axis_of(text));
  end_reading(&r);
  ts_arena_release(&arena);
  const double difference = compare(&ours, &theirs);
  if (difference > 1e-6) print_error("%s: %.3g, volume %g, assimp %g\n", path, difference, ours.volume, theirs.volume);
  return difference;
}

static void meshes_of_robots(void **state)
{
  FILE *list = popen("find -L '" SHARED_DATA "/data/robots' -iname '*.dae' | sort", "r");
  assert_non_null(list);
  char path[1000];
  int count = 0;
  double worst = 0.0;
  for (; fgets(path, sizeof path, list); ++count) {
    path[strcspn(path, "\n")] = '\0';
    worst = fmax(worst, compare_file(*state, path));
  }
  pclose(list);
  print_message("%d files, at most %.2g apart\n", count, worst);
  assert_true(count >= 72);
  assert_true(worst <= 1e-6);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_primitive),
      cmocka_unit_test(every_place),
      cmocka_unit_test(every_element),
      cmocka_unit_test(copies_are_pieces),
      cmocka_unit_test(refused_texts),
      cmocka_unit_test(places_of_numbers),
      cmocka_unit_test(copies_of_copies_are_bounded),
      cmocka_unit_test(copies_of_nothing_are_bounded),
      cmocka_unit_test(many_primitives_share_positions),
      cmocka_unit_test(damaged),
      cmocka_unit_test_setup_teardown(memory_runs_out, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(files_that_are_none, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(as_assimp_reads, scratch_folder_set_up, scratch_folder_tear_down),
  };
  const struct CMUnitTest shared[] = {
      cmocka_unit_test_setup_teardown(meshes_of_robots, scratch_folder_set_up, scratch_folder_tear_down),
  };
  if (asks_for_shared(argc, argv)) return assimp_is_there() ? run_shared_tests(shared, NULL, NULL) : TESTS_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
