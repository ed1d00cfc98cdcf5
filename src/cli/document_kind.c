#define _POSIX_C_SOURCE 200809L // getline
#include "cli/document_kind.h"

#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
  const char *key, *sentence;
} kinds[] = {
    [CLI_SCENE] = {"touchstone", "this is a scene: 'touchstone run' runs it"},
    [CLI_STUDY] = {"study",
                   "this is a study: 'touchstone sweep' runs it, 'touchstone run --trial I' one of its trials"},
    [CLI_VERIFICATION] = {"verify", "this is a verification: 'touchstone verify' runs it"},
};

static cli_document_kind kind_of_line(const char *line)
{
  for (int kind = 0; kind < CLI_UNKNOWN_DOCUMENT; ++kind) {
    const size_t length = strlen(kinds[kind].key);
    if (strncmp(line, kinds[kind].key, length) == 0 && line[length + strspn(line + length, " ")] == ':')
      return (cli_document_kind)kind;
  }
  return CLI_UNKNOWN_DOCUMENT;
}

static cli_document_kind kind_of_stream(FILE *stream)
{
  cli_document_kind kind = CLI_UNKNOWN_DOCUMENT;
  char *line = NULL;
  size_t capacity = 0;
  while (kind == CLI_UNKNOWN_DOCUMENT && getline(&line, &capacity, stream) >= 0)
    kind = kind_of_line(line + (strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0));
  free(line);
  return kind;
}

cli_document_kind cli_document_kind_of(const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return CLI_UNKNOWN_DOCUMENT;
  FILE *stream = fopen(path, "rb");
  if (!stream) return CLI_UNKNOWN_DOCUMENT;
  const cli_document_kind kind = kind_of_stream(stream);
  fclose(stream);
  return kind;
}

bool cli_document_may_be(const char *path, cli_document_kind wanted)
{
  const cli_document_kind kind = cli_document_kind_of(path);
  if (kind == wanted || kind == CLI_UNKNOWN_DOCUMENT) return true;
  cli_message("%s: %s", path, kinds[kind].sentence);
  return false;
}
