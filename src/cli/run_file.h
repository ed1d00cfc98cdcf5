// Files that runs go to.
#ifndef TS_CLI_RUN_FILE_H
#define TS_CLI_RUN_FILE_H

#include "cli/arguments.h"

// The name of a run, which lists the formats: "HDF5 (.h5, .hdf5) or ...".
extern const cli_value cli_value_run_file;

// Whether a run of that name can be resumed.
bool cli_run_is_resumable(const char *path);

#endif
