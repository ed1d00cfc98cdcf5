// The complementarity problem of a step. Contacts and bounded joint rows become blocks of `dimension` rows (normal,
// tangents, spin); with the free velocity v_f that respects the joints, u = W r + q is the relative velocity at the end
// of the step and r are the impulses (thesis 2.77, joints eliminated).
//
// Bounded rows fit into the same form. A limit is a block whose tangents act on nothing. A motor of limited force F is
// a block whose normal acts on nothing but is held at r_n = h F by u_n = w (r_n - h F), and whose first tangent, with
// friction 1, is the motor's row: |r_t| <= r_n. A support is held at its load in the same way, and rubs along both
// tangents. Rows that act on nothing have W = w, the size of the block's other rows.
#ifndef TS_CONTACT_SYSTEM_H
#define TS_CONTACT_SYSTEM_H

#include "contact/contact_set.h"

#include "dynamics/mechanics.h"

// What a block is made from.
typedef enum ts_block_kind {
  TS_BLOCK_CONTACT,
  TS_BLOCK_LIMIT,
  TS_BLOCK_MOTOR,
  TS_BLOCK_SUPPORT,
  TS_BLOCK_REBOUND
} ts_block_kind;

typedef struct ts_block {
  ts_block_kind kind;
  int source;      // index of the contact or of the bounded row
  int body[2];     // dynamic bodies it acts on, or -1
  unsigned active; // bit k: row k acts on the bodies; the others are held apart
  double friction;
} ts_block;

// Whether the normal impulse of a bounded row's block is given: it never opens, closes or rebounds.
static inline bool ts_block_is_held(const ts_block *block)
{
  return block->kind == TS_BLOCK_MOTOR || block->kind == TS_BLOCK_SUPPORT;
}

// True if the normal impulse of a block is data: of drives and supports, and of friction that a rebound allows.
static inline bool ts_block_has_given_normal(const ts_block *block)
{
  return ts_block_is_held(block) || block->kind == TS_BLOCK_REBOUND;
}

typedef struct ts_system {
  const ts_model *model;
  const ts_kinematics *kinematics;
  const ts_mobility *mobility; // NULL: nothing couples the bodies but the blocks
  ts_team *team;               // that shares work on the blocks, or NULL
  int dimension;
  int count;
  const int *origin; // of the blocks of an island: their numbers in the step's system (system_islands.h), or NULL
  ts_block *blocks;
  bool soft;              // W is more than J M^-1 J^T: contacts give way
  ts_row_block *jacobian; // of block i on side s: [2*i + s]; not set where body[s] is -1
  ts_row_block *response; // M^-1 jacobian in the same order, see responses.h
  ts_friction problem;    // W, q, mu, ellipsoid, no bodies (body_space.h); q is written by the stepper
  double *q;              // (dimension*count)
} ts_system;

// True if the impulse p of block i, a contact with a normal load, takes `share` of its friction or more. `axes`:
// semi-axes of the friction ellipsoids, or NULL if they are round.
static inline bool ts_block_uses_friction(const ts_block *block, const double *axes, int i, int d, const double *p,
                                          double share)
{
  const double least = share * block->friction * p[0];
  double x = p[1], y = d > 2 ? p[2] : 0.0, z = d > 3 ? p[3] : 0.0;
  if (axes) {
    const double *e = axes + (size_t)i * (size_t)(d - 1);
    x /= e[0];
    y /= d > 2 ? e[1] : 1.0;
    z /= d > 3 ? e[2] : 1.0;
  }
  return x * x + y * y + z * z >= least * least;
}

// It takes so many blocks to be worth a member's while.
enum { TS_SHARE_OF_BLOCKS = 64 };

// Assemble blocks and W from contacts, and bounded rows (may be none), for bodies that `mobility` couples (or NULL).
// Borrows all of them, and the team (or NULL).
void ts_system_assemble(const ts_model *model, const ts_kinematics *kinematics, const ts_contact_set *contacts,
                        const ts_bounded_row *bounded, int bounded_count, const ts_mobility *mobility, ts_team *team,
                        ts_arena *arena, ts_system *system);

// The same in two parts, for those who may do without W: all but W, and W where it is not there yet.
void ts_system_describe(const ts_model *model, const ts_kinematics *kinematics, const ts_contact_set *contacts,
                        const ts_bounded_row *bounded, int bounded_count, const ts_mobility *mobility, ts_team *team,
                        ts_arena *arena, ts_system *system);
void ts_system_complete(ts_system *system, const ts_bounded_row *bounded, int bounded_count, ts_arena *arena);

static inline bool ts_system_is_complete(const ts_system *system)
{
  return system->problem.W.rows == system->count;
}

// Assemble for Poisson's decompression: the blocks of `system`, and for every contact with a recovered normal impulse
// R_n (one number a block, 0: none) a second block that shares its tangents: friction that R_n allows. The sum of two
// discs is a disc, so the two together are Coulomb's law for r_n + R_n (corrections.md 1, 4).
void ts_system_assemble_rebound(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded,
                                const double *recovered, ts_arena *arena, ts_system *rebound);

// q = J v: relative velocities of the blocks at the twists given, without biases. Rows that act on nothing get 0.
void ts_system_velocity(const ts_system *system, const ts_twist *velocity, double *u);

// velocity += M^-1 J^T r, joints obeyed. `impulse` (of the rows that hold, may be NULL without any) is added to.
void ts_system_apply(const ts_system *system, const double *r, ts_twist *velocity, double *impulse, ts_arena *arena);

// Whether any contact has friction, or a motor acts.
bool ts_system_rubs(const ts_system *system);

// The diagonal entry of W in row k of block i.
double ts_system_diagonal(const ts_system *system, int block, int row);

// The mean of the diagonal of W over the rows of block i.
double ts_system_mean_compliance(const ts_system *system, int block);

// Sum of q^2/w over the rows of block i except a given normal, w their mean compliance: twice the energy of its data.
double ts_system_data_energy(const ts_system *system, int block);

// ts_system_diagonal() if no joint held the bodies: (J M^-1 J^T) without joints.
double ts_unconstrained_compliance(const ts_system *system, int block, int row);

#endif
