// The figure that says most about a run at a glance.
#ifndef TS_CLI_SUMMARY_SHEET_H
#define TS_CLI_SUMMARY_SHEET_H

#include "cli/figure.h"

#include "touchstone/record.h"

// Add panels for positions, speeds, energy, normal forces and modes of contacts, residual and penetration, as far as
// the run has them. Of many curves those that vary most are shown.
void cli_summary_sheet(const ts_record *record, cli_figure *figure);

#endif
