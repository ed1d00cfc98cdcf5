// Names that results and conditions may use, for `touchstone list`.
#ifndef TS_CLI_QUANTITY_LIST_H
#define TS_CLI_QUANTITY_LIST_H

void cli_print_quantities(void);
void cli_write_quantities(void); // JSON

#endif
