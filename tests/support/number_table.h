// Tables of numbers in text files: Siconos' .ref (first line "rows columns") and CSV with one heading line.
#ifndef TS_TESTS_NUMBER_TABLE_H
#define TS_TESTS_NUMBER_TABLE_H

#include <stdbool.h>

typedef struct number_table {
  int rows, columns;
  double *values; // row after row
} number_table;

// False when the file cannot be read; then `table` needs no release.
bool number_table_read_ref(const char *path, number_table *table);
bool number_table_read_csv(const char *path, number_table *table);
number_table number_table_need_csv(const char *path); // fails the test when the file cannot be read
void number_table_release(number_table *table);
double number_table_at(const number_table *table, int row, int column);
const double *number_table_row(const number_table *table, int row);

#endif
