#include "complementarity/newton_system.h"

#include "math/block_lu.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

enum { MAX_D = 4, LARGEST_BODY = 12 };

// The part of a contact's directions that acts on one node of the mass matrix.
typedef struct touch {
  int node;
  const double *H; // node size x d, column-major, scaled as the cone problem
} touch;

typedef struct body_space {
  int nodes;
  int *size, *first, *node_of; // of each node; node of each row of M
  int *touch_start;            // contacts + 1
  touch *touches;
  ts_block_lu *lu;
  ts_block_place *places;      // for each contact, its touches squared
  int *place_start;
  double *y;                   // right-hand side over rows of M, in node order
  int *row_at;                 // position of row i of M in node order
} body_space;

struct ts_newton_system {
  const ts_cone_problem *p;
  double shift;
  double *A, *B;    // blocks
  double *shifted;  // LU factors of A + shift B, in body space
  int *pivots;
  double *K;        // in body space
  body_space *bodies; // NULL: contact space
  ts_block_lu *contacts;
  ts_block_place *places; // of each block of W, in contact space
  int *sizes;
  double *compact;  // d numbers a contact, for the block LU
  double *rhs, *residual, *work;
};

// ---- small dense blocks --------------------------------------------------------------------------------------------

// LU with row exchanges of a d x d block; a zero pivot is replaced by the smallest number that can be divided by.
static void factor_small(int d, double *A, int *pivots)
{
  for (int k = 0; k < d; ++k) {
    int best = k;
    for (int i = k + 1; i < d; ++i)
      if (fabs(A[k * d + i]) > fabs(A[k * d + best])) best = i;
    pivots[k] = best;
    if (best != k)
      for (int c = 0; c < d; ++c) {
        const double t = A[c * d + k];
        A[c * d + k] = A[c * d + best];
        A[c * d + best] = t;
      }
    if (A[k * d + k] == 0.0) A[k * d + k] = 1e-300;
    for (int i = k + 1; i < d; ++i) {
      A[k * d + i] /= A[k * d + k];
      for (int c = k + 1; c < d; ++c) A[c * d + i] -= A[k * d + i] * A[c * d + k];
    }
  }
}

static void solve_small(int d, const double *LU, const int *pivots, double *x)
{
  for (int k = 0; k < d; ++k) {
    const double t = x[k];
    x[k] = x[pivots[k]];
    x[pivots[k]] = t;
  }
  for (int k = 0; k < d; ++k)
    for (int i = k + 1; i < d; ++i) x[i] -= LU[k * d + i] * x[k];
  for (int k = d - 1; k >= 0; --k) {
    x[k] /= LU[k * d + k];
    for (int i = 0; i < k; ++i) x[i] -= LU[k * d + i] * x[k];
  }
}

// ---- body space: analysis ------------------------------------------------------------------------------------------

static int find_root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Nodes are the connected parts of M when they are small (bodies), else single rows.
static void find_nodes(body_space *s, const ts_matrix *M, ts_arena *arena)
{
  const size_t n = (size_t)M->rows;
  s->node_of = ts_arena_ints(arena, n);
  s->row_at = ts_arena_ints(arena, n);
  s->size = ts_arena_ints(arena, n);
  s->first = ts_arena_ints(arena, n + 1);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, n), *count = ts_arena_ints(arena, n);
  for (int i = 0; i < M->rows; ++i) {
    parent[i] = i;
    count[i] = 0;
    s->node_of[i] = -1;
  }
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k)
      if (M->value[k] != 0.0) parent[find_root(parent, M->index[k])] = find_root(parent, j);
  for (int i = 0; i < M->rows; ++i) ++count[find_root(parent, i)];
  int nodes = 0, at = 0;
  for (int i = 0; i < M->rows; ++i) {
    if (s->node_of[i] >= 0) continue;
    const int root = find_root(parent, i), whole = count[root] <= LARGEST_BODY;
    s->first[nodes] = at;
    for (int k = i; k < (whole ? M->rows : i + 1) && at - s->first[nodes] < (whole ? count[root] : 1); ++k)
      if (find_root(parent, k) == root) {
        s->node_of[k] = nodes;
        s->row_at[k] = at++;
      }
    s->size[nodes] = at - s->first[nodes];
    ++nodes;
  }
  s->nodes = nodes;
  s->first[nodes] = at;
  ts_arena_restore(arena, mark);
}

