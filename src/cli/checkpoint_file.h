// A copy of a run as far as it has come, beside its output as NAME.checkpoint.h5: what is left when the program is
// killed. It is written now and then, and removed at the end.
#ifndef TS_CLI_CHECKPOINT_FILE_H
#define TS_CLI_CHECKPOINT_FILE_H

#include "touchstone/record.h"

typedef struct cli_checkpoint {
  char *path;      // NULL: there are none
  double interval; // of wall time [s]
  double next;     // [s] of the clock
  bool own;        // the file there belongs to this run
} cli_checkpoint;

// For a run that goes to `output` (NULL: nowhere; CSV holds none) after every `interval` seconds; 0: never.
void cli_checkpoint_begin(cli_checkpoint *checkpoint, const char *output, double interval);
// Say how to continue a run that left its checkpoint there; `resumed` (may be NULL) is the file that this one
// continues.
void cli_checkpoint_mention(cli_checkpoint *checkpoint, const char *scene, const char *output, const char *resumed);
bool cli_checkpoint_is_due(const cli_checkpoint *checkpoint);
// Write one when it is time and there is room. False after one sentence: *recorder is NULL then.
bool cli_checkpoint_write(cli_checkpoint *checkpoint, ts_recorder **recorder, const ts_sim *sim);
// `superseded`: the run itself is in place. Release the rest.
void cli_checkpoint_end(cli_checkpoint *checkpoint, bool superseded);

#endif
