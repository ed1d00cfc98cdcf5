// Random shapes of the campaign.
#ifndef TS_CAMPAIGN_DRAW_SHAPE_H
#define TS_CAMPAIGN_DRAW_SHAPE_H

#include "scene.h"

#include "base/random.h"

ts_vec3 campaign_random_vector(ts_random *random, bool planar, double size); // components uniform in [-size, size]
ts_vec3 campaign_random_direction(ts_random *random, bool planar);           // of unit length
ts_quat campaign_random_rotation(ts_random *random);

// A shape of about `size` [m] at the part's origin. `plain`: a ball, box, capsule or cylinder; in the plane a disc or
// box.
void campaign_draw_shape(campaign_part *part, ts_random *random, bool planar, bool plain, double size);

#endif
