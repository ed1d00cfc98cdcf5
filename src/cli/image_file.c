#include "cli/image_file.h"

#include "cli/canvas.h"
#include "cli/memory.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cli_ends_with(const char *text, const char *ending)
{
  const size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcasecmp(text + length - tail, ending) == 0;
}

cli_image_format cli_image_format_of(const char *path)
{
  static const char *const endings[] = {".svg", ".png", ".pdf"};
  for (int i = 0; i < CLI_IMAGE_UNKNOWN; ++i)
    if (cli_ends_with(path, endings[i])) return (cli_image_format)i;
  return CLI_IMAGE_UNKNOWN;
}

char *cli_name_beside(const char *input, const char *ending)
{
  const char *slash = strrchr(input, '/'), *file = slash ? slash + 1 : input, *dot = strrchr(file, '.');
  const size_t stem = dot && dot > file ? (size_t)(dot - input) : strlen(input);
  char *name = cli_zeros(stem + strlen(ending) + 1, 1);
  memcpy(name, input, stem);
  strcpy(name + stem, ending);
  return name;
}

static bool set_size(const char *text, void *field)
{
  int width = 0, height = 0, end = 0;
  if (strlen(text) > 16 || sscanf(text, "%dx%d%n", &width, &height, &end) != 2 || text[end]) return false;
  if (width < CLI_CANVAS_LEAST || height < CLI_CANVAS_LEAST || width > CLI_CANVAS_MOST || height > CLI_CANVAS_MOST)
    return false;
  *(cli_image_size *)field = (cli_image_size){width, height};
  return true;
}

static void show_size(const void *field, char *text, size_t size)
{
  const cli_image_size *value = field;
  if (value->width > 0)
    snprintf(text, size, "%dx%d", value->width, value->height);
  else
    snprintf(text, size, "%s", "");
}

const cli_value cli_value_image_size = {"a size such as '900x600', 16 to 8192 a side", set_size, show_size};
