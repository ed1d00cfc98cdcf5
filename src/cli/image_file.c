#include "cli/image_file.h"

#include "cli/allocation.h"
#include "cli/message.h"
#include "cli/word_list.h"

#include <stdio.h>
#include <string.h>

char *cli_name_beside(const char *input, const char *ending)
{
  const char *slash = strrchr(input, '/'), *file = slash ? slash + 1 : input, *dot = strrchr(file, '.');
  const size_t stem = dot && dot > file ? (size_t)(dot - input) : strlen(input);
  char *name = cli_zeros(stem + strlen(ending) + 1, 1);
  memcpy(name, input, stem);
  strcpy(name + stem, ending);
  return name;
}

// ---- formats -------------------------------------------------------------------------------------------------------

static bool takes_pictures(const ts_image_format *format)
{
  return format->create_canvas != NULL;
}

static bool takes_figures(const ts_image_format *format)
{
  return format->write_terminal != NULL;
}

typedef bool usable(const ts_image_format *format);

static int count_usable(usable *is_usable)
{
  int count = 0;
  for (int i = 0; i < ts_image_format_count(); ++i) count += is_usable(ts_image_format_at(i));
  return count;
}

static void list_files(usable *is_usable, const char *stem, char *text, size_t size)
{
  const int count = count_usable(is_usable);
  text[0] = '\0';
  for (int i = 0, k = 0; i < ts_image_format_count(); ++i)
    if (is_usable(ts_image_format_at(i)))
      cli_word_list_add(text, size, k++, count, "%s%s", stem, ts_image_format_at(i)->suffix);
}

static const ts_image_format *choose(const char *path, usable *is_usable, const char *what)
{
  const ts_image_format *format = ts_image_format_of(path);
  if (format && is_usable(format)) return format;
  char endings[80];
  list_files(is_usable, "", endings, sizeof endings);
  cli_message("%s: %s are written as %s", path, what, endings);
  return NULL;
}

const ts_image_format *cli_picture_format(const char *path)
{
  return choose(path, takes_pictures, "pictures");
}

const ts_image_format *cli_figure_format(const char *path)
{
  return choose(path, takes_figures, "figures");
}

static void list_picture_files(char *text, size_t size)
{
  list_files(takes_pictures, "FILE", text, size);
}

static void list_figure_files(char *text, size_t size)
{
  list_files(takes_figures, "FILE", text, size);
}

const cli_value cli_value_picture_file = {"a file", cli_set_text, cli_show_text, list_picture_files};
const cli_value cli_value_figure_file = {"a file", cli_set_text, cli_show_text, list_figure_files};

// ---- sizes ---------------------------------------------------------------------------------------------------------

static bool set_size(const char *text, void *field)
{
  int width = 0, height = 0, end = 0;
  if (strlen(text) > 16 || sscanf(text, "%dx%d%n", &width, &height, &end) != 2 || text[end]) return false;
  if (width < TS_CANVAS_LEAST || height < TS_CANVAS_LEAST || width > TS_CANVAS_MOST || height > TS_CANVAS_MOST)
    return false;
  *(ts_image_size *)field = (ts_image_size){width, height};
  return true;
}

static void show_size(const void *field, char *text, size_t size)
{
  const ts_image_size *value = field;
  if (value->width > 0)
    snprintf(text, size, "%dx%d", value->width, value->height);
  else
    snprintf(text, size, "%s", "");
}

const cli_value cli_value_image_size = {"a size such as '900x600', 16 to 8192 a side", set_size, show_size, NULL};
