#include "cli/unknown_name.h"

#include "cli/message.h"

#include "draw/refusal.h"

void cli_message_unknown(const char *kind, const char *word, int count, const char *(*name)(int i, const void *user),
                         const void *user)
{
  ts_error error;
  ts_refuse_unknown(&error, kind, word, count, name, user);
  cli_message_about(NULL, &error);
}
