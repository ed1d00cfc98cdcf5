// The name somebody probably meant.
#ifndef TS_CLI_SUGGEST_H
#define TS_CLI_SUGGEST_H

// The name nearest to `word` by edit distance, the first of equals; NULL when none is near enough to be a slip of the
// fingers. name(i, user) gives the i-th of `count` names.
const char *cli_suggest(const char *word, int count, const char *(*name)(int i, const void *user), const void *user);

// Say that `word` is no `kind` (such as "verb"), with the nearest name where there is one.
void cli_message_unknown(const char *kind, const char *word, int count, const char *(*name)(int i, const void *user),
                         const void *user);

#endif
