/// Problems in files: our own text format (docs/formats/problem.md), the text formats of Siconos (LCP, relay, MLCP,
/// frictional contact in 2D and 3D, local and global), the contact-pile text format, and FCLIB's HDF5. Which one a
/// file is in is told by its content, never by its name.
#ifndef TOUCHSTONE_PROBLEM_FILE_H
#define TOUCHSTONE_PROBLEM_FILE_H

#include "touchstone/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A problem that was read, with the memory it lives in.
typedef struct ts_problem_file ts_problem_file;

/// Read a file. On failure *file is NULL and `error` (may be NULL) holds one sentence, with line and column for text
/// formats. Release with ts_problem_file_destroy(), which accepts NULL.
TS_API ts_status ts_problem_file_read(const char *path, ts_problem_file **file, ts_error *error);

/// The same from memory, for text formats; `bytes` need not end with a zero.
TS_API ts_status ts_problem_file_parse(const char *text, size_t bytes, ts_problem_file **file, ts_error *error);

/// The problem that was read; valid as long as `file`.
TS_API const ts_problem *ts_problem_file_problem(const ts_problem_file *file);
/// What the file turned out to be, such as "Siconos text, 3D friction" (static text).
TS_API const char *ts_problem_file_format(const ts_problem_file *file);
/// Release a file and its problem. Accepts NULL.
TS_API void ts_problem_file_destroy(ts_problem_file *file);

/// Write a problem in our own text format (not MCPs: TS_UNSUPPORTED). The file appears under its name only when it is
/// complete.
TS_API ts_status ts_problem_file_write(const char *path, const ts_problem *problem, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
