// Tables: columns as wide as they need to be, words to the left, numbers to the right, no blanks at the end of a line.
#define _POSIX_C_SOURCE 200809L // fmemopen
#include "cli/table.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { TEXT_SIZE = 1 << 16 };

static void print_into(char *text, const cli_table *table, int indent)
{
  FILE *stream = fmemopen(text, TEXT_SIZE, "w");
  assert_non_null(stream);
  cli_table_print(table, indent, stream);
  fclose(stream);
}

static void columns_are_aligned(void **state)
{
  (void)state;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "solver", 'l');
  cli_table_column(&table, "steps", 'r');
  cli_table_column(&table, "note", 'l');
  cli_table_row(&table);
  cli_table_cell(&table, "%s", "lemke");
  cli_table_cell(&table, "%d", 1234567);
  cli_table_cell(&table, "%s", "fine");
  cli_table_row(&table); // cells that are not set stay empty
  cli_table_cell(&table, "%s", "pathsearch");
  cli_table_cell(&table, "%d", 3);
  char text[TEXT_SIZE];
  print_into(text, &table, 2);
  assert_string_equal(text, "  solver        steps  note\n"
                            "  lemke       1234567  fine\n"
                            "  pathsearch        3\n");
  cli_table_destroy(&table);
}

static void long_cells_are_cut_and_many_rows_kept(void **state)
{
  (void)state;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "x", 'l');
  char cell[1000];
  memset(cell, 'y', sizeof cell - 1);
  cell[sizeof cell - 1] = '\0';
  cli_table_row(&table);
  cli_table_cell(&table, "%s", cell);
  for (int i = 0; i < 1000; ++i) {
    cli_table_row(&table);
    cli_table_cell(&table, "%d", i);
  }
  char text[TEXT_SIZE];
  print_into(text, &table, 0);
  assert_int_equal(strcspn(strchr(text, '\n') + 1, "\n"), CLI_CELL_SIZE - 1);
  assert_non_null(strstr(text, "\n999\n"));
  cli_table_destroy(&table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_aligned),
      cmocka_unit_test(long_cells_are_cut_and_many_rows_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
