// Predict recorded pushes of a triangle by a finger, and compare.
// usage: pushes SCENE [-o FOLDER] [-n PUSHES] [-s STEPS] [-r ROUNDS] [-d STEPS] RECORD[:x,y:x,y:x,y] ...
// RECORD is a folder as record.h says, with the three points that the triangle stands on [mm], or without: it stands on
// its flat bottom. Offsets of the finger, its friction and those of the surfaces are fitted on the first half of the
// pushes, the others are predicted. What stands on a flat bottom is not fitted but for its offset and its surface. -n:
// take PUSHES of each folder only. -s: steps a push. -r: rounds of fitting, 0 for none. -d: repeat predictions with
// inertia, in so many steps. -o: where errors.csv and pushes.svg go. Returns 0 when every step was certified.
#include "figure.h"
#include "fit.h"

#include <touchstone/touchstone.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  const char *scene, *output;
  int pushes, steps, rounds, dynamic_steps;
} options;

typedef struct summary {
  double centre, corner, angle, combined, combined_corner; // means over pushes
  double force;                                            // median of relative errors
  double dynamic;                                          // largest difference of the centre with inertia [mm]
  int uncertified, not_unique, steps;
} summary;

static void add_difference(summary *s, const difference *d, int count)
{
  s->centre += d->centre / count;
  s->corner += d->corner / count;
  s->angle += d->angle / count;
  s->combined += combined(d) / count;
  s->combined_corner += (d->corner + 70.7 * d->angle) / count;
}

// The same push with inertia, and both in steps that are as short.
static bool compare_with_dynamics(const assumption *a, const folder *f, const push *p, int steps, summary *s)
{
  assumption slow = *a, fast = *a;
  prediction without, with;
  slow.steps = fast.steps = steps;
  fast.dynamic = true;
  if (!predict(&slow, f, p, &without) || !predict(&fast, f, p, &with)) return false;
  s->uncertified += with.uncertified + without.uncertified;
  s->steps += 2 * steps;
  s->dynamic = fmax(s->dynamic, difference_of(&with.after, &without.after).centre);
  return true;
}

// Predict the second half of a folder's pushes; rows go to the table, arrows to the picture.
static bool predict_others(const options *o, const assumption *a, const folder *f, FILE *table, FILE *svg, int column,
                           summary *s)
{
  const int first = f->pushes / 2, count = f->pushes - first;
  double force[MOST_PUSHES];
  begin_column(svg, column, f);
  for (int i = first; i < f->pushes; ++i) {
    const push *p = &f->push[i];
    prediction r;
    if (!predict(a, f, p, &r)) return false;
    const difference d = difference_of(&r.after, &p->after);
    add_difference(s, &d, count);
    s->uncertified += r.uncertified;
    s->not_unique += r.not_unique;
    s->steps += a->steps;
    force[i - first] = fabs(r.force / p->force - 1.0);
    fprintf(table, "%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d\n", f->name, i, d.centre, d.corner, d.angle, combined(&d),
            p->force, r.force, r.uncertified, r.not_unique);
    draw_push(svg, column, p, &r);
    if (o->dynamic_steps > 0 && !f->is_patch && !compare_with_dynamics(a, f, p, o->dynamic_steps, s)) return false;
  }
  s->force = median(force, count);
  return true;
}

static void print_summary(const assumption *a, const folder *f, const summary *s)
{
  printf(
      "%-12s finger %+.2f mm, friction %.3f, surface %.3f | %.2f mm, %.2f degrees, combined %.2f mm (corner: %.2f mm, "
      "%.2f mm) | force %.1f %% | %d of %d steps uncertified, %d not unique",
      f->name, a->offset, a->friction, a->surface, s->centre, s->angle * 180.0 / TS_PI, s->combined, s->corner,
      s->combined_corner, 100.0 * s->force, s->uncertified, s->steps, s->not_unique);
  if (s->dynamic > 0.0) printf(" | with inertia within %.4f mm", s->dynamic);
  printf("\n");
}

