// Panels of joints for the summary.
#ifndef TS_PLOT_JOINT_PANELS_H
#define TS_PLOT_JOINT_PANELS_H

#include "plot/figure.h"

#include "touchstone/record.h"

// Positions and motor forces, angles and lengths apart, and sizes of reactions, as far as the run has them.
void ts_joint_panels(const ts_record *record, const double *times, int count, ts_figure *figure);

#endif
