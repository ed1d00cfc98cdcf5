// `touchstone list options`: the options of a step.
#ifndef CLI_OPTION_LIST_H
#define CLI_OPTION_LIST_H

void cli_print_step_options(void); // a table
void cli_write_step_options(void); // JSON

#endif
