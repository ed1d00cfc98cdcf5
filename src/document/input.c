#define _POSIX_C_SOURCE 200809L
#include "document/input.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct ts_document_resource ts_document_resource;

void ts_document_input_init(ts_document_input *in, const char *const *overrides, ts_error *error)
{
  *in = (ts_document_input){.overrides = overrides, .error = error};
  ts_arena_init(&in->arena, NULL);
}

void ts_document_close_parser(ts_document_input *in)
{
  if (in->token_pieces) fy_token_iter_destroy(in->token_pieces);
  if (in->event) fy_parser_event_free(in->parser, in->event);
  if (in->parser) fy_parser_destroy(in->parser);
  if (in->diagnostics) fy_diag_destroy(in->diagnostics);
  in->token_pieces = NULL;
  in->event = NULL;
  in->parser = NULL;
  in->diagnostics = NULL;
}

struct ts_document_resource {
  void *thing;
  void (*release)(void *thing);
  ts_document_resource *next;
};

void **ts_document_hold(ts_document_input *in, void (*release)(void *thing))
{
  ts_document_resource *resource = ts_document_take(in, sizeof *resource);
  *resource = (ts_document_resource){NULL, release, in->resources};
  in->resources = resource;
  return &resource->thing;
}

// A file as it was when it was read first.
typedef struct ts_document_file {
  struct ts_document_file *older;
  char *path, *content;
  size_t length;
} ts_document_file;

static void release_kept(ts_document_input *in)
{
  for (ts_document_file *file = in->kept, *older; file; file = older) {
    older = file->older;
    free(file->path);
    free(file->content);
    free(file);
  }
}

ts_document_mark ts_document_save(const ts_document_input *in)
{
  return (ts_document_mark){ts_arena_save(&in->arena), *in};
}

// The arena itself has grown since, and files were kept: they stay as they are.
void ts_document_restore(ts_document_input *in, const ts_document_mark *mark)
{
  ts_document_input now = *in;
  for (ts_document_resource *held = in->resources; held != mark->state.resources; held = held->next)
    held->release(held->thing);
  *in = mark->state;
  in->arena = now.arena;
  in->error = now.error;
  in->content = now.content;
  in->kept = now.kept;
  in->keeps_files = now.keeps_files;
  ts_arena_restore(&in->arena, mark->arena);
}

void ts_document_input_release(ts_document_input *in)
{
  ts_document_close_parser(in);
  release_kept(in);
  free(in->content);
  for (ts_document_resource *resource = in->resources; resource; resource = resource->next)
    resource->release(resource->thing);
  ts_arena_release(&in->arena);
}

// ---- memory --------------------------------------------------------------------------------------------------------

enum { PIECE = 1 << 16, ALIGNMENT = 16 };

void *ts_document_take(ts_document_input *in, size_t bytes)
{
  const size_t padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory;
  if (padded > PIECE / 4) {
    memory = ts_arena_bytes(&in->arena, bytes, 1);
  } else {
    if (in->bytes_left < padded) {
      in->bytes = ts_arena_bytes(&in->arena, PIECE, 1);
      in->bytes_left = PIECE;
    }
    memory = in->bytes;
    in->bytes += padded;
    in->bytes_left -= padded;
  }
  return memset(memory, 0, bytes);
}

const char *ts_document_copy_text(ts_document_input *in, const char *text, size_t length)
{
  char *copy = ts_document_take(in, length + 1);
  if (length > 0) memcpy(copy, text, length);
  return copy;
}

const char *ts_document_print(ts_document_input *in, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return ts_document_copy_text(in, text, strlen(text));
}

// ---- files ---------------------------------------------------------------------------------------------------------

int ts_document_add_file(ts_document_input *in, const char *name)
{
  if (in->file_count == in->file_capacity) {
    const int capacity = in->file_capacity > 0 ? 2 * in->file_capacity : 8;
    const char **files = ts_document_take(in, (size_t)capacity * sizeof *files);
    if (in->file_count > 0) memcpy(files, in->files, (size_t)in->file_count * sizeof *files);
    in->files = files;
    in->file_capacity = capacity;
  }
  in->files[in->file_count] = ts_document_copy_text(in, name, strlen(name));
  return in->file_count++;
}

const char *ts_document_beside(ts_document_input *in, int file, const char *name)
{
  const char *base = in->files[file > 0 ? file : 0], *slash = strrchr(base, '/');
  if (name[0] == '/' || !slash) return ts_document_copy_text(in, name, strlen(name));
  const size_t folder = (size_t)(slash - base) + 1, length = strlen(name);
  char *path = ts_document_take(in, folder + length + 1);
  memcpy(path, base, folder);
  memcpy(path + folder, name, length);
  return path;
}

// What the system says about a path, as a sentence at the place that asked for it.
static ts_status refuse_file(ts_document_input *in, ts_place place, const char *path, const char *reason)
{
  if (place.line == 0 && place.file == 0) return ts_fail(in->error, TS_IO, "the file cannot be read: %s", reason);
  ts_document_fail(in, place, "the file '%s' cannot be read: %s", path, reason);
  return in->error->status = TS_IO;
}

