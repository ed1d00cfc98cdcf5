// Motions that lie apart from the one that was found. Coulomb's law has several solutions where loads need no push from
// outside, or friction of a load closes its own contact. Neither is near the other, so that no small change of loads
// shows it.
#ifndef TS_CONTACT_WEDGED_LOADS_H
#define TS_CONTACT_WEDGED_LOADS_H

#include "contact/redundant_loads.h"

// True if contacts that slide could stick instead: there are loads in the cones, J^T r = 0, that press them, and they
// have a common velocity without slip. A cylinder that slides along a steep groove could be wedged there.
bool ts_loads_may_wedge(const ts_loads *loads);

// True if all contacts of a group that slides could stick: impulses in their cones lead to u = 0. It is looked for
// where the group nearly stops in this step.
bool ts_loads_may_stick(const ts_loads *loads);

// Effect of friction in its worst direction on the normal of its own contact. A load opens the contact by some
// velocity; friction takes less than three quarters of that, less than all of it, or all of it. In the last case no
// load holds the contact open (Painleve's paradox). It is the same if joints keep the contact from opening.
typedef enum ts_self_closing { TS_OPENS_ITSELF, TS_MAY_NEARLY_CLOSE_ITSELF, TS_MAY_CLOSE_ITSELF } ts_self_closing;

// The effect at contact i, for any load.
ts_self_closing ts_contact_closes_itself(const ts_system *system, int i);

// True if the impulse p of contact i does so: friction takes three quarters or more. Another set of loaded contacts may
// obey the law then.
bool ts_friction_closes(const ts_system *system, int i, const double *p);

#endif
