#include "study/parameter_table.h"

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

// The next field, trimmed; true where another follows in the line.
static bool next_field(table_text *text, const char **field, ts_place *place)
{
  const char *begin = text->at;
  while (!is_line_end(*text->at) && *text->at != ',') ++text->at;
  const char *end = text->at;
  *place = text->place;
  text->place.column += (int)(end - begin) + 1;
  while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '"')) ++begin, ++place->column;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"')) --end;
  *field = ts_document_copy_text(text->in, begin, (size_t)(end - begin));
  if (*text->at != ',') return false;
  ++text->at;
  return true;
}

static ts_status read_names(table_text *text, ts_parameter_table *table)
{
  bool more = true;
  table->names = ts_document_take(text->in, MOST_COLUMNS * sizeof *table->names);
  while (more) {
    ts_place place;
    if (table->columns == MOST_COLUMNS)
      return ts_document_fail(text->in, text->place, "a table may have %d columns", MOST_COLUMNS);
    more = next_field(text, &table->names[table->columns], &place);
    if (!*table->names[table->columns]) return ts_document_fail(text->in, place, "a column has no name");
    ++table->columns;
  }
  skip_line_end(text);
  return TS_OK;
}

static ts_status read_row(table_text *text, ts_parameter_table *table)
{
  for (int c = 0; c < table->columns; ++c) {
    const char *field;
    ts_place place;
    const bool more = next_field(text, &field, &place);
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

ts_status ts_parameter_table_read(ts_document_input *in, const ts_node *name, ts_parameter_table *table)
{
  size_t length;
  const char *path = ts_document_beside(in, name->place.file, name->text);
  *table = (ts_parameter_table){0};
  TS_TRY(ts_document_load(in, path, name->place, &length));
  table->file = ts_document_add_file(in, path);
  table_text text = {in, in->content, {.file = table->file, .line = 1, .column = 1}};
  if (strlen(in->content) != length)
    return ts_document_fail(in, text.place, "there is a zero character in the table");
  const int lines = count_lines(in->content);
  if (lines > MOST_ROWS) return ts_document_fail(in, text.place, "a table may have %d rows", MOST_ROWS);
  TS_TRY(read_names(&text, table));
  table->values = ts_document_take(in, (size_t)table->columns * sizeof *table->values);
  for (int c = 0; c < table->columns; ++c) table->values[c] = ts_arena_doubles(&in->arena, (size_t)lines);
  while (*text.at)
    if (is_line_end(*text.at))
      skip_line_end(&text);
    else
      TS_TRY(read_row(&text, table));
  return table->rows > 0 ? TS_OK : ts_document_fail(in, text.place, "the table has no rows");
}
