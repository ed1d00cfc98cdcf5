#include "number_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static bool read_values(FILE *file, number_table *table)
{
  const size_t count = (size_t)table->rows * (size_t)table->columns;
  table->values = malloc(count * sizeof *table->values);
  for (size_t k = 0; k < count; ++k) {
    if (table->values && fscanf(file, "%lf%*[, \t\r\n]", &table->values[k]) == 1) continue;
    free(table->values);
    return false;
  }
  return true;
}

bool number_table_read_ref(const char *path, number_table *table)
{
  FILE *file = fopen(path, "r");
  if (!file) return false;
  const bool read = fscanf(file, "%d %d", &table->rows, &table->columns) == 2 && read_values(file, table);
  fclose(file);
  return read;
}

// Columns are counted in the heading, rows in the rest.
static bool measure_csv(FILE *file, number_table *table)
{
  int character;
  table->columns = 1;
  table->rows = 0;
  while ((character = getc(file)) != EOF && character != '\n') table->columns += character == ',';
  const long data = ftell(file);
  int last = '\n';
  while ((character = getc(file)) != EOF) {
    table->rows += character == '\n' && last != '\n';
    last = character;
  }
  table->rows += last != '\n';
  return fseek(file, data, SEEK_SET) == 0 && table->rows > 0;
}

bool number_table_read_csv(const char *path, number_table *table)
{
  FILE *file = fopen(path, "r");
  if (!file) return false;
  const bool read = measure_csv(file, table) && read_values(file, table);
  fclose(file);
  return read;
}

number_table number_table_need_csv(const char *path)
{
  number_table table = {0};
  if (!number_table_read_csv(path, &table)) fail_msg("%s cannot be read", path);
  return table;
}

void number_table_release(number_table *table)
{
  free(table->values);
  table->values = NULL;
}

const double *number_table_row(const number_table *table, int row)
{
  return &table->values[(size_t)row * (size_t)table->columns];
}

double number_table_at(const number_table *table, int row, int column)
{
  return number_table_row(table, row)[column];
}