static bool fit_all(const options *o, int count, folder *const *folders, assumption *a)
{
  fit tripods = {0};
  int where[MOST_FOLDERS];
  for (int k = 0; k < count; ++k) {
    a[k] = (assumption){.scene = o->scene, .friction = 0.5, .surface = 0.3, .steps = o->steps};
    if (folders[k]->is_patch) continue;
    where[tripods.folders] = k;
    tripods.folder[tripods.folders] = folders[k];
    tripods.assumption[tripods.folders++] = a[k];
  }
  if (tripods.folders > 0 && isnan(fit_motion(&tripods, o->rounds))) return false;
  for (int k = 0; k < tripods.folders; ++k) a[where[k]] = tripods.assumption[k];
  for (int k = 0; k < count; ++k) {
    if (folders[k]->is_patch) {
      fit patch = {.folders = 1, .folder = {folders[k]}, .assumption = {a[k]}};
      if (tripods.folders > 0) patch.assumption[0].friction = tripods.assumption[0].friction;
      if (isnan(fit_offsets(&patch, o->rounds))) return false;
      a[k] = patch.assumption[0];
    }
    if (!fit_surface(&a[k], folders[k])) return false;
  }
  return true;
}

static bool report_all(const options *o, int count, folder *const *folders, const assumption *a, FILE *table, FILE *svg,
                       int *uncertified)
{
  double sum = 0.0, corner = 0.0;
  int tripods = 0;
  fprintf(table,
          "folder,push,centre_mm,corner_mm,angle_rad,combined_mm,force_N,predicted_force_N,uncertified,not_unique\n");
  begin_figure(svg, count);
  for (int k = 0; k < count; ++k) {
    summary s = {0};
    if (!predict_others(o, &a[k], folders[k], table, svg, k, &s)) return false;
    print_summary(&a[k], folders[k], &s);
    *uncertified += s.uncertified;
    if (folders[k]->is_patch) continue;
    sum += s.combined;
    corner += s.combined_corner;
    tripods += 1;
  }
  end_figure(svg);
  if (tripods > 0)
    printf("%d folders on points: combined mean error %.3f mm (at the corner %.3f mm)\n", tripods, sum / tripods,
           corner / tripods);
  return true;
}

static bool run(const options *o, int count, folder *const *folders, int *uncertified)
{
  assumption a[MOST_FOLDERS];
  char path[1100];
  if (!fit_all(o, count, folders, a)) return false;
  snprintf(path, sizeof path, "%s/errors.csv", o->output);
  FILE *table = fopen(path, "w");
  snprintf(path, sizeof path, "%s/pushes.svg", o->output);
  FILE *svg = fopen(path, "w");
  bool good = table && svg;
  if (!good) fprintf(stderr, "pushes: files cannot be written to %s\n", o->output);
  if (good) good = report_all(o, count, folders, a, table, svg, uncertified);
  if (table && fclose(table) != 0) good = false;
  if (svg && fclose(svg) != 0) good = false;
  return good;
}

// Options before the folders; the number of the first folder, or 0.
static int read_options(int count, char **arguments, options *o)
{
  *o = (options){.output = ".", .pushes = MOST_PUSHES, .steps = 40, .rounds = 2};
  if (count < 2) return 0;
  o->scene = arguments[1];
  int k = 2;
  for (; k + 1 < count && arguments[k][0] == '-'; k += 2) {
    int *number = strcmp(arguments[k], "-n") == 0   ? &o->pushes
                  : strcmp(arguments[k], "-s") == 0 ? &o->steps
                  : strcmp(arguments[k], "-r") == 0 ? &o->rounds
                  : strcmp(arguments[k], "-d") == 0 ? &o->dynamic_steps
                                                    : NULL;
    if (number)
      *number = atoi(arguments[k + 1]);
    else if (strcmp(arguments[k], "-o") == 0)
      o->output = arguments[k + 1];
    else
      return 0;
  }
  return k < count && count - k <= MOST_FOLDERS && o->pushes >= 2 && o->steps >= 1 && o->rounds >= 0 ? k : 0;
}

int main(int count, char **arguments)
{
  options o;
  folder *folders[MOST_FOLDERS] = {NULL};
  const int first = read_options(count, arguments, &o);
  if (first == 0) {
    fprintf(stderr,
            "usage: pushes SCENE [-o FOLDER] [-n PUSHES] [-s STEPS] [-r ROUNDS] [-d STEPS] RECORD[:x,y:x,y:x,y] ...\n");
    return 2;
  }
  bool good = true;
  int read = 0, uncertified = 0;
  for (int k = first; good && k < count; ++k) {
    folder *f = folders[read++] = calloc(1, sizeof *f);
    good = f && read_folder(arguments[k], f);
    if (good && f->pushes > o.pushes) f->pushes = o.pushes;
  }
  if (good) good = run(&o, read, folders, &uncertified);
  for (int k = 0; k < read; ++k) {
    if (folders[k]) forget_folder(folders[k]);
    free(folders[k]);
  }
  return !good ? 2 : uncertified == 0 ? 0 : 1;
}
