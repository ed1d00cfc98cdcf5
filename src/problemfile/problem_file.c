// Reading a file into memory and finding the format that its content is in.
#define _POSIX_C_SOURCE 200809L
#include "touchstone/problem_file.h"

#include "text/c_locale.h"
#include "text/content.h"
#include "problemfile/reader.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct ts_problem_file {
  ts_pool memory;
  ts_problem problem;
  const char *format;
};

// Run one reader over a file from its beginning, and say how far it came. What it took is released again when it fails.
static ts_status attempt(ts_reader *reader, const char *content, size_t bytes, ts_problem_file *file, size_t *progress,
                         ts_error *error)
{
  ts_pool keep = {0}, scratch = {0};
  ts_reading reading = {.keep = &keep, .scratch = &scratch};
  ts_scan_init(&reading.scan, content, bytes, error);
  ts_status status = reader(&reading);
  ts_pool_release(&scratch);
  if (status == TS_OUT_OF_MEMORY) ts_fail(error, status, "memory ran out");
  if (status == TS_OK) status = ts_problem_check(&reading.problem, error);
  *progress = (size_t)(reading.scan.at - content);
  if (status == TS_OK)
    *file = (ts_problem_file){keep, reading.problem, reading.format};
  else
    ts_pool_release(&keep);
  return status;
}

static bool begins_with(const char *text, const char *word)
{
  while (ts_scan_is_space(*text) || *text == '#') text = *text == '#' ? text + strcspn(text, "\n") : text + 1;
  return strncmp(text, word, strlen(word)) == 0;
}

// The formats of Siconos have nothing in front that tells them apart. Each checks its sizes against each other, so a
// wrong one fails among the first few numbers: when all fail, the one that got furthest knows what is wrong.
static ts_status read_siconos(const char *text, size_t bytes, ts_problem_file *file, ts_error *error)
{
  ts_reader *const readers[] = {ts_read_siconos_lcp, ts_read_siconos_mlcp, ts_read_siconos_friction,
                                ts_read_siconos_mixed};
  size_t furthest = 0;
  ts_status result = TS_INVALID;
  for (size_t k = 0; k < sizeof readers / sizeof *readers; ++k) {
    size_t progress;
    ts_error why = {0};
    const ts_status status = attempt(readers[k], text, bytes, file, &progress, &why);
    if (status == TS_INVALID && k > 0 && progress <= furthest) continue;
    *error = why;
    result = status;
    if (status != TS_INVALID) break;
    furthest = progress;
  }
  return result;
}

static bool is_hdf5(const char *content, size_t bytes)
{
  static const char mark[] = "\211HDF\r\n\032\n";
  return bytes >= sizeof mark - 1 && memcmp(content, mark, sizeof mark - 1) == 0;
}

static ts_status read_content(const char *content, size_t bytes, ts_problem_file *file, ts_error *error)
{
  size_t progress;
  if (is_hdf5(content, bytes)) return attempt(ts_read_fclib, content, bytes, file, &progress, error);
  if (begins_with(content, "touchstone")) return attempt(ts_read_own_format, content, bytes, file, &progress, error);
  if (begins_with(content, "fc3d")) return attempt(ts_read_pile, content, bytes, file, &progress, error);
  ts_scanner scan;
  ts_scan_init(&scan, content, bytes, error);
  if (ts_scan_at_end(&scan)) return ts_fail(error, TS_INVALID, "the file is empty");
  if (!ts_scan_sees_number(&scan))
    return ts_scan_unexpected(&scan,
                              "the beginning of a problem (Touchstone, Siconos or contact-pile text, FCLIB HDF5)");
  return read_siconos(content, bytes, file, error);
}

static ts_status read_in_c_locale(const char *content, size_t bytes, ts_problem_file *file, ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = read_content(content, bytes, file, error);
  ts_c_locale_leave(&locale);
  return status;
}

// `content` is followed by a zero byte.
static ts_status create_file(const char *content, size_t bytes, ts_problem_file **file, ts_error *error)
{
  ts_error why = {0};
  *file = calloc(1, sizeof **file);
  if (!*file) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = read_in_c_locale(content, bytes, *file, &why);
  if (status == TS_OK) return TS_OK;
  free(*file);
  *file = NULL;
  if (error) *error = why;
  return status;
}

ts_status ts_problem_file_read(const char *path, ts_problem_file **file, ts_error *error)
{
  TS_REFUSE_UNLESS(file, error);
  *file = NULL;
  TS_REFUSE_UNLESS(path, error);
  char *content;
  size_t bytes;
  TS_TRY(ts_content_read(path, &content, &bytes, error));
  const ts_status status = create_file(content, bytes, file, error);
  free(content);
  return status;
}

ts_status ts_problem_file_parse(const char *text, size_t bytes, ts_problem_file **file, ts_error *error)
{
  TS_REFUSE_UNLESS(file, error);
  *file = NULL;
  TS_REFUSE_UNLESS(text || bytes == 0, error);
  if (bytes > TS_LARGEST_TEXT) return ts_content_too_large(error);
  char *content = malloc(bytes + 1);
  if (!content) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (bytes > 0) memcpy(content, text, bytes);
  content[bytes] = '\0';
  const ts_status status = create_file(content, bytes, file, error);
  free(content);
  return status;
}

const ts_problem *ts_problem_file_problem(const ts_problem_file *file)
{
  TS_REQUIRE(file);
  return &file->problem;
}

const char *ts_problem_file_format(const ts_problem_file *file)
{
  TS_REQUIRE(file);
  return file->format;
}

void ts_problem_file_destroy(ts_problem_file *file)
{
  if (!file) return;
  ts_pool_release(&file->memory);
  free(file);
}
