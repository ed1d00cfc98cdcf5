// Files that pictures go to: their names, formats and sizes.
#ifndef TS_CLI_IMAGE_FILE_H
#define TS_CLI_IMAGE_FILE_H

#include "cli/arguments.h"

typedef enum cli_image_format { CLI_IMAGE_SVG, CLI_IMAGE_PNG, CLI_IMAGE_PDF, CLI_IMAGE_UNKNOWN } cli_image_format;

// What the end of a file's name says.
cli_image_format cli_image_format_of(const char *path);

// The name of an input file with its suffix replaced by `ending` (".plot.svg"). Release with free().
char *cli_name_beside(const char *input, const char *ending);

bool cli_ends_with(const char *text, const char *ending);

typedef struct cli_image_size {
  int width, height; // [pixels]
} cli_image_size;
extern const cli_value cli_value_image_size; // "900x600"; zeros: shown as no default

#endif
