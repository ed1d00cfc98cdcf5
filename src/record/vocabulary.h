// Names and their numbers: 0, 1, ... in the order in which they were added; found by hashing.
#ifndef TS_RECORD_VOCABULARY_H
#define TS_RECORD_VOCABULARY_H

#include <stddef.h>

typedef struct ts_vocabulary {
  char **names; // count of them, each ends with a zero byte
  int count, capacity;
  int *slots; // slot_count, a power of two: number + 1 of a name, 0 where there is none
  int slot_count;
} ts_vocabulary;

// A zeroed struct is an empty vocabulary.
void ts_vocabulary_release(ts_vocabulary *words);

int ts_vocabulary_find(const ts_vocabulary *words, const char *name, size_t length); // its number, or -1
// The number of a name, which is added when it is new. -1: memory ran out.
int ts_vocabulary_add(ts_vocabulary *words, const char *name, size_t length);

#endif
