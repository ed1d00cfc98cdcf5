#include "touchstone/suggest.h"
#include "base/require.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

// Levenshtein distance; one row of the table is enough. Only the first LONGEST characters count.
static size_t edit_distance(const char *a, const char *b)
{
  const size_t m = least(strlen(a), LONGEST), n = least(strlen(b), LONGEST);
  size_t row[LONGEST + 1];
  for (size_t j = 0; j <= n; ++j) row[j] = j;
  for (size_t i = 1; i <= m; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; ++j) {
      const size_t above = row[j];
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      row[j] = least(change, least(above, row[j - 1]) + 1);
      diagonal = above;
    }
  }
  return row[n];
}

static bool is_same_but_for_case(const char *a, const char *b)
{
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) ++a, ++b;
  return *a == *b;
}

const char *ts_suggest(const char *word, int count, const char *(*name)(int i, const void *user), const void *user)
{
  TS_REQUIRE(word);
  TS_REQUIRE(name || count <= 0);
  const char *nearest = NULL;
  const size_t near_enough = strlen(word) < 4 ? 1 : strlen(word) < 7 ? 2 : 3;
  size_t best = near_enough + 1;
  for (int i = 0; i < count; ++i) {
    const char *known = name(i, user);
    if (strcmp(known, word) == 0) return NULL; // it was no slip
    const size_t longer = strlen(known) > strlen(word) ? strlen(known) : strlen(word);
    const size_t distance = is_same_but_for_case(word, known) ? 0 : edit_distance(word, known);
    if (distance < best && distance < longer) { // they have a letter in common
      best = distance;
      nearest = known;
    }
  }
  return nearest;
}
