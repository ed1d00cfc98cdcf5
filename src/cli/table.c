#include "cli/table.h"

#include "cli/allocation.h"

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

static const char *text_at(const cli_table *table, int row, int column)
{
  return row < 0 ? table->heading[column] : table->cell[row * table->columns + column]; // row -1: the headings
}

// Nothing is padded after the last cell that holds something, so that no line ends in blanks.
static void print_row(const cli_table *table, int row, const int *width, FILE *out)
{
  int count = table->columns;
  while (count > 0 && *text_at(table, row, count - 1) == '\0') --count;
  for (int j = 0; j < count; ++j) {
    const bool right = table->alignment[j] == 'r', last = j == count - 1;
    fprintf(out, "%s%*s", j > 0 ? "  " : "", right ? width[j] : last ? 0 : -width[j], text_at(table, row, j));
  }
}

void cli_table_print(const cli_table *table, int indent, FILE *out)
{
  int width[CLI_TABLE_COLUMNS];
  for (int j = 0; j < table->columns; ++j) width[j] = width_of(table, j);
  for (int row = -1; row < table->rows; ++row) {
    fprintf(out, "%*s", indent, "");
    print_row(table, row, width, out);
    fputc('\n', out);
  }
}
