#include "document/yaml.h"

#include "document/encoding.h"

#include <libfyaml.h>
#include <string.h>

// What the next event says, copied so that the event can go at once.
typedef struct yaml_event {
  enum fy_event_type type;
  ts_place place;
  const char *text;   // scalar, alias
  const char *anchor; // or NULL
  bool plain;
} yaml_event;

typedef struct anchor {
  struct anchor *older;
  const char *name;
  const ts_node *node;
} anchor;

typedef struct yaml_reader {
  ts_document_input *in;
  int file;
  int depth;
  ts_place last;   // of the last event
  anchor *anchors; // the newest of a name counts
} yaml_reader;

// ---- events --------------------------------------------------------------------------------------------------------

// libfyaml collects its messages; the first one says what is wrong. Now and then it has none.
static ts_status refuse_syntax(yaml_reader *reader)
{
  void *iterator = NULL;
  const struct fy_diag_error *first = fy_diag_errors_iterate(reader->in->diagnostics, &iterator);
  if (!first) return ts_document_fail(reader->in, reader->last, "what follows this is not YAML");
  const ts_place place = {.file = reader->file,
                          .line = first->line > 0 ? first->line : 1,
                          .column = first->column > 0 ? first->column : 1};
  const bool behind_quotes = strstr(first->msg, "content after single-quoted") != NULL; // as in 'left arm'.x
  return ts_document_fail(reader->in, place, "this is not YAML: %s%s", first->msg,
                          behind_quotes ? "; put all of the text in double quotes" : "");
}

// The text of a token piece by piece, into `text` where that is not NULL; false when libfyaml fails.
// fy_token_get_text() would be one call, but libfyaml 0.7.12 leaks memory in it when a text has many escapes.
static bool read_token(ts_document_input *in, struct fy_token *token, char *text, size_t *length)
{
  int failure = 0;
  const struct fy_iter_chunk *chunk = NULL;
  *length = 0;
  fy_token_iter_start(token, in->token_pieces);
  while ((chunk = fy_token_iter_chunk_next(in->token_pieces, chunk, &failure)) != NULL) {
    if (text) memcpy(text + *length, chunk->str, chunk->len);
    *length += chunk->len;
  }
  fy_token_iter_finish(in->token_pieces);
  return failure == 0;
}

static ts_status copy_token(yaml_reader *reader, struct fy_token *token, ts_place place, const char **text)
{
  size_t length = 0;
  if (token && !read_token(reader->in, token, NULL, &length))
    return ts_document_fail(reader->in, place, "this text cannot be read");
  char *copy = ts_document_take(reader->in, length + 1);
  if (token) read_token(reader->in, token, copy, &length);
  if (memchr(copy, '\0', length)) return ts_document_fail(reader->in, place, "a text with a zero character in it");
  *text = copy;
  return TS_OK;
}

