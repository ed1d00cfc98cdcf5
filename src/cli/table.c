#include "cli/table.h"

#include "cli/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void cli_table_init(cli_table *table)
{
  *table = (cli_table){0};
}

void cli_table_destroy(cli_table *table)
{
  free(table->cell);
  cli_table_init(table);
}

void cli_table_column(cli_table *table, const char *heading, char alignment)
{
  assert(table->columns < CLI_TABLE_COLUMNS && table->rows == 0);
  table->heading[table->columns] = heading;
  table->alignment[table->columns++] = alignment;
}

void cli_table_row(cli_table *table)
{
  const size_t before = (size_t)table->rows * (size_t)table->columns, row = (size_t)table->columns;
  table->cell = cli_grow(table->cell, before + row, sizeof *table->cell);
  memset(table->cell + before, 0, row * sizeof *table->cell);
  ++table->rows;
  table->filled = 0;
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
  assert(table->rows > 0 && table->filled < table->columns);
  char *cell = table->cell[(table->rows - 1) * table->columns + table->filled++];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(cell, CLI_CELL_SIZE, format, arguments);
  va_end(arguments);
}

static int width_of(const cli_table *table, int column)
{
  size_t width = strlen(table->heading[column]);
  for (int i = 0; i < table->rows; ++i) {
    const size_t length = strlen(table->cell[i * table->columns + column]);
    if (length > width) width = length;
  }
  return (int)width;
}

// The last column is not padded on its right, so that no line ends in blanks.
static void print_cell(const cli_table *table, int column, int width, const char *text, FILE *out)
{
  const bool last = column == table->columns - 1;
  if (column > 0) fputs("  ", out);
  if (table->alignment[column] == 'r')
    fprintf(out, "%*s", width, text);
  else
    fprintf(out, "%-*s", last ? 0 : width, text);
}

void cli_table_print(const cli_table *table, int indent, FILE *out)
{
  int width[CLI_TABLE_COLUMNS];
  for (int j = 0; j < table->columns; ++j) width[j] = width_of(table, j);
  for (int i = -1; i < table->rows; ++i) { // row -1: the headings
    fprintf(out, "%*s", indent, "");
    for (int j = 0; j < table->columns; ++j)
      print_cell(table, j, width[j], i < 0 ? table->heading[j] : table->cell[i * table->columns + j], out);
    fputc('\n', out);
  }
}
