#include "record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(const char *path, int row, const char *text)
{
  if (row > 0)
    fprintf(stderr, "pushes: %s:%d: %s\n", path, row, text);
  else
    fprintf(stderr, "pushes: %s: %s\n", path, text);
  return false;
}

// `count` finite numbers with commas between them.
static bool parse_row(const char *line, int count, double *v)
{
  for (int k = 0; k < count; ++k) {
    char *end;
    v[k] = strtod(line, &end);
    if (end == line || !isfinite(v[k]) || (k + 1 < count && *end != ',')) return false;
    line = end + 1;
  }
  return true;
}

// What a row of a file adds to the folder; false where it does not fit.
typedef bool take_row(const double *v, folder *f);

static bool take_push(const double *v, folder *f)
{
  if (v[0] != f->pushes || f->pushes == MOST_PUSHES) return false;
  push *p = &f->push[f->pushes++];
  memset(p, 0, sizeof *p);
  p->before = (pose){v[1], v[2], v[3]};
  p->after = (pose){v[4], v[5], v[6]};
  return true;
}

static push *push_of_row(const double *v, folder *f)
{
  return v[0] >= 0.0 && v[0] < f->pushes && v[0] == floor(v[0]) ? &f->push[(int)v[0]] : NULL;
}

static bool take_finger(const double *v, folder *f)
{
  push *p = push_of_row(v, f);
  if (!p || p->samples == MOST_SAMPLES || (p->samples > 0 && v[1] <= p->finger[p->samples - 1].t)) return false;
  p->finger[p->samples].t = v[1];
  p->finger[p->samples].x = v[2];
  p->finger[p->samples].y = v[3];
  p->samples += 1;
  return true;
}

// The finger's path is there before: its end is the end of the push.
static bool take_force(const double *v, folder *f)
{
  push *p = push_of_row(v, f);
  if (!p || p->samples < 2) return false;
  if (v[1] < p->finger[p->samples - 1].t - 2.0) return true;
  p->force_sum += hypot(v[2], v[3]);
  p->force_count += 1;
  p->force = p->force_sum / p->force_count;
  return true;
}

static bool read_table(folder *f, const char *name, int columns, take_row *take)
{
  char path[1100], line[512];
  snprintf(path, sizeof path, "%s/%s", f->path, name);
  FILE *file = fopen(path, "r");
  if (!file) return complain(path, 0, "cannot be opened");
  double v[8];
  int row = 0;
  bool good = true;
  while (good && fgets(line, sizeof line, file))
    if (++row > 1) good = parse_row(line, columns, v) && take(v, f); // the first row has names
  fclose(file);
  if (!good) return complain(path, row, "this row does not fit: see record.h for what it should be");
  return true;
}

// Equal triangles that the triangle consists of, a point in the middle of each: all bear the same.
static void add_grid(folder *f)
{
  enum { ROWS = 4 };
  const double edge = 150.0 / ROWS;
  f->is_patch = true;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; i + j < ROWS; ++j)
      for (int upper = 0; upper < 2 && i + j + upper < ROWS; ++upper) {
        const double part = (1.0 + upper) / 3.0;
        f->support[f->supports][0] = (i + part) * edge;
        f->support[f->supports][1] = (j + part) * edge;
        f->supports += 1;
      }
}

static bool add_supports(folder *f, const char *text)
{
  while (*text == ':') {
    char *end;
    if (f->supports == MOST_SUPPORTS) return complain(f->path, 0, "there are too many points that it stands on");
    double *at = f->support[f->supports++];
    at[0] = strtod(text + 1, &end);
    if (*end != ',') return complain(f->path, 0, "points are written as :x,y");
    at[1] = strtod(end + 1, &end);
    text = end;
  }
  if (*text != '\0' || (f->supports > 0 && f->supports != 3))
    return complain(f->path, 0, "three points are needed that it stands on, or none for its flat bottom");
  if (f->supports == 0) add_grid(f);
  return true;
}

static bool is_complete(const folder *f)
{
  for (int i = 0; i < f->pushes; ++i)
    if (f->push[i].samples < 2 || f->push[i].force_count == 0)
      return complain(f->path, 0, "a push has no path of the finger, or no forces");
  return f->pushes >= 2 || complain(f->path, 0, "there are less than two pushes");
}

bool read_folder(const char *argument, folder *result)
{
  const size_t length = strcspn(argument, ":");
  memset(result, 0, sizeof *result);
  char *path = malloc(length + 1);
  if (!path) return complain(argument, 0, "memory ran out");
  memcpy(path, argument, length);
  path[length] = '\0';
  result->path = path;
  const char *slash = strrchr(path, '/');
  snprintf(result->name, sizeof result->name, "%s", slash ? slash + 1 : path);
  return add_supports(result, argument + length) && read_table(result, "pushes.csv", 7, take_push) &&
         read_table(result, "finger.csv", 4, take_finger) && read_table(result, "force.csv", 4, take_force) &&
         is_complete(result);
}

void forget_folder(folder *f)
{
  free((void *)f->path);
  f->path = NULL;
}
