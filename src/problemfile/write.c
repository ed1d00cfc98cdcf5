// Writing our own text format, docs/formats/problem.md.
#define _POSIX_C_SOURCE 200809L
#include "problemfile/write.h"

#include "touchstone/problem_file.h"

#include "text/c_locale.h"

#include "base/require.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PER_LINE = 8 }; // numbers of a vector on one line

// 17 significant digits are enough to get the same double back.
static void write_number(FILE *out, double value)
{
  fprintf(out, " %.17g", value);
}

static void write_vector(FILE *out, const char *name, const double *values, int count)
{
  fprintf(out, "%s", name);
  for (int i = 0; i < count; ++i) {
    if (i % PER_LINE == 0) fputs("\n ", out);
    write_number(out, values[i]);
  }
  fputc('\n', out);
}

static void write_dense(FILE *out, const ts_matrix *A)
{
  fputs(" dense\n", out);
  for (int i = 0; i < A->rows; ++i) {
    fputc(' ', out);
    for (int j = 0; j < A->columns; ++j) write_number(out, A->value[(size_t)j * (size_t)A->rows + (size_t)i]);
    fputc('\n', out);
  }
}

static void write_matrix(FILE *out, const char *name, const ts_matrix *A)
{
  fprintf(out, "%s", name);
  if (!A->start) {
    write_dense(out, A);
    return;
  }
  fprintf(out, " sparse %d\n", A->start[A->columns]);
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) fprintf(out, "  %d %d %.17g\n", A->index[k], j, A->value[k]);
}

static void write_blocks(FILE *out, const char *name, const ts_block_matrix *W)
{
  fprintf(out, "%s blocks %d %d\n", name, W->block, W->rows > 0 ? W->start[W->rows] : 0);
  for (int I = 0; I < W->rows; ++I)
    for (int k = W->start[I]; k < W->start[I + 1]; ++k) {
      const double *block = W->value + (size_t)k * (size_t)(W->block * W->block);
      fprintf(out, "  %d %d", I, W->index[k]);
      for (int i = 0; i < W->block; ++i)
        for (int j = 0; j < W->block; ++j) write_number(out, block[j * W->block + i]);
      fputc('\n', out);
    }
}

static void write_lcp(FILE *out, int size, const ts_matrix *M, const double *q)
{
  fprintf(out, "size %d\n", size);
  write_matrix(out, "M", M);
  write_vector(out, "q", q, size);
}

static void write_mlcp(FILE *out, const ts_mlcp *p)
{
  write_lcp(out, p->size, &p->M, p->q);
  write_vector(out, "lower", p->lower, p->size);
  write_vector(out, "upper", p->upper, p->size);
}

static void write_contact_sizes(FILE *out, int dimension, int contacts, int bilaterals)
{
  fprintf(out, "dimension %d\ncontacts %d\n", dimension, contacts);
  if (bilaterals > 0) fprintf(out, "bilaterals %d\n", bilaterals);
}

static void write_coefficients(FILE *out, int dimension, int contacts, const double *mu, const double *ellipsoid)
{
  write_vector(out, "mu", mu, contacts);
  if (ellipsoid) write_vector(out, "ellipsoid", ellipsoid, (dimension - 1) * contacts);
}

static void write_friction(FILE *out, const ts_friction *p)
{
  write_contact_sizes(out, p->dimension, p->contacts, p->bilaterals);
  if (p->bodies) fprintf(out, "velocities %d\n", p->bodies->M.rows);
  write_coefficients(out, p->dimension, p->contacts, p->mu, p->ellipsoid);
  write_blocks(out, "W", &p->W);
  write_vector(out, "q", p->q, p->dimension * p->contacts);
  if (p->bilaterals > 0) {
    write_matrix(out, "V", &p->V);
    write_matrix(out, "R", &p->R);
    write_vector(out, "s", p->s, p->bilaterals);
  }
  if (p->bodies) {
    write_matrix(out, "M", &p->bodies->M);
    write_matrix(out, "H", &p->bodies->H);
  }
}

static void write_global(FILE *out, const ts_global_friction *p)
{
  write_contact_sizes(out, p->dimension, p->contacts, p->bilaterals);
  fprintf(out, "velocities %d\n", p->M.rows);
  write_coefficients(out, p->dimension, p->contacts, p->mu, p->ellipsoid);
  write_matrix(out, "M", &p->M);
  write_matrix(out, "H", &p->H);
  write_vector(out, "f", p->f, p->M.rows);
  write_vector(out, "w", p->w, p->dimension * p->contacts);
  if (p->bilaterals == 0) return;
  write_matrix(out, "G", &p->G);
  write_vector(out, "b", p->b, p->bilaterals);
}

void ts_problem_print(FILE *out, const ts_problem *problem)
{
  fprintf(out, "touchstone problem 1\ntype %s\n", ts_problem_type_name(problem->type));
  switch (problem->type) {
  case TS_LCP:
    write_lcp(out, problem->lcp.size, &problem->lcp.M, problem->lcp.q);
    break;
  case TS_MLCP:
    write_mlcp(out, &problem->mlcp);
    break;
  case TS_FRICTION:
    write_friction(out, &problem->friction);
    break;
  case TS_GLOBAL_FRICTION:
    write_global(out, &problem->global);
    break;
  case TS_MCP:
    break; // refused before
  }
  fputs("end\n", out);
}

// A new file beside `path`, so that renaming it stays within one file system. open() instead of mkstemp(), which would
// ignore the user's umask.
static FILE *open_temporary(const char *path, char *name, size_t size)
{
  for (int attempt = 0; attempt < 100; ++attempt) {
    snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0) {
      FILE *out = fdopen(descriptor, "wb");
      if (out) return out;
      close(descriptor);
      unlink(name);
      return NULL;
    }
    if (errno != EEXIST) return NULL;
  }
  return NULL;
}

// Write under the temporary name and rename. Returns 0, or what went wrong (an errno).
static int write_and_rename(const char *path, const ts_problem *problem, char *name, size_t size)
{
  FILE *out = open_temporary(path, name, size);
  if (!out) return errno;
  ts_problem_print(out, problem);
  const bool failed = ferror(out) != 0;
  int reason = failed ? EIO : 0;
  if (fclose(out) != 0) reason = errno;
  if (!reason && rename(name, path) != 0) reason = errno;
  if (reason) unlink(name);
  return reason;
}

ts_status ts_problem_file_write(const char *path, const ts_problem *problem, ts_error *error)
{
  TS_REFUSE_UNLESS(path, error);
  TS_REFUSE_UNLESS(problem, error);
  if (problem->type == TS_MCP)
    return ts_fail(error, TS_UNSUPPORTED, "a problem that is given by callbacks cannot be written to a file");
  TS_TRY(ts_problem_check(problem, error));
  const size_t size = strlen(path) + 48;
  char *name = malloc(size);
  ts_c_locale locale;
  if (!name || !ts_c_locale_enter(&locale)) {
    free(name);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  const int reason = write_and_rename(path, problem, name, size);
  ts_c_locale_leave(&locale);
  free(name);
  if (reason) return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(reason));
  return TS_OK;
}