// Append the rest of a stream to a buffer from malloc(), and a zero byte; NULL when memory runs out.
static char *read_stream(FILE *stream, size_t limit, size_t *length)
{
  size_t capacity = 1 << 14;
  char *content = malloc(capacity + 1);
  for (*length = 0; content;) {
    *length += fread(content + *length, 1, capacity - *length, stream);
    if (*length < capacity || *length > limit) break;
    char *larger = realloc(content, 2 * capacity + 1);
    if (!larger) free(content);
    content = larger;
    capacity *= 2;
  }
  if (content) content[*length] = '\0';
  return content;
}

static char *read_path(const char *path, size_t limit, size_t *length, const char **reason)
{
  FILE *stream = fopen(path, "rb");
  if (!stream) {
    *reason = strerror(errno);
    return NULL;
  }
  errno = 0;
  char *content = read_stream(stream, limit, length);
  *reason = !content ? "memory ran out" : ferror(stream) ? strerror(errno) : NULL;
  fclose(stream);
  if (!*reason) return content;
  free(content);
  return NULL;
}

// With a zero byte behind them.
static char *copy_bytes(const char *content, size_t length)
{
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, content, length);
  copy[length] = '\0';
  return copy;
}

const char *ts_document_kept(const ts_document_input *in, const char *path, size_t *length)
{
  for (const ts_document_file *file = in->kept; file; file = file->older)
    if (strcmp(file->path, path) == 0) {
      *length = file->length;
      return file->content;
    }
  return NULL;
}

void ts_document_keep(ts_document_input *in, const char *path, const char *bytes, size_t length)
{
  if (!in->keeps_files) return;
  ts_document_file *file = malloc(sizeof *file);
  char *name = copy_bytes(path, strlen(path)), *content = copy_bytes(bytes, length);
  if (file && name && content) {
    *file = (ts_document_file){in->kept, name, content, length};
    in->kept = file;
    return;
  }
  free(file);
  free(name);
  free(content);
}

void ts_document_visit_kept(const ts_document_input *in,
                            void (*visit)(void *user, const char *path, const char *content, size_t length), void *user)
{
  for (const ts_document_file *file = in->kept; file; file = file->older)
    visit(user, file->path, file->content, file->length);
}

static ts_status load_kept(ts_document_input *in, const char *content, size_t length)
{
  char *copy = copy_bytes(content, length);
  if (!copy) return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  free(in->content);
  in->content = copy;
  return TS_OK;
}

ts_status ts_document_load(ts_document_input *in, const char *path, ts_place place, size_t *length)
{
  const char *kept = ts_document_kept(in, path, length);
  if (kept) return load_kept(in, kept, *length);
  const bool asked_for =
      place.line > 0 || place.file != 0; // by another file: then a pipe or a device is no sound answer
  struct stat about;
  if (stat(path, &about) != 0) return refuse_file(in, place, path, strerror(errno));
  if (S_ISDIR(about.st_mode)) return refuse_file(in, place, path, "it is a folder");
  if (asked_for && !S_ISREG(about.st_mode)) return refuse_file(in, place, path, "it is not a regular file");
  const size_t limit = TS_DOCUMENT_BYTES - in->bytes_read;
  const char *reason;
  char *read = read_path(path, limit, length, &reason);
  if (!read) return refuse_file(in, place, path, reason);
  if (*length > limit) {
    free(read);
    return ts_document_fail(in, place, "the files of a scene may have %d MiB together, which is exceeded%s%s%s",
                            TS_DOCUMENT_BYTES >> 20, asked_for ? " by '" : "", asked_for ? path : "",
                            asked_for ? "'" : "");
  }
  in->bytes_read += *length;
  free(in->content);
  in->content = read;
  ts_document_keep(in, path, read, *length);
  return TS_OK;
}

// ---- messages ------------------------------------------------------------------------------------------------------

// A sentence is one line, whatever the texts that it quotes.
static void keep_to_one_line(char *text)
{
  for (char *c = text; *c; ++c)
    if ((unsigned char)*c < ' ' || *c == '\x7f') *c = ' ';
}

// An override has no line: its text leads the sentence instead.
static void set_place(ts_document_input *in, ts_place place)
{
  ts_error *error = in->error;
  error->line = place.line;
  error->column = place.column;
  error->file[0] = '\0';
  if (place.file > 0) snprintf(error->file, sizeof error->file, "%s", in->files[place.file]);
  if (place.file < 0) {
    char sentence[sizeof error->text];
    memcpy(sentence, error->text, sizeof sentence);
    error->line = error->column = 0;
    snprintf(error->text, sizeof error->text, "'%.60s': %.440s", in->overrides[-1 - place.file], sentence);
  }
  keep_to_one_line(error->text);
}

ts_status ts_document_fail(ts_document_input *in, ts_place place, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  in->error->status = TS_INVALID;
  vsnprintf(in->error->text, sizeof in->error->text, format, arguments);
  va_end(arguments);
  set_place(in, place);
  return TS_INVALID;
}

void ts_document_add(ts_document_input *in, const char *text)
{
  strncat(in->error->text, text, sizeof in->error->text - 1 - strlen(in->error->text));
}

ts_place ts_place_within(ts_place place, int character)
{
  if (place.line > 0 && !place.spread) place.column += character;
  return place;
}

ts_status ts_document_locate(ts_document_input *in, ts_place place, ts_status status)
{
  if (status != TS_OK) set_place(in, place);
  return status;
}