// The touches of each contact: nodes with a nonzero in its columns of H, with the dense piece of H scaled by D.
static void find_touches(body_space *s, const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *H = &p->bodies->H;
  const int d = p->d;
  s->touch_start = ts_arena_ints(arena, (size_t)p->contacts + 1);
  s->touches = ts_arena_bytes(arena, (size_t)H->start[H->columns], sizeof *s->touches);
  int *slot = ts_arena_ints(arena, (size_t)s->nodes), filled = 0;
  for (int k = 0; k < s->nodes; ++k) slot[k] = -1;
  for (int i = 0; i < p->contacts; ++i) {
    s->touch_start[i] = filled;
    for (int c = 0; c < d; ++c)
      for (int k = H->start[i * d + c]; k < H->start[i * d + c + 1]; ++k) {
        const int node = s->node_of[H->index[k]];
        if (slot[node] < s->touch_start[i]) {
          slot[node] = filled;
          s->touches[filled++] = (touch){node, ts_arena_zeros(arena, (size_t)(s->size[node] * d))};
        }
        const double scale = p->scale[(size_t)i * (size_t)p->stride + (size_t)c] / p->data_size;
        double *piece = (double *)s->touches[slot[node]].H;
        piece[c * s->size[node] + s->row_at[H->index[k]] - s->first[node]] = scale * H->value[k];
      }
  }
  s->touch_start[p->contacts] = filled;
}

// Graph of M + H K H^T: nodes coupled by M, and nodes touched by one contact.
static void analyze_bodies(body_space *s, const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *M = &p->bodies->M;
  size_t edges = (size_t)M->start[M->columns];
  for (int i = 0; i < p->contacts; ++i) {
    const size_t touches = (size_t)(s->touch_start[i + 1] - s->touch_start[i]);
    edges += touches * touches;
  }
  int *start = ts_arena_ints(arena, (size_t)s->nodes + 1), *index = ts_arena_ints(arena, edges);
  memset(start, 0, ((size_t)s->nodes + 1) * sizeof *start);
  for (int pass = 0; pass < 2; ++pass) { // count, then fill; duplicates do no harm to the analysis
    for (int j = 0; j < M->columns; ++j)
      for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
        const int a = s->node_of[M->index[k]], b = s->node_of[j];
        if (a == b) continue;
        if (pass == 0)
          ++start[a + 1];
        else
          index[start[a]++] = b;
      }
    for (int i = 0; i < p->contacts; ++i)
      for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x)
        for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y) {
          if (x == y) continue;
          if (pass == 0)
            ++start[s->touches[x].node + 1];
          else
            index[start[s->touches[x].node]++] = s->touches[y].node;
        }
    if (pass == 0)
      for (int k = 0; k < s->nodes; ++k) start[k + 1] += start[k];
    else
      for (int k = s->nodes; k > 0; --k) start[k] = start[k - 1];
    if (pass == 1) start[0] = 0;
  }
  // Duplicates would break the minimum-degree code: make every list unique.
  int *seen = ts_arena_ints(arena, (size_t)s->nodes), filled = 0;
  for (int k = 0; k < s->nodes; ++k) seen[k] = -1;
  for (int k = 0; k < s->nodes; ++k) {
    const int from = start[k], to = start[k + 1];
    start[k] = filled;
    for (int e = from; e < to; ++e)
      if (seen[index[e]] != k) {
        seen[index[e]] = k;
        index[filled++] = index[e];
      }
  }
  start[s->nodes] = filled;
  s->lu = ts_block_lu_analyze(s->nodes, s->size, start, index, arena);
}

static void place_contacts(body_space *s, const ts_cone_problem *p, ts_arena *arena)
{
  s->place_start = ts_arena_ints(arena, (size_t)p->contacts + 1);
  int total = 0;
  for (int i = 0; i < p->contacts; ++i) {
    const int touches = s->touch_start[i + 1] - s->touch_start[i];
    s->place_start[i] = total;
    total += touches * touches;
  }
  s->place_start[p->contacts] = total;
  s->places = ts_arena_bytes(arena, (size_t)total, sizeof *s->places);
  for (int i = 0, k = 0; i < p->contacts; ++i)
    for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x)
      for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y)
        s->places[k++] = ts_block_lu_place(s->lu, s->touches[x].node, s->touches[y].node);
}

static body_space *create_body_space(const ts_cone_problem *p, ts_arena *arena)
{
  body_space *s = ts_arena_bytes(arena, 1, sizeof *s);
  find_nodes(s, &p->bodies->M, arena);
  find_touches(s, p, arena);
  analyze_bodies(s, p, arena);
  s->y = ts_arena_doubles(arena, (size_t)p->bodies->M.rows);
  return s;
}

// ---- creation ------------------------------------------------------------------------------------------------------

static bool bodies_are_usable(const ts_cone_problem *p)
{
  return p->bodies && !ts_matrix_is_dense(&p->bodies->M) && !ts_matrix_is_dense(&p->bodies->H);
}

