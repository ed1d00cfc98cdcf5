// Everything that is in use while a document is read: memory, files, the place of every value, the error.
#ifndef TS_DOCUMENT_INPUT_H
#define TS_DOCUMENT_INPUT_H

#include "touchstone/model.h"

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>

struct fy_parser;
struct fy_diag;
struct fy_event;
struct fy_token_iter;
struct ts_document_resource;

typedef struct ts_parameter_set ts_parameter_set;
typedef struct ts_live_number ts_live_number;

// Bounds that no document of a person reaches, and that keep a hostile one from taking all memory.
enum {
  TS_DOCUMENT_BYTES = 64 << 20, // of all files of a document together
  TS_DOCUMENT_NODES = 4000000,  // values, those repeated by aliases included
  TS_DOCUMENT_DEPTH = 32,       // of nesting
  TS_DOCUMENT_KEYS = 4096,      // of one map, those of repeats included
  TS_DOCUMENT_INCLUDES = 16,    // files that include one another
  TS_DOCUMENT_FILES = 256,      // files included in all, each as often as it is
  TS_DOCUMENT_NOTES = 100       // that are kept
};

// Where a value stands. `file` counts the files in the order they were opened, 0 being the document itself; -1-k is
// override k, of which there are no lines.
typedef struct ts_place {
  int file, line, column;
  bool spread; // of a text that goes on in further lines: columns within it cannot be told
} ts_place;

// The place of a character of a text that stands at `place`, from 0; the place itself where that cannot be told.
ts_place ts_place_within(ts_place place, int character);

typedef struct ts_document_input {
  ts_arena arena; // of the tree and all that is made from it
  char *bytes;    // what is left of the piece that small things are cut from
  size_t bytes_left;
  ts_error *error; // never NULL
  const char **files;
  int file_count, file_capacity;
  int included; // files by `include`
  size_t bytes_read;
  int node_count;
  const char *const *overrides;
  const ts_extensions *extensions; // or NULL: none
  ts_parameter_set *parameters;    // that expressions may use (document/parameter_set.h); NULL: none
  ts_live_number *live;            // numbers that depend on them, the last first (document/validate.h)
  struct ts_scene_note *notes;     // room for TS_DOCUMENT_NOTES, or NULL; see notes.h
  int note_count;
  // Held for the time of a call; ts_document_input_release() lets go of them also when memory ran out in the middle.
  struct fy_parser *parser;
  struct fy_diag *diagnostics;
  struct fy_event *event;
  struct fy_token_iter *token_pieces;
  char *content;                 // of the last file, followed by a zero byte
  bool keeps_files;              // what was read once is not read from the disk again
  struct ts_document_file *kept; // such files
  struct ts_document_resource *resources;
} ts_document_input;

void ts_document_input_init(ts_document_input *in, const char *const *overrides, ts_error *error);
void ts_document_input_release(ts_document_input *in);
void ts_document_close_parser(ts_document_input *in);

// What was in use at some time. Going back to it gives all back that came later.
typedef struct ts_document_mark {
  ts_arena_mark arena;
  ts_document_input state; // without what is in the arena
} ts_document_mark;
ts_document_mark ts_document_save(const ts_document_input *in);
void ts_document_restore(ts_document_input *in, const ts_document_mark *mark);

// Keep something until the input is released: it is to be stored where this points to. `release` gets NULL where
// nothing was.
void **ts_document_hold(ts_document_input *in, void (*release)(void *thing));

// Small things without the alignment, and the padding, of arena memory. Zeroed.
void *ts_document_take(ts_document_input *in, size_t bytes);
const char *ts_document_copy_text(ts_document_input *in, const char *text, size_t length);

__attribute__((format(printf, 2, 3))) const char *ts_document_print(ts_document_input *in, const char *format, ...);

// Remember a file by the name that messages have; returns its number.
int ts_document_add_file(ts_document_input *in, const char *name);

// `name` as seen from the folder of a file.
const char *ts_document_beside(ts_document_input *in, int file, const char *name);

// Read a file into in->content, in the place of what is there. `place` is what asks for the file; {0}: nobody but the
// caller. Counts towards TS_DOCUMENT_BYTES. A file that is asked for must be a regular one.
ts_status ts_document_load(ts_document_input *in, const char *path, ts_place place, size_t *length);

// All files that are kept (in->keeps_files), the last first.
void ts_document_visit_kept(const ts_document_input *in,
                            void (*visit)(void *user, const char *path, const char *content, size_t length),
                            void *user);
// What was made of a file where files are kept (in->keeps_files), by a name; NULL: nothing is kept. Where memory runs
// out nothing is, and the file is read again next time.
void ts_document_keep(ts_document_input *in, const char *name, const char *bytes, size_t length);
const char *ts_document_kept(const ts_document_input *in, const char *name, size_t *length);

// One sentence about a place; TS_INVALID.
__attribute__((format(printf, 3, 4))) ts_status ts_document_fail(ts_document_input *in, ts_place place,
                                                                 const char *format, ...);
// Add to the sentence what fits.
void ts_document_add(ts_document_input *in, const char *text);
// Add the place to what a lower layer has said in in->error; passes TS_OK on.
ts_status ts_document_locate(ts_document_input *in, ts_place place, ts_status status);

#endif