// Of a text in quotes libfyaml marks what follows the quote.
static bool is_quoted(struct fy_token *value)
{
  const enum fy_scalar_style style = fy_token_scalar_style(value);
  return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

// Whether a text has several lines, or stands below its key.
static bool is_spread(struct fy_token *value)
{
  const enum fy_scalar_style style = fy_token_scalar_style(value);
  const struct fy_mark *start = fy_token_start_mark(value), *end = fy_token_end_mark(value);
  return style == FYSS_LITERAL || style == FYSS_FOLDED || (start && end && start->line != end->line);
}

static ts_status copy_event(yaml_reader *reader, struct fy_event *from, yaml_event *event)
{
  struct fy_token *value = NULL, *name = NULL, *tag = NULL;
  const struct fy_mark *mark = fy_event_start_mark(from);
  *event = (yaml_event){.type = from->type, .place = reader->last}; // an empty value is nowhere: its key stands for it
  if (mark) event->place = (ts_place){.file = reader->file, .line = mark->line + 1, .column = mark->column + 1};
  reader->last = event->place;
  switch (from->type) {
  case FYET_SCALAR:
    value = from->scalar.value, name = from->scalar.anchor, tag = from->scalar.tag;
    event->plain = fy_token_scalar_style(value) == FYSS_PLAIN;
    if (is_quoted(value)) --event->place.column;
    event->place.spread = is_spread(value);
    break;
  case FYET_ALIAS:
    value = from->alias.anchor;
    break;
  case FYET_SEQUENCE_START:
    name = from->sequence_start.anchor, tag = from->sequence_start.tag;
    break;
  case FYET_MAPPING_START:
    name = from->mapping_start.anchor, tag = from->mapping_start.tag;
    break;
  default:
    return TS_OK;
  }
  if (tag) return ts_document_fail(reader->in, event->place, "tags ('!...') have no meaning in a scene");
  if (name) TS_TRY(copy_token(reader, name, event->place, &event->anchor));
  return copy_token(reader, value, event->place, &event->text);
}

static ts_status next_event(yaml_reader *reader, yaml_event *event)
{
  ts_document_input *in = reader->in;
  in->event = fy_parser_parse(in->parser);
  if (!in->event || fy_parser_get_stream_error(in->parser)) return refuse_syntax(reader);
  const ts_status status = copy_event(reader, in->event, event);
  fy_parser_event_free(in->parser, in->event);
  in->event = NULL;
  return status;
}

// ---- tree ----------------------------------------------------------------------------------------------------------

static ts_status parse_value(yaml_reader *reader, const yaml_event *event, ts_node **node);

static ts_status parse_items(yaml_reader *reader, ts_node *list)
{
  for (;;) {
    yaml_event event;
    TS_TRY(next_event(reader, &event));
    if (event.type == FYET_SEQUENCE_END) return TS_OK;
    ts_node *item;
    TS_TRY(parse_value(reader, &event, &item));
    ts_node_append(list, item);
  }
}

// Move what `map` does not have itself from the map `source`.
static ts_status merge_map(ts_document_input *in, ts_node *map, const ts_node *source)
{
  if (source->kind != TS_NODE_MAP) return ts_document_fail(in, source->place, "'<<' merges a map, or a list of maps");
  for (ts_node *child = source->first; child;) {
    ts_node *next = child->next;
    if (!ts_node_find(map, child->key)) ts_node_append(map, child);
    child = next;
  }
  return TS_OK;
}

static ts_status merge_all(ts_document_input *in, ts_node *map, ts_node *sources)
{
  if (sources->kind != TS_NODE_LIST) return merge_map(in, map, sources);
  for (const ts_node *source = sources->first; source; source = source->next) TS_TRY(merge_map(in, map, source));
  return TS_OK;
}

static ts_status parse_entries(yaml_reader *reader, ts_node *map)
{
  ts_node *sources = NULL; // of `<<`
  for (;;) {
    yaml_event key, event;
    TS_TRY(next_event(reader, &key));
    if (key.type == FYET_MAPPING_END) break;
    if (key.type != FYET_SCALAR) return ts_document_fail(reader->in, key.place, "a key must be a text");
    TS_TRY(next_event(reader, &event));
    ts_node *value;
    TS_TRY(parse_value(reader, &event, &value));
    const bool merges = key.plain && strcmp(key.text, "<<") == 0;
    if (merges ? sources != NULL : ts_node_find(map, key.text) != NULL)
      return ts_document_fail(reader->in, key.place, "the key '%.60s' is given twice", key.text);
    if (map->count >= TS_DOCUMENT_KEYS)
      return ts_document_fail(reader->in, key.place, "a map has more than %d keys", TS_DOCUMENT_KEYS);
    if (merges)
      sources = value;
    else
      ts_node_set(map, key.text, key.place, value);
  }
  return sources ? merge_all(reader->in, map, sources) : TS_OK;
}

static int height_of(const ts_node *node)
{
  int height = 0;
  for (const ts_node *child = node->first; child; child = child->next) {
    const int below = 1 + height_of(child);
    if (below > height) height = below;
  }
  return height;
}

static ts_status refuse_depth(yaml_reader *reader, ts_place place)
{
  return ts_document_fail(reader->in, place, "values are nested more than %d deep", TS_DOCUMENT_DEPTH);
}

static ts_status copy_anchored(yaml_reader *reader, const yaml_event *event, ts_node **node)
{
  for (const anchor *known = reader->anchors; known; known = known->older) {
    if (strcmp(known->name, event->text) != 0) continue;
    if (reader->depth + height_of(known->node) > TS_DOCUMENT_DEPTH) return refuse_depth(reader, event->place);
    *node = ts_node_copy(reader->in, known->node);
    return *node ? TS_OK : reader->in->error->status;
  }
  return ts_document_fail(reader->in, event->place, "there is no complete value with the anchor '&%.60s' before this",
                          event->text);
}

static ts_status parse_children(yaml_reader *reader, ts_node *node)
{
  if (++reader->depth > TS_DOCUMENT_DEPTH) return refuse_depth(reader, node->place);
  TS_TRY(node->kind == TS_NODE_LIST ? parse_items(reader, node) : parse_entries(reader, node));
  --reader->depth;
  return TS_OK;
}

// An anchor is known when its value is complete, so no value contains itself.
static void remember_anchor(yaml_reader *reader, const char *name, const ts_node *node)
{
  anchor *known = ts_document_take(reader->in, sizeof *known);
  *known = (anchor){reader->anchors, name, node};
  reader->anchors = known;
}

static ts_status parse_value(yaml_reader *reader, const yaml_event *event, ts_node **node)
{
  if (event->type == FYET_ALIAS) return copy_anchored(reader, event, node);
  const ts_node_kind kind = event->type == FYET_SEQUENCE_START  ? TS_NODE_LIST
                            : event->type == FYET_MAPPING_START ? TS_NODE_MAP
                                                                : TS_NODE_SCALAR;
  *node = ts_node_create(reader->in, kind, event->place);
  if (!*node) return reader->in->error->status;
  (*node)->text = event->text;
  (*node)->plain = event->plain;
  if (kind != TS_NODE_SCALAR) TS_TRY(parse_children(reader, *node));
  if (event->anchor) remember_anchor(reader, event->anchor, *node);
  return TS_OK;
}

static ts_status parse_document(yaml_reader *reader, ts_node **root)
{
  yaml_event event;
  *root = NULL;
  for (;;) {
    TS_TRY(next_event(reader, &event));
    if (event.type == FYET_STREAM_END) break;
    if (event.type == FYET_STREAM_START || event.type == FYET_DOCUMENT_END) continue;
    if (event.type == FYET_DOCUMENT_START && *root)
      return ts_document_fail(reader->in, event.place, "a second document begins here; a scene is one document");
    if (event.type != FYET_DOCUMENT_START) TS_TRY(parse_value(reader, &event, root));
  }
  if (*root && !ts_node_is_null(*root)) return TS_OK;
  return ts_document_fail(reader->in, (ts_place){.file = reader->file, .line = 1, .column = 1}, "there is nothing in it");
}

// ---- parser --------------------------------------------------------------------------------------------------------

static void say_nothing(struct fy_diag *diagnostics, void *user, const char *text, size_t length)
{
  (void)diagnostics, (void)user, (void)text, (void)length;
}

static bool open_parser(ts_document_input *in, const char *text, size_t length)
{
  struct fy_diag_cfg messages;
  fy_diag_cfg_default(&messages);
  messages.fp = NULL;
  messages.output_fn = say_nothing;
  in->diagnostics = fy_diag_create(&messages);
  if (!in->diagnostics) return false;
  fy_diag_set_collect_errors(in->diagnostics, true);
  const struct fy_parse_cfg settings = {.search_path = "", .flags = FYPCF_JSON_NONE, .diag = in->diagnostics};
  in->parser = fy_parser_create(&settings);
  in->token_pieces = fy_token_iter_create(NULL);
  return in->parser && in->token_pieces && fy_parser_set_string(in->parser, text, length) == 0;
}

ts_status ts_yaml_parse(ts_document_input *in, const char *text, size_t length, int file, ts_node **root)
{
  TS_TRY(ts_document_check_encoding(in, text, length, file));
  yaml_reader reader = {.in = in, .file = file, .last = {file, 1, 1}};
  const ts_status status = open_parser(in, text, length) ? parse_document(&reader, root)
                                                         : ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_document_close_parser(in);
  return status;
}
