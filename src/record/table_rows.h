// What a simulation says after a step, as rows of the tables. `row` has room for all columns.
#ifndef TS_RECORD_TABLE_ROWS_H
#define TS_RECORD_TABLE_ROWS_H

#include "record/layout.h"

void ts_run_state_row(const ts_run_layout *layout, const ts_sim *sim, double *row);
void ts_run_joint_row(const ts_run_layout *layout, const ts_sim *sim, double *row);
void ts_run_impact_row(const ts_located_impact *i, double *row);
void ts_run_contact_row(double t, double h, const ts_contact *c, double mean, double max, double *row);
void ts_run_step_row(double t, int solver, const ts_step_report *r, double *row); // solver: its number

#endif
