// libFuzzer target: any bytes, read as a COLLADA file. What is accepted is measured and cut into pieces.
#include "document/collada.h"

#include "shape/mesh_solid.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
  if (!condition) abort();
}

static void check_mesh(const ts_mesh *mesh, ts_arena *arena)
{
  demand(mesh->vertex_count > 0 && mesh->triangle_count > 0);
  for (int i = 0; i < mesh->vertex_count; ++i) {
    const ts_vec3 v = mesh->vertices[i];
    demand(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
  }
  for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
    const int vertex = mesh->triangles[i / 3][i % 3];
    demand(vertex >= 0 && vertex < mesh->vertex_count);
  }
  int pieces;
  ts_mesh_measure(mesh, arena);
  ts_mesh_pieces(mesh, arena, &pieces);
  demand(pieces > 0);
}

static void read_within(ts_document_input *in, ts_arena *arena, const char *content, size_t size)
{
  jmp_buf recovery;
  ts_mesh mesh;
  in->arena.recovery = arena->recovery = &recovery;
  if (setjmp(recovery)) return;
  ts_document_add_file(in, "fuzz.dae");
  const ts_status status = ts_collada_parse(in, content, size, 0, arena, &mesh);
  if (status == TS_OK)
    check_mesh(&mesh, arena);
  else
    demand(in->error->status == status && in->error->line > 0 && in->error->column > 0 && in->error->text[0] &&
           !strchr(in->error->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > 1 << 16) return 0;
  char *content = malloc(size ? size : 1); // of its size, so that a step beyond it is seen
  demand(content != NULL);
  if (size > 0) memcpy(content, data, size);
  ts_document_input in;
  ts_arena arena;
  ts_error error = {0};
  ts_document_input_init(&in, NULL, &error);
  ts_arena_init(&arena, NULL);
  read_within(&in, &arena, content, size);
  ts_document_input_release(&in);
  ts_arena_release(&arena);
  free(content);
  return 0;
}
