// Fields of tables as comma-separated values, each behind a comma. False: it cannot be written, and errno says why.
#ifndef TS_STUDY_TABLE_FIELDS_H
#define TS_STUDY_TABLE_FIELDS_H

#include "touchstone/study.h"

#include <stdio.h>

bool ts_table_put_name(FILE *out, const char *name);
bool ts_table_put_number(FILE *out, double value); // in the C locale
bool ts_table_put_outcome(FILE *out, ts_trial_end end, const char *text);

#endif
