// Files that pictures and figures go to: their names, formats and sizes.
#ifndef TS_CLI_IMAGE_FILE_H
#define TS_CLI_IMAGE_FILE_H

#include "cli/arguments.h"

#include "draw/image_format.h"

// The name of an input file with its suffix replaced by `ending` (".plot.svg"). Release with free().
char *cli_name_beside(const char *input, const char *ending);

// The format that a file's name chooses. NULL after one sentence: it takes no pictures, or no figures.
const ts_image_format *cli_picture_format(const char *path);
const ts_image_format *cli_figure_format(const char *path);

// Names of files, which list "FILE.svg or FILE.png".
extern const cli_value cli_value_picture_file, cli_value_figure_file;
extern const cli_value cli_value_image_size; // "900x600"; zeros: shown as no default

#endif
