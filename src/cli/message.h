// What the command says on standard error, and what it returns to the shell.
#ifndef TS_CLI_MESSAGE_H
#define TS_CLI_MESSAGE_H

#include "touchstone/scene.h"

enum { CLI_SUCCESS = 0, CLI_NOT_SOLVED = 1, CLI_REFUSED = 2, CLI_STOPPED = 3 };

// "touchstone: sentence"
__attribute__((format(printf, 1, 2))) void cli_message(const char *format, ...);

// "touchstone: FILE:LINE:COLUMN: sentence", leaving out what is NULL or 0.
void cli_message_about(const char *file, const ts_error *error);

// The same of a note, with "warning: " or "note: " before the sentence.
void cli_message_note(const char *file, const ts_scene_note *note);

#endif
