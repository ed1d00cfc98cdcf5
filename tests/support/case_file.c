#include "case_file.h"

FILE *case_file_open(const char *path)
{
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  int c = fgetc(file);
  while (c == '#') {
    while (c != '\n' && c != EOF) c = fgetc(file);
    c = fgetc(file);
  }
  ungetc(c, file);
  return file;
}

bool case_file_numbers(FILE *file, double *x, int count)
{
  for (int k = 0; k < count; ++k)
    if (fscanf(file, "%lf", &x[k]) != 1) return false;
  return true;
}
