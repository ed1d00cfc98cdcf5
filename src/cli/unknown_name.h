// Messages about names that do not exist.
#ifndef TS_CLI_UNKNOWN_NAME_H
#define TS_CLI_UNKNOWN_NAME_H

// Say that `word` is no `kind` (such as "verb"), with the nearest name where there is one.
void cli_message_unknown(const char *kind, const char *word, int count, const char *(*name)(int i, const void *user),
                         const void *user);

#endif
