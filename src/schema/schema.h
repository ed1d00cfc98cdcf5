// Formats as data: what keys there are, and what each may hold. Readers, options of a step, the manual and the tests of
// bad input all work from such tables.
#ifndef TS_SCHEMA_SCHEMA_H
#define TS_SCHEMA_SCHEMA_H

#include "schema/range.h"

#include "touchstone/model.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum ts_value_type {
  TS_VALUE_NUMBER,
  TS_VALUE_INTEGER,
  TS_VALUE_BOOLEAN,
  TS_VALUE_TEXT,
  TS_VALUE_CHOICE,    // one of some words
  TS_VALUE_BODY,      // the name of a body
  TS_VALUE_MATERIAL,  // the name of a material
  TS_VALUE_VECTOR,    // as many numbers as the space has dimensions
  TS_VALUE_NUMBERS,   // `least` to `most` numbers
  TS_VALUE_VECTORS,   // `least` to `most` vectors
  TS_VALUE_TEXTS,     // `least` to `most` texts
  TS_VALUE_BODIES,    // names, `least` to `most`
  TS_VALUE_MATERIALS, // likewise
  TS_VALUE_SIGNAL,    // a number or a map of the section ts_signal_section
  TS_VALUE_SIGNALS,   // as many signals as the space has dimensions
  TS_VALUE_SUMMANDS,  // `least` to `most` signals
  TS_VALUE_MAP,       // keys of `section`
  TS_VALUE_MAPS       // a list of them, `least` to `most`
} ts_value_type;

static inline const char *ts_text_or_nothing(const char *text)
{
  return text ? text : "";
}

enum {
  TS_ANY_NUMBER = 1 << 24, // `most` of lists without a bound
  TS_PATH_SIZE = 80,       // of "bodies[].motion.rotation" and its like
  TS_TYPE_SIZE = 256       // of what a key holds, in words
};

// Where bodies lie in the plane.
#define TS_PLANE "2d 2.5d"

// One key of a map. A key that can be given in two forms (a word or a map), or that differs between the spaces, has two
// rows that follow each other.
typedef struct ts_key {
  const char *name;
  ts_value_type type;
  const char *unit;   // or NULL
  ts_range range;     // of each number
  int least, most;    // of lists
  const char *spaces; // names of spaces, or TS_PLANE; NULL: all
  bool required;
  bool above_zero;                              // texts: not empty. Vectors: not all zero
  const char *fallback;                         // default as text, or NULL
  const char *const *choices;                   // of TS_VALUE_CHOICE, ended by NULL
  const char *(*choice_at)(int i);              // the same where the words are a list of another layer; NULL at the end
  const void *(*entry_at)(int i);               // what such a word stands for, where structs hold a pointer to it
  const char *(*entry_name)(const void *entry); // the word that stands for it
  const void *(*find)(const ts_extensions *extensions, const char *word); // what it stands for in a set; NULL: in none
  const struct ts_section *section;                                       // of maps
  size_t offset; // of the value in the struct that is filled in from the map, where there is one
  const char *help;
} ts_key;

// What else a map has to keep to; `keys` ends with NULL. Without any it is about all keys of its section.
typedef enum ts_rule_kind {
  TS_RULE_EXACTLY_ONE, // of the keys
  TS_RULE_AT_MOST_ONE,
  TS_RULE_AT_LEAST_ONE,
  TS_RULE_NEEDS,      // the first key makes no sense without the second
  TS_RULE_SAME_LENGTH // lists of as many entries
} ts_rule_kind;

typedef struct ts_rule {
  ts_rule_kind kind;
  const char *keys[10];
} ts_rule;

// The keys of a map: its own and, where there is one, those of the section it extends. Own keys are an array, or a
// function where every key stands in a table of its own.
typedef struct ts_section {
  const char *what;  // "a body": for messages
  const char *title; // "SHAPE" for a section that several keys lead to: the manual has it once, under this name
  const ts_key *keys;
  const ts_key *(*key_at)(int i);
  int key_count;
  const ts_rule *rules;
  int rule_count;
  const struct ts_section *base;
  const struct ts_section *(*extension_at)(int i); // sections of others whose keys count as its own; NULL at the end
  const ts_key *each; // what every key holds where keys are names that others choose; NULL: the keys are those above
} ts_section;

#define TS_COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define TS_KEYS(array)     .keys = array, .key_count = TS_COUNT_OF(array)
#define TS_RULES(array)    .rules = array, .rule_count = TS_COUNT_OF(array)

// Keys of a section without those of its base.
int ts_section_own_count(const ts_section *section);
const ts_key *ts_section_own_at(const ts_section *section, int i);

// Keys of a section with those of its base, own ones first.
int ts_section_key_count(const ts_section *section);
const ts_key *ts_section_key_at(const ts_section *section, int i);

// The i-th key that a rule of the section is about, or NULL after the last.
const char *ts_rule_key(const ts_section *section, const ts_rule *rule, int i);

// The i-th key that is no map, those of the maps inside included, and its path ("cone.polyhedral.angle"); NULL after
// the last.
const ts_key *ts_section_value_at(const ts_section *section, int i, char path[static TS_PATH_SIZE]);

bool ts_key_is_in(const ts_key *key, ts_space space);

// The i-th word that a choice may be, or NULL after the last.
const char *ts_key_choice(const ts_key *key, int i);

// Which word of a choice it is, or -1.
int ts_key_word(const ts_key *key, const char *word);

// What a key holds, in words: "a number", "one of: a, b". With 0 dimensions it suits both spaces.
void ts_key_type_text(const ts_key *key, int dimensions, char *text, size_t size);
void ts_key_type_name(const ts_key *key, char *text, size_t size); // the same without article, for tables

#endif
