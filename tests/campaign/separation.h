// Gaps of convex parts along directions, from support functions in closed form: nothing of the library's is used.
#ifndef TS_CAMPAIGN_SEPARATION_H
#define TS_CAMPAIGN_SEPARATION_H

#include "scene.h"

// How far the first part lies beyond the second along a unit direction; negative: they overlap in it [m]. The largest
// over all directions is the signed distance.
double separation_along(const campaign_part *first, const ts_pose *at, const campaign_part *second,
                        const ts_pose *there, ts_vec3 direction);

// Overlap of two parts, at most `deep` is of no interest: the search ends at the first direction along which they
// overlap by no more. `axis` is a start, and becomes the direction that was found.
double separation_overlap(const campaign_part *first, const ts_pose *at, const campaign_part *second,
                          const ts_pose *there, double deep, ts_vec3 *axis);

#endif
