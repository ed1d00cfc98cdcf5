#include "study/parameter_table.h"

#include "document/encoding.h"
#include "text/number_text.h"

#include <string.h>

enum { MOST_COLUMNS = 256, MOST_ROWS = 10000000 };

// What is read: the rest of the text, and where it is.
typedef struct table_text {
  ts_document_input *in;
  const char *at;
  ts_place place;
} table_text;

static bool is_line_end(char c)
{
  return c == '\0' || c == '\n' || c == '\r';
}

static void skip_line_end(table_text *text)
{
  if (*text->at == '\r') ++text->at;
  if (*text->at == '\n') ++text->at;
  ++text->place.line;
  text->place.column = 1;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

// The next field without blanks and quotes around it. `more`: another follows in the line.
static ts_status next_field(table_text *text, const char **field, ts_place *place, bool *more)
{
  const char *begin = text->at;
  bool quoted = false;
  for (; !is_line_end(*text->at) && (quoted || *text->at != ','); ++text->at) quoted ^= *text->at == '"';
  const char *end = text->at;
  *place = text->place;
  text->place.column += (int)(end - begin) + 1;
  while (begin < end && is_blank(*begin)) ++begin, ++place->column;
  while (end > begin && is_blank(end[-1])) --end;
  if (quoted) return ts_document_fail(text->in, *place, "a quote in this field has no end");
  if (end - begin >= 2 && *begin == '"' && end[-1] == '"') ++begin, --end;
  *field = ts_document_copy_text(text->in, begin, (size_t)(end - begin));
  *more = *text->at == ',';
  if (*more) ++text->at;
  return TS_OK;
}

static ts_status read_names(table_text *text, ts_parameter_table *table)
{
  bool more = true;
  table->names = ts_document_take(text->in, MOST_COLUMNS * sizeof *table->names);
  table->name_places = ts_document_take(text->in, MOST_COLUMNS * sizeof *table->name_places);
  while (more) {
    const int c = table->columns;
    if (c == MOST_COLUMNS)
      return ts_document_fail(text->in, text->place, "a table may have %d columns", MOST_COLUMNS);
    TS_TRY(next_field(text, &table->names[c], &table->name_places[c], &more));
    if (!*table->names[c]) return ts_document_fail(text->in, table->name_places[c], "a column has no name");
    ++table->columns;
  }
  skip_line_end(text);
  return TS_OK;
}

static ts_status read_row(table_text *text, ts_parameter_table *table)
{
  table->lines[table->rows] = text->place.line;
  for (int c = 0; c < table->columns; ++c) {
    const char *field;
    ts_place place;
    bool more;
    TS_TRY(next_field(text, &field, &place, &more));
    table->starts[c][table->rows] = place.column;
    if (!ts_text_is_number(field, &table->values[c][table->rows]))
      return ts_document_fail(text->in, place, "'%.60s' is no number", field);
    if (more != (c + 1 < table->columns))
      return ts_document_fail(text->in, place, "the line has %s fields than there are names", more ? "more" : "fewer");
  }
  ++table->rows;
  skip_line_end(text);
  return TS_OK;
}

static int count_lines(const char *text)
{
  int lines = 1;
  for (; *text && lines < MOST_ROWS + 2; ++text) lines += *text == '\n';
  return lines;
}

static void make_room(ts_document_input *in, size_t lines, ts_parameter_table *table)
{
  table->values = ts_document_take(in, (size_t)table->columns * sizeof *table->values);
  table->starts = ts_document_take(in, (size_t)table->columns * sizeof *table->starts);
  table->lines = ts_arena_ints(&in->arena, lines);
  for (int c = 0; c < table->columns; ++c) {
    table->values[c] = ts_arena_doubles(&in->arena, lines);
    table->starts[c] = ts_arena_ints(&in->arena, lines);
  }
}

ts_place ts_parameter_table_place(const ts_parameter_table *table, int column, int row)
{
  return (ts_place){
      .file = table->name_places[column].file, .line = table->lines[row], .column = table->starts[column][row]};
}

ts_status ts_parameter_table_read(ts_document_input *in, const ts_node *name, ts_parameter_table *table)
{
  size_t length;
  const char *path = ts_document_beside(in, name->place.file, name->text);
  *table = (ts_parameter_table){0};
  TS_TRY(ts_document_load(in, path, name->place, &length));
  const ts_place begin = {.file = ts_document_add_file(in, path), .line = 1, .column = 1};
  table_text text = {in, in->content + ts_document_mark_length(in->content, length), begin};
  if (strlen(in->content) != length)
    return ts_document_fail(in, text.place, "there is a zero character in the table");
  const int lines = count_lines(in->content);
  if (lines > MOST_ROWS) return ts_document_fail(in, text.place, "a table may have %d rows", MOST_ROWS);
  TS_TRY(read_names(&text, table));
  make_room(in, (size_t)lines, table);
  while (*text.at)
    if (is_line_end(*text.at))
      skip_line_end(&text);
    else
      TS_TRY(read_row(&text, table));
  return table->rows > 0 ? TS_OK : ts_document_fail(in, text.place, "the table has no rows");
}
