// libFuzzer target: any bytes, read as a mesh file (the first byte says which). What is accepted is made a polytope.
#include "shape/mesh_file.h"

#include "touchstone/shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
  if (!condition) abort();
}

static void check_hull(const ts_vec3 *vertices, int count)
{
  const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = vertices, .vertex_count = count};
  ts_mass_properties mass;
  ts_error error = {0};
  if (ts_shape_mass_properties(&shape, &mass, &error) == TS_OK)
    demand(mass.volume > 0.0);
  else
    demand(error.status != TS_OK && error.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0 || size > 1 << 16) return 0;
  char *content = malloc(size);
  demand(content != NULL);
  memcpy(content, data + 1, size - 1);
  content[size - 1] = '\0';
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_mesh mesh;
  ts_error error = {0};
  const ts_status status =
      ts_mesh_parse(data[0] % 2 ? TS_MESH_STL : TS_MESH_OBJ, content, size - 1, &arena, &mesh, &error);
  if (status == TS_OK)
    check_hull(mesh.vertices, mesh.vertex_count);
  else
    demand(error.status == status && error.text[0] != '\0' && !strchr(error.text, '\n'));
  ts_arena_release(&arena);
  free(content);
  return 0;
}
