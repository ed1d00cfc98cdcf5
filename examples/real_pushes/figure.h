// Recorded and predicted motion of all folders in a picture: arrows on the outline, and how far the triangle turned.
#ifndef REAL_PUSHES_FIGURE_H
#define REAL_PUSHES_FIGURE_H

#include "predict.h"

#include <stdio.h>

// Each folder is a column: begin_figure(), then for each folder begin_column() and draw_push(), then end_figure().
void begin_figure(FILE *svg, int columns);
void begin_column(FILE *svg, int column, const folder *f);
void draw_push(FILE *svg, int column, const push *p, const prediction *predicted);
void end_figure(FILE *svg);

#endif
