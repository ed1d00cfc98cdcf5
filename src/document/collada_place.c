#include "document/collada_place.h"

#include "document/xml_numbers.h"

#include <string.h>

ts_vec3 ts_collada_place_apply(const ts_collada_place *place, ts_vec3 point)
{
  return ts_add(ts_mul(&place->linear, point), place->origin);
}

bool ts_collada_place_mirrors(const ts_collada_place *place)
{
  return ts_dot(place->linear.x, ts_cross(place->linear.y, place->linear.z)) < 0.0;
}

static ts_vec3 vector_of(const double *x)
{
  return (ts_vec3){x[0], x[1], x[2]};
}

// Row by row.
static ts_status make_matrix(ts_document_input *in, const ts_xml_element *element, const double *x,
                             ts_collada_place *place)
{
  if (x[12] != 0.0 || x[13] != 0.0 || x[14] != 0.0 || x[15] != 1.0)
    return ts_document_fail(in, element->place, "the last row of a matrix must be 0 0 0 1");
  place->linear = (ts_mat3){{x[0], x[4], x[8]}, {x[1], x[5], x[9]}, {x[2], x[6], x[10]}};
  place->origin = (ts_vec3){x[3], x[7], x[11]};
  return TS_OK;
}

static ts_status make_translation(ts_document_input *in, const ts_xml_element *element, const double *x,
                                  ts_collada_place *place)
{
  (void)in, (void)element;
  place->origin = vector_of(x);
  return TS_OK;
}

static ts_status make_scaling(ts_document_input *in, const ts_xml_element *element, const double *x,
                              ts_collada_place *place)
{
  (void)in, (void)element;
  place->linear = (ts_mat3){{x[0], 0.0, 0.0}, {0.0, x[1], 0.0}, {0.0, 0.0, x[2]}};
  return TS_OK;
}

static ts_vec3 direction_of(ts_vec3 v)
{
  return ts_normalize(v, (ts_vec3){0.0, 0.0, 0.0});
}

// An axis and an angle in degrees. Some programs write no axis where they do not turn.
static ts_status make_rotation(ts_document_input *in, const ts_xml_element *element, const double *x,
                               ts_collada_place *place)
{
  const ts_vec3 axis = direction_of(vector_of(x));
  if (x[3] != 0.0 && !(ts_length(axis) > 0.0)) return ts_document_fail(in, element->place, "'rotate' has no axis");
  place->linear = ts_quat_matrix(ts_quat_exp(ts_scale(fmod(x[3], 360.0) * TS_PI / 180.0, axis)));
  return TS_OK;
}

// Eye, what it looks at along -z, and what is up for it: y as nearly as may be.
static ts_status make_view(ts_document_input *in, const ts_xml_element *element, const double *x,
                           ts_collada_place *place)
{
  const ts_vec3 back = direction_of(ts_sub(vector_of(x), vector_of(x + 3)));
  const ts_vec3 right = direction_of(ts_cross(vector_of(x + 6), back));
  if (!(ts_length(right) > 0.0)) return ts_document_fail(in, element->place, "'lookat' has no direction");
  place->linear = (ts_mat3){right, ts_cross(back, right), back};
  place->origin = vector_of(x);
  return TS_OK;
}

static ts_status refuse_skew(ts_document_input *in, const ts_xml_element *element, const double *x,
                             ts_collada_place *place)
{
  (void)x, (void)place;
  return ts_document_fail(in, element->place, "'skew' is not read; write it as a 'matrix'");
}

typedef struct transformation {
  const char *name;
  int numbers;
  ts_status (*make)(ts_document_input *in, const ts_xml_element *element, const double *x, ts_collada_place *place);
} transformation;

static const transformation transformations[] = {{"matrix", 16, make_matrix},        {"rotate", 4, make_rotation},
                                                 {"translate", 3, make_translation}, {"scale", 3, make_scaling},
                                                 {"lookat", 9, make_view},           {"skew", 7, refuse_skew}};

static const transformation *find_transformation(const char *name)
{
  for (size_t i = 0; i < sizeof transformations / sizeof transformations[0]; ++i)
    if (strcmp(transformations[i].name, name) == 0) return &transformations[i];
  return NULL;
}

ts_status ts_collada_place_node(ts_document_input *in, const ts_xml_element *node, ts_collada_place *place)
{
  for (const ts_xml_element *child = node->first; child; child = child->next) {
    const transformation *kind = find_transformation(child->name);
    if (!kind) continue;
    double x[16];
    ts_collada_place inner = {.linear = ts_mat3_identity()};
    TS_TRY(ts_xml_numbers_read(in, child, kind->numbers, x));
    TS_TRY(kind->make(in, child, x, &inner));
    *place =
        (ts_collada_place){ts_mat3_product(&place->linear, &inner.linear), ts_collada_place_apply(place, inner.origin)};
  }
  return TS_OK;
}
