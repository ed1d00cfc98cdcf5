// A folder of a test's own, removed with everything in it.
#ifndef TS_SUPPORT_SCRATCH_FOLDER_H
#define TS_SUPPORT_SCRATCH_FOLDER_H

typedef struct scratch_folder {
  char path[64];
} scratch_folder;

int scratch_folder_set_up(void **state); // for cmocka: *state becomes a scratch_folder
int scratch_folder_tear_down(void **state);

const char *scratch_path(scratch_folder *folder, const char *name); // of a file in it; valid until 8 calls later
int scratch_count(const scratch_folder *folder);                    // of files in it
// A file of this content.
void scratch_write(const char *path, const void *content, unsigned long bytes);

#endif
