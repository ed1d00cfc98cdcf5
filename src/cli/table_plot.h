// Figures of tables, for the verb plot.
#ifndef TS_CLI_TABLE_PLOT_H
#define TS_CLI_TABLE_PLOT_H

#include "plot/table_figure.h"

typedef struct cli_table_plot {
  const char *input, *output, *title; // title: NULL: the name of the study, or of the file
  ts_image_size size;                 // 0: as it needs
  ts_table_choice choice;
} cli_table_plot;

// The option of tables that was given, or NULL.
const char *cli_table_plot_option(const ts_table_choice *choice);

// False after one sentence.
bool cli_plot_table(const cli_table_plot *request);

#endif
