// Siconos frictional contact files. Local: dimension, contacts, W, q, mu. Global: dimension, contacts, M, H, q, b, mu
// with M v = H r + q, u = H^T v + b. Both may end with a 0 or a 1 (whether the writer had a solution). Dimension 5 is
// rolling friction, which has another list of coefficients behind mu: it is read to the end and refused by name.
#include "problemfile/siconos_matrix.h"

#include "problemfile/assemble.h"

#include "base/status.h"

#include <limits.h>

enum { ROLLING = 5 };

static ts_status scan_vector(ts_reading *reading, const char *name, int size, const double **values)
{
  double *v;
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)size, &v));
  *values = v;
  return ts_scan_numbers(&reading->scan, name, (size_t)size, v);
}

static ts_status scan_coefficients(ts_reading *reading, const char *name, int contacts, const double **values)
{
  double *mu;
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)contacts, &mu));
  *values = mu;
  for (int i = 0; i < contacts; ++i) TS_TRY(ts_scan_at_least(&reading->scan, name, 0.0, false, &mu[i]));
  return TS_OK;
}

// mu and all that follows it.
static ts_status scan_ending(ts_reading *reading, int dimension, int contacts, const double **mu)
{
  ts_scanner *scan = &reading->scan;
  TS_TRY(scan_coefficients(reading, "the friction coefficients", contacts, mu));
  if (dimension == ROLLING) {
    const double *mu_r;
    TS_TRY(scan_coefficients(reading, "the rolling friction coefficients", contacts, &mu_r));
    return ts_scan_fail(scan, scan->begin, TS_UNSUPPORTED,
                        "this is a problem with rolling friction, which is not supported");
  }
  int flag;
  if (!ts_scan_at_end(scan)) TS_TRY(ts_scan_int(scan, "the flag at the end", 0, 1, &flag));
  if (!ts_scan_at_end(scan)) return ts_scan_unexpected(scan, "the end of the file");
  return TS_OK;
}

static ts_status scan_local(ts_reading *reading, int dimension, int contacts, const ts_matrix *W)
{
  ts_friction p = {.dimension = dimension, .contacts = contacts};
  TS_TRY(scan_vector(reading, "q", dimension * contacts, &p.q));
  TS_TRY(scan_ending(reading, dimension, contacts, &p.mu));
  TS_TRY(ts_assemble_blocks(W, dimension, reading->keep, reading->scratch, &p.W));
  reading->problem = ts_problem_friction(p);
  reading->format = dimension == 2 ? "Siconos text, 2D friction" : "Siconos text, 3D friction";
  return TS_OK;
}

static ts_status scan_global(ts_reading *reading, int dimension, int contacts, const ts_matrix *M)
{
  ts_global_friction p = {.dimension = dimension, .contacts = contacts, .M = *M};
  TS_TRY(ts_scan_siconos_matrix(reading, "H", M->rows, dimension * contacts, &p.H));
  TS_TRY(scan_vector(reading, "q", M->rows, &p.f));
  TS_TRY(scan_vector(reading, "b", dimension * contacts, &p.w));
  TS_TRY(scan_ending(reading, dimension, contacts, &p.mu));
  reading->problem = ts_problem_global_friction(p);
  reading->format = dimension == 2 ? "Siconos text, global 2D friction" : "Siconos text, global 3D friction";
  return TS_OK;
}

// Nothing in a file says whether it is local. Where the matrix fits W, what follows decides: H is announced by three
// whole numbers that we know, which q is not.
ts_status ts_read_siconos_friction(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  int dimension, contacts;
  TS_TRY(ts_scan_int(scan, "the dimension of a contact", 2, ROLLING, &dimension));
  TS_TRY(ts_scan_count(scan, "the number of contacts", dimension, &contacts));
  ts_matrix A;
  ts_scan_space(scan);
  const char *at = scan->at;
  TS_TRY(ts_scan_siconos_matrix(reading, "the first matrix", -1, -1, &A));
  if (A.rows != A.columns)
    return ts_scan_fail(scan, at, TS_INVALID, "the first matrix is %d x %d, it must be square", A.rows, A.columns);
  if (dimension == 4)
    return ts_scan_fail(scan, scan->begin, TS_INVALID, "the dimension of a contact is 4, allowed are 2 and 3");
  const bool fits_local = A.rows == dimension * contacts;
  if (fits_local && !ts_scan_sees_siconos_matrix(reading, A.rows, dimension * contacts))
    return scan_local(reading, dimension, contacts, &A);
  return scan_global(reading, dimension, contacts, &A);
}
