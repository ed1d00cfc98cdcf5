// The figure that says most about a run at a glance.
#ifndef TS_PLOT_SUMMARY_SHEET_H
#define TS_PLOT_SUMMARY_SHEET_H

#include "plot/figure.h"

#include "touchstone/record.h"

// Add panels for positions, speeds, energy, normal forces and modes of contacts, residual and penetration, as far as
// the run has them. Of many curves those that vary most are shown. The figure's heap tells whether memory sufficed.
void ts_summary_sheet(const ts_record *record, ts_figure *figure);

#endif
