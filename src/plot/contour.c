#include "plot/contour.h"

#include <math.h>

typedef struct crossing {
  double x, y;
} crossing;

// A cell's corners, counted round: (0, 0), (1, 0), (1, 1), (0, 1).
typedef struct cell {
  double x[4], y[4], value[4];
} cell;

static cell cell_at(const ts_contour_field *field, int i, int j)
{
  static const int right[] = {0, 1, 1, 0}, up[] = {0, 0, 1, 1};
  cell c;
  for (int k = 0; k < 4; ++k) {
    c.x[k] = field->x[i + right[k]];
    c.y[k] = field->y[j + up[k]];
    c.value[k] = field->values[(i + right[k]) * field->y_count + j + up[k]];
  }
  return c;
}

// Where the level lies on the side from corner k to the next.
static crossing cross(const cell *c, int k, double level)
{
  const int next = (k + 1) % 4;
  const double part = (level - c->value[k]) / (c->value[next] - c->value[k]);
  return (crossing){c->x[k] + part * (c->x[next] - c->x[k]), c->y[k] + part * (c->y[next] - c->y[k])};
}

void ts_contour_find(const ts_contour_field *field, double level,
                     void (*add)(void *user, double x0, double y0, double x1, double y1), void *user)
{
  for (int i = 0; i + 1 < field->x_count; ++i)
    for (int j = 0; j + 1 < field->y_count; ++j) {
      const cell c = cell_at(field, i, j);
      crossing found[4];
      int count = 0;
      const double mean = 0.25 * (c.value[0] + c.value[1] + c.value[2] + c.value[3]);
      if (isnan(mean)) continue;
      for (int k = 0; k < 4; ++k)
        if ((c.value[k] >= level) != (c.value[(k + 1) % 4] >= level)) found[count++] = cross(&c, k, level);
      // of four crossings, on sides 0 to 3, those belong together that cut off the corners unlike the middle
      const int first = count == 4 && (c.value[0] >= level) == (mean >= level) ? 0 : 1;
      if (count == 2) add(user, found[0].x, found[0].y, found[1].x, found[1].y);
      if (count < 4) continue;
      add(user, found[first].x, found[first].y, found[first + 1].x, found[first + 1].y);
      add(user, found[(first + 2) % 4].x, found[(first + 2) % 4].y, found[(first + 3) % 4].x, found[(first + 3) % 4].y);
    }
}
