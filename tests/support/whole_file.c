#include "whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

char *read_bytes(const char *path, size_t *bytes)
{
  FILE *stream = fopen(path, "rb");
  if (!stream) return NULL;
  fseek(stream, 0, SEEK_END);
  *bytes = (size_t)ftell(stream);
  rewind(stream);
  char *content = malloc(*bytes);
  const size_t got = fread(content, 1, *bytes, stream);
  fclose(stream);
  assert_int_equal(got, *bytes);
  return content;
}

char *read_text(const char *path)
{
  size_t bytes = 0;
  char *content = read_bytes(path, &bytes);
  if (!content) fail_msg("%s is not there", path);
  content = realloc(content, bytes + 1);
  assert_non_null(content);
  content[bytes] = '\0';
  return content;
}

void assert_same_files(const char *a, const char *b)
{
  size_t first, second;
  char *one = read_bytes(a, &first), *other = read_bytes(b, &second);
  assert_non_null(one);
  assert_non_null(other);
  assert_int_equal(first, second);
  assert_memory_equal(one, other, first);
  free(one);
  free(other);
}
