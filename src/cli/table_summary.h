// What a table of a study says, as text or JSON.
#ifndef TS_CLI_TABLE_SUMMARY_H
#define TS_CLI_TABLE_SUMMARY_H

#include <stdbool.h>

// `path` is a table, or a study whose table is `output` (NULL: where a sweep puts it). Returns the exit status.
int cli_summarize_table(const char *path, const char *output, bool as_json);

#endif
