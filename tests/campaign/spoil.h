// Test of the checks: numbers of a good record are changed, and each change must be found.
#ifndef TS_CAMPAIGN_SPOIL_H
#define TS_CAMPAIGN_SPOIL_H

#include "recorded_run.h"

// Change numbers of a run one by one and check it. Counts changes that were made and those that were found by the
// kind of check they concern. The run is left as it was.
void spoil_run(const campaign_scene *scene, recorded_run *run, int *made, int *found);

#endif