ts_newton_system *ts_newton_system_create(const ts_cone_problem *p, ts_arena *arena)
{
  const size_t contacts = (size_t)p->contacts, block = (size_t)(p->d * p->d);
  ts_newton_system *system = ts_arena_bytes(arena, 1, sizeof *system);
  *system = (ts_newton_system){.p = p};
  system->A = ts_arena_doubles(arena, contacts * block);
  system->B = ts_arena_doubles(arena, contacts * block);
  system->rhs = ts_arena_doubles(arena, p->length);
  system->residual = ts_arena_doubles(arena, p->length);
  system->work = ts_arena_doubles(arena, p->length);
  system->sizes = ts_arena_ints(arena, contacts);
  for (int i = 0; i < p->contacts; ++i) system->sizes[i] = p->d;
  system->contacts = ts_block_lu_analyze(p->contacts, system->sizes, p->start, p->index, arena);
  if (bodies_are_usable(p)) {
    const ts_arena_mark mark = ts_arena_save(arena);
    system->bodies = create_body_space(p, arena);
    if (ts_block_lu_flops(system->bodies->lu) > ts_block_lu_flops(system->contacts)) {
      system->bodies = NULL;
      ts_arena_restore(arena, mark);
    }
  }
  if (system->bodies) {
    place_contacts(system->bodies, p, arena);
    system->shifted = ts_arena_doubles(arena, contacts * block);
    system->K = ts_arena_doubles(arena, contacts * block);
    system->pivots = ts_arena_ints(arena, contacts * (size_t)p->d);
  } else {
    system->compact = ts_arena_doubles(arena, contacts * (size_t)p->d);
    system->places = ts_arena_bytes(arena, (size_t)p->start[p->contacts], sizeof *system->places);
    for (int i = 0; i < p->contacts; ++i)
      for (int b = p->start[i]; b < p->start[i + 1]; ++b)
        system->places[b] = ts_block_lu_place(system->contacts, i, p->index[b]);
  }
  return system;
}

double *ts_newton_system_A(ts_newton_system *system, int i)
{
  return system->A + (size_t)i * (size_t)(system->p->d * system->p->d);
}

double *ts_newton_system_B(ts_newton_system *system, int i)
{
  return system->B + (size_t)i * (size_t)(system->p->d * system->p->d);
}

double ts_newton_system_flops(const ts_newton_system *system)
{
  return ts_block_lu_flops(system->bodies ? system->bodies->lu : system->contacts);
}

// ---- factorization -------------------------------------------------------------------------------------------------

static const double TINY_PIVOT = 1e-18;

static bool factor_contact_space(ts_newton_system *system)
{
  const ts_cone_problem *p = system->p;
  const int d = p->d, stride = p->stride;
  ts_block_lu_clear(system->contacts);
  for (int i = 0; i < p->contacts; ++i) {
    const double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const ts_block_place place = system->places[b];
      const double *W = p->W + (size_t)b * (size_t)(stride * d);
      const bool own = b == p->diagonal[i];
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) {
          double sum = own ? A[c * d + r] + system->shift * B[c * d + r] : 0.0;
          for (int k = 0; k < d; ++k) sum += B[k * d + r] * W[c * stride + k];
          place.value[r * place.row_stride + c * place.column_stride] += sum;
        }
    }
  }
  return ts_block_lu_factor(system->contacts, TINY_PIVOT) >= 0;
}

// K = (A + shift B)^-1 B.
static void condense_contact(ts_newton_system *system, int i)
{
  const int d = system->p->d;
  const size_t at = (size_t)i * (size_t)(d * d);
  double *LU = system->shifted + at, *K = system->K + at;
  int *pivots = system->pivots + (size_t)i * (size_t)d;
  for (int k = 0; k < d * d; ++k) LU[k] = system->A[at + (size_t)k] + system->shift * system->B[at + (size_t)k];
  memcpy(K, system->B + at, (size_t)(d * d) * sizeof *K);
  factor_small(d, LU, pivots);
  for (int c = 0; c < d; ++c) solve_small(d, LU, pivots, K + c * d);
}

static bool block_is_zero(const double *block, int count)
{
  for (int k = 0; k < count; ++k)
    if (block[k] != 0.0) return false;
  return true;
}

// Add H_x K H_y^T for all pairs of nodes that contact i touches.
static void add_contact(ts_newton_system *system, int i)
{
  const body_space *s = system->bodies;
  const int d = system->p->d;
  const double *K = system->K + (size_t)i * (size_t)(d * d);
  const ts_block_place *place = s->places + s->place_start[i];
  for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x) {
    const int rows = s->size[s->touches[x].node];
    const double *Hx = s->touches[x].H;
    double HK[LARGEST_BODY * MAX_D];
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (int k = 0; k < d; ++k) sum += Hx[k * rows + r] * K[c * d + k];
        HK[c * rows + r] = sum;
      }
    for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y, ++place) {
      const int columns = s->size[s->touches[y].node];
      const double *Hy = s->touches[y].H;
      for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) {
          double sum = 0.0;
          for (int k = 0; k < d; ++k) sum += HK[k * rows + r] * Hy[k * columns + c];
          place->value[r * place->row_stride + c * place->column_stride] += sum;
        }
    }
  }
}

