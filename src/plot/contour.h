// The line along which numbers on a grid have one value.
#ifndef TS_PLOT_CONTOUR_H
#define TS_PLOT_CONTOUR_H

// Numbers at the crossings of places, `value[i*y_count + j]` at x[i], y[j]. NAN: there is none, nor a line beside it.
typedef struct ts_contour_field {
  int x_count, y_count;
  const double *x, *y, *values;
} ts_contour_field;

// Calls add(user, x, y, x, y) for every piece of the line: in each cell between crossings as if numbers changed evenly
// along its sides (marching squares). Where both diagonals disagree, the mean of the cell decides.
void ts_contour_find(const ts_contour_field *field, double level,
                     void (*add)(void *user, double x0, double y0, double x1, double y1), void *user);

#endif
