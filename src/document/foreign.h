// Words that other tools have for what scenes call otherwise. MuJoCo, URDF, SDF, Bullet, Drake and everyday usage.
#ifndef TS_DOCUMENT_FOREIGN_H
#define TS_DOCUMENT_FOREIGN_H

#include "schema/schema.h"

typedef struct ts_foreign_word {
  const char *word;
  const char *ours; // key or choice
  const char *how;  // what to write where the name alone would not do, or NULL
} ts_foreign_word;

// What is meant by a word that is no key of the section. The row's `ours` is a key that the section has in this space;
// NULL when the word is not known, or means nothing here.
const ts_foreign_word *ts_foreign_key(const char *word, const ts_section *section, ts_space space);

// Which choice of a key is meant, or NULL.
const char *ts_foreign_choice(const char *word, const ts_key *key);

#endif
