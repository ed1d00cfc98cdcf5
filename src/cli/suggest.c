#include "cli/suggest.h"

#include "cli/message.h"

#include "touchstone/suggest.h"

void cli_message_unknown(const char *kind, const char *word, int count, const char *(*name)(int i, const void *user),
                         const void *user)
{
  const char *nearest = ts_suggest(word, count, name, user);
  if (nearest)
    cli_message("there is no %s '%s'; did you mean '%s'?", kind, word, nearest);
  else
    cli_message("there is no %s '%s'", kind, word);
}
