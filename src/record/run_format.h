// Formats of runs on disk. A new one is a file with its table, and a line in run_format.c.
#ifndef TS_RECORD_RUN_FORMAT_H
#define TS_RECORD_RUN_FORMAT_H

#include "record/record.h"
#include "record/sink.h"

// A format with the functions that write and read it.
typedef struct ts_run_store {
  ts_run_format format;
  const char *known_by; // "an HDF5 file": what a run in this format is, for the sentence about a file that is none
  // Begin a run. The layout must outlive the sink; its vocabularies may grow. On failure *sink is NULL and nothing is
  // left behind.
  ts_status (*create)(const char *path, const ts_run_layout *layout, ts_sink **sink, ts_error *error);
  // Whether a file that begins with these bytes is to be read in this format.
  bool (*recognizes)(const char *path, const char *begin, size_t count);
  ts_status (*read)(const char *path, ts_record *record, ts_error *error); // into a zeroed record
} ts_run_store;

enum { TS_RUN_BEGIN = 16 }; // bytes that a format is recognized by

// The format for a run that is to be written under a name. NULL: no format has names that end so, and `error` says how
// they do.
const ts_run_store *ts_run_store_for(const char *path, ts_error *error);
// The format of a file that can be read. NULL: it cannot, or it is no run, and `error` says so.
const ts_run_store *ts_run_store_of(const char *path, ts_error *error);

// Say which formats can be resumed. Returns TS_INVALID.
ts_status ts_run_refuse_resuming(ts_error *error);

#endif
