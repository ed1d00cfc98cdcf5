// The keys of scene files, on standard output.
#ifndef TS_CLI_SCENE_KEYS_H
#define TS_CLI_SCENE_KEYS_H

void cli_print_scene_keys(void);
void cli_write_scene_keys(void); // JSON
void cli_print_scene_keys_as_markdown(void);

#endif
