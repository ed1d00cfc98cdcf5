// Deflections of soft skins, from step to step. A deflection belongs to a pair of parts: it stays with the contact
// while that sticks, slips or rolls on, and recovers by itself once the parts have left each other.
#ifndef TS_STEP_SKIN_MEMORY_H
#define TS_STEP_SKIN_MEMORY_H

#include "contact/contact_set.h"

// Components are those of each skin's own frame: n outwards, t, o = n x t, as forces on the other part. Tangents of
// skins that are the same along all of them are carried along with the normal, so that they do not jump.
typedef struct ts_deflection {
  ts_part_pair parts;
  ts_vec3 tangent;    // that is carried (world, unit)
  double delta[2][3]; // of the skins of the first and the second part [m]; 0 where there is none
} ts_deflection;

typedef struct ts_skin_memory {
  int count;
  ts_deflection *entries;
  double energy;  // of all skins [J]
  double stagger; // half of what the last step changed of it: its part of ts_energy_account.stagger [J]
} ts_skin_memory;

// What a skin makes of an impulse p in a step of length h, by backward Euler (thesis 3.92):
//   p = h K delta+ + C (delta+ - delta)   so that   delta+ = S p + D delta,   S = (h K + C)^-1,   D = S C.
typedef struct ts_skin_response {
  double S[9], D[9]; // by columns
} ts_skin_response;

ts_skin_response ts_skin_respond(const ts_soft_skin *skin, double h);

// delta.K delta / 2
double ts_skin_energy(const ts_soft_skin *skin, const double delta[3]);

// y = A x, A by columns.
static inline void ts_skin_multiply(const double A[9], const double x[3], double y[3])
{
  for (int r = 0; r < 3; ++r) y[r] = A[r] * x[0] + A[3 + r] * x[1] + A[6 + r] * x[2];
}

// What is remembered of a pair, or NULL.
const ts_deflection *ts_skins_find(const ts_skin_memory *memory, ts_part_pair parts);

// How far skins stand out over their shapes at most, both of a pair together [m]; 0: nowhere.
double ts_skins_bulge(const ts_skin_memory *memory);

// Contacts where bodies stand, whatever moves. Memory as below.
ts_contact_set ts_contacts_at(ts_finder *finder, const ts_kinematics *kinematics, ts_arena *arena);

// Deflections that fit a configuration. Where parts overlap farther than what is `known` of them says, how they came
// there is not known: both skins bear the same force, along the normal alone, and none is pressed in farther than its
// thickness. Memory from the arena; leaves to its recovery point when memory runs out.
ts_skin_memory ts_skins_press_in(const ts_skin_memory *known, ts_finder *finder, const ts_kinematics *kinematics,
                                 ts_arena *arena);

// Energy of one deflection.
double ts_deflection_energy(const ts_model *model, const ts_deflection *deflection);

// Let a skin recover without a force for h. False where nothing worth remembering is left.
bool ts_deflection_recover(const ts_model *model, double h, ts_deflection *deflection);

#endif
