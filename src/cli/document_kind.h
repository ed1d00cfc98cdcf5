// Scenes, studies and verifications are all YAML: which of them a file is, so that the right verb can be named.
#ifndef TS_CLI_DOCUMENT_KIND_H
#define TS_CLI_DOCUMENT_KIND_H

#include <stdbool.h>

typedef enum cli_document_kind { CLI_SCENE, CLI_STUDY, CLI_VERIFICATION, CLI_UNKNOWN_DOCUMENT } cli_document_kind;

// By the first line that has one of the keys with which they say so. Of a pipe nothing is taken: it is unknown.
cli_document_kind cli_document_kind_of(const char *path);

// Whether a file can be what a verb wants: true where it is unknown. False after a sentence that names the verb for it.
bool cli_document_may_be(const char *path, cli_document_kind wanted);

#endif
