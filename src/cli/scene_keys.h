// What is read of files: scenes, robots, studies and verifications, on standard output.
#ifndef TS_CLI_SCENE_KEYS_H
#define TS_CLI_SCENE_KEYS_H

#include "touchstone/urdf.h"
#include "touchstone/verify.h"

typedef struct cli_keys {
  const char *heading; // of the keys at the top; NULL: there are none
  int (*count)(void);
  ts_scene_key (*at)(int i);
} cli_keys;

extern const cli_keys cli_scene_keys, cli_urdf_keys, cli_study_keys, cli_verify_keys;

void cli_print_keys(const cli_keys *keys);
void cli_write_keys(const cli_keys *keys); // JSON
void cli_print_keys_as_markdown(const cli_keys *keys);

#endif
