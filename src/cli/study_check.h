// What `touchstone check` says of a study or a verification: how many trials, what they have, what comes of them.
#ifndef TS_CLI_STUDY_CHECK_H
#define TS_CLI_STUDY_CHECK_H

#include "touchstone/scene.h"

// Read it, run nothing, and print. The exit status; bad ones come after a sentence on standard error.
int cli_check_study(const char *path, const ts_scene_request *request, bool json);
int cli_check_verification(const char *path, const ts_scene_request *request, bool json);

#endif
