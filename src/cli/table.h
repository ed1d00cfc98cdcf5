// A table in aligned columns: words to the left, numbers to the right.
#ifndef TS_CLI_TABLE_H
#define TS_CLI_TABLE_H

#include <stdio.h>

enum { CLI_TABLE_COLUMNS = 16, CLI_CELL_SIZE = 400 };

typedef struct cli_table {
  int columns, rows;
  const char *heading[CLI_TABLE_COLUMNS];
  char alignment[CLI_TABLE_COLUMNS]; // 'l' or 'r'
  char (*cell)[CLI_CELL_SIZE];       // rows*columns, row after row
  int filled;                        // cells of the last row that have been set
} cli_table;

void cli_table_init(cli_table *table);
void cli_table_destroy(cli_table *table);
void cli_table_column(cli_table *table, const char *heading, char alignment); // before the first row
void cli_table_row(cli_table *table);
// The next cell of the row.
__attribute__((format(printf, 2, 3))) void cli_table_cell(cli_table *table, const char *format, ...);
void cli_table_print(const cli_table *table, int indent, FILE *out);

#endif
