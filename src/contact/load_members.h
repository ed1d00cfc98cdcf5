// The contacts and rows of which loads are selected (redundant_loads.h).
#ifndef TS_CONTACT_LOAD_MEMBERS_H
#define TS_CONTACT_LOAD_MEMBERS_H

#include "contact/redundant_loads.h"

typedef enum ts_load_role { TS_LOAD_OPEN, TS_LOAD_STICKS, TS_LOAD_SLIDES } ts_load_role;

// A block and its unknowns.
typedef struct ts_load_member {
  int block;
  ts_load_role role;
  int normal;     // unknown of its normal, or -1: the load is given
  int tangent[3]; // unknowns of rows that rub, or -1
  int tangents;   // how many of them
  int first, end; // its unknowns
  double load;    // that is given
  double axis[3]; // semi-axes D of the tangents
} ts_load_member;

struct ts_loads {
  ts_load_group group;
  ts_arena *arena;
  int count, size;
  ts_load_member *members;
  int *row;          // of an unknown in r (size)
  double *unit;      // r = unit x (size)
  double *W;         // size x size
  double *c, *x, *u; // (size)
  int held, held_normals, nulls;
  int normal_nulls; // of `nulls` those with no part in tangents, which come first
  int *held_row;    // unknowns (size)
  double *null;     // nulls x held, orthonormal
  double *selects;  // nulls x held: what of x is zero for each
  double spring;    // s
  double *K;        // size x size, factored
  bool is_factored; // K is that of the present point, to 1e-12 of it
  double *held_K;   // size x size: of held rows, where `has_held_K`
  bool has_held_K;
  int *pivots;
};

// The semi-axis of the friction ellipsoid of block i along its row k > 0.
double ts_load_semi_axis(const ts_system *system, int i, int k);

// u = W x + c.
void ts_loads_velocity(const ts_loads *loads, const double *x, double *u);

// An orthonormal basis of the null space of W in `rows` (count of them), into `null` (count x count). Returns its size.
int ts_loads_null_space(const ts_loads *loads, const int *rows, int count, double *null);

// Rows that are held as their contacts stick and slide, and the null space of W in them.
void ts_loads_prepare(ts_loads *loads);

#endif
