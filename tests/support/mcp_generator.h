// Random mixed complementarity problems built backwards from a solution, with variables of every kind (free, bounded
// below, above, on both sides, fixed), dense or sparse, linear or not. The same for a seed everywhere.
#ifndef TS_SUPPORT_MCP_GENERATOR_H
#define TS_SUPPORT_MCP_GENERATOR_H

#include "touchstone/problem.h"

#include <stdint.h>

typedef enum mcp_class {
  MCP_P,         // M = D1 H D2, H with a dominant positive diagonal, D1 and D2 over a decade: one solution
  MCP_PSD,       // M = A A^T + a skew part, positive definite on the free variables only
  MCP_SPARSE_P,  // the first with about five entries a row
  MCP_NONLINEAR, // F = M z + q + c (z - z0)^3, M as the first, c >= 0: a uniform P-function, one solution
  MCP_CLASS_COUNT
} mcp_class;

typedef struct mcp_instance mcp_instance;

mcp_instance *mcp_generate(mcp_class class, int n, uint64_t seed);
const ts_problem *mcp_instance_problem(const mcp_instance *instance);
const double *mcp_instance_solution(const mcp_instance *instance); // the one it was built from
void mcp_instance_destroy(mcp_instance *instance);

// Whether the solution is the only one.
static inline int mcp_class_is_unique(mcp_class class)
{
  return class != MCP_PSD;
}

#endif
