// Springs and bushings of the campaign: their loads and energies in a recorded state.
#ifndef TS_CAMPAIGN_ELASTIC_H
#define TS_CAMPAIGN_ELASTIC_H

#include "scene.h"

typedef struct elastic_load {
  ts_vec3 force, moment; // on the second body, at `point` [N, N m]; the first body receives the opposite
  ts_vec3 point;
  double offset;        // distance of the points of the two bodies that the force may act at [m]
  double length;        // between the two points [m]
  double speed, across; // of the second point against the first: all of it, and across the line between them [m/s]
} elastic_load;

elastic_load elastic_load_of(const campaign_elastic *elastic, const ts_pose *poses, const ts_twist *twists);

// Load of an implicit spring in a step of length h: axes of the start, deflections that the velocities lead to by its
// end. Twists are those of the end, of the origins as they are at the start.
elastic_load elastic_implicit_load(const campaign_elastic *elastic, const ts_pose *start, const ts_twist *end,
                                   double h);

double elastic_energy_of(const campaign_elastic *elastic, const ts_pose *poses); // stored [J]

#endif
