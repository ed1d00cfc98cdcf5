#include "cli/run_file.h"

#include "cli/word_list.h"

#include "touchstone/record.h"

#include <limits.h>

// ".h5, .hdf5", and what there is beside such a file.
static void describe_files(const ts_run_format *format, char *text, size_t size)
{
  text[0] = '\0';
  for (int i = 0; format->suffixes[i]; ++i) cli_word_list_add(text, size, i, INT_MAX, "%s", format->suffixes[i]);
  if (*format->beside) cli_word_list_add(text, size, 1, INT_MAX, "%s", format->beside);
}

static void list_files(char *text, size_t size)
{
  text[0] = '\0';
  for (int i = 0; i < ts_run_format_count(); ++i) {
    char files[120];
    describe_files(ts_run_format_at(i), files, sizeof files);
    cli_word_list_add(text, size, i, ts_run_format_count(), "%s (%s)", ts_run_format_at(i)->name, files);
  }
}

const cli_value cli_value_run_file = {"a file", cli_set_text, cli_show_text, list_files};

bool cli_run_is_resumable(const char *path)
{
  const ts_run_format *format = ts_run_format_of(path);
  return format && format->resumable;
}