static bool factor_body_space(ts_newton_system *system)
{
  const ts_cone_problem *p = system->p;
  const body_space *s = system->bodies;
  const ts_matrix *M = &p->bodies->M;
  ts_block_lu_clear(s->lu);
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
      const int i = M->index[k], a = s->node_of[i], b = s->node_of[j];
      const ts_block_place place = ts_block_lu_place(s->lu, a, b);
      place.value[(s->row_at[i] - s->first[a]) * place.row_stride + (s->row_at[j] - s->first[b]) * place.column_stride] +=
          M->value[k];
    }
  for (int i = 0; i < p->contacts; ++i) {
    condense_contact(system, i);
    if (!block_is_zero(system->K + (size_t)i * (size_t)(p->d * p->d), p->d * p->d)) add_contact(system, i);
  }
  return ts_block_lu_factor(s->lu, TINY_PIVOT) >= 0;
}

bool ts_newton_system_factor(ts_newton_system *system, double shift)
{
  system->shift = shift;
  return system->bodies ? factor_body_space(system) : factor_contact_space(system);
}

// ---- solution ------------------------------------------------------------------------------------------------------

static void solve_contact_space(ts_newton_system *system, double *x)
{
  const ts_cone_problem *p = system->p;
  const size_t d = (size_t)p->d, stride = (size_t)p->stride;
  for (size_t i = 0; i < (size_t)p->contacts; ++i)
    memcpy(system->compact + i * d, x + i * stride, d * sizeof *x);
  ts_block_lu_solve(system->contacts, system->compact);
  for (size_t i = 0; i < (size_t)p->contacts; ++i)
    memcpy(x + i * stride, system->compact + i * d, d * sizeof *x);
}

static void solve_body_space(ts_newton_system *system, double *x)
{
  const ts_cone_problem *p = system->p;
  const body_space *s = system->bodies;
  const int d = p->d;
  memset(s->y, 0, (size_t)p->bodies->M.rows * sizeof *s->y);
  for (int i = 0; i < p->contacts; ++i) {
    double *xi = x + (size_t)i * (size_t)p->stride;
    solve_small(d, system->shifted + (size_t)i * (size_t)(d * d), system->pivots + (size_t)i * (size_t)d, xi);
    for (int t = s->touch_start[i]; t < s->touch_start[i + 1]; ++t) {
      const int node = s->touches[t].node, rows = s->size[node];
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < rows; ++r) s->y[s->first[node] + r] += s->touches[t].H[c * rows + r] * xi[c];
    }
  }
  ts_block_lu_solve(s->lu, s->y);
  for (int i = 0; i < p->contacts; ++i) {
    double u[MAX_D] = {0}, *xi = x + (size_t)i * (size_t)p->stride;
    for (int t = s->touch_start[i]; t < s->touch_start[i + 1]; ++t) {
      const int node = s->touches[t].node, rows = s->size[node];
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < rows; ++r) u[c] += s->touches[t].H[c * rows + r] * s->y[s->first[node] + r];
    }
    const double *K = system->K + (size_t)i * (size_t)(d * d);
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < d; ++r) xi[r] -= K[c * d + r] * u[c];
  }
}

static void solve_once(ts_newton_system *system, double *x)
{
  if (system->bodies)
    solve_body_space(system, x);
  else
    solve_contact_space(system, x);
}

// residual = rhs - (A + B (W + shift)) x.
static void subtract_product(ts_newton_system *system, const double *x, double *residual)
{
  const ts_cone_problem *p = system->p;
  const int d = p->d;
  ts_cone_multiply(p, x, system->work);
  for (int i = 0; i < p->contacts; ++i) {
    const size_t at = (size_t)i * (size_t)p->stride;
    const double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int c = 0; c < d; ++c) {
      const double xc = x[at + (size_t)c], uc = system->work[at + (size_t)c] + system->shift * xc;
      for (int r = 0; r < d; ++r) residual[at + (size_t)r] -= A[c * d + r] * xc + B[c * d + r] * uc;
    }
  }
}

void ts_newton_system_solve(ts_newton_system *system, double *x)
{
  const size_t bytes = system->p->length * sizeof *x;
  memcpy(system->rhs, x, bytes);
  solve_once(system, x);
  memcpy(system->residual, system->rhs, bytes);
  subtract_product(system, x, system->residual);
  solve_once(system, system->residual);
  for (size_t k = 0; k < system->p->length; ++k) x[k] += system->residual[k];
}
