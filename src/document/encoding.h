// The bytes of a text file, before anybody asks what they mean.
#ifndef TS_DOCUMENT_ENCODING_H
#define TS_DOCUMENT_ENCODING_H

#include "document/input.h"

// All is UTF-8 text (RFC 3629: neither overlong forms nor surrogates) without zero bytes; else a sentence at the first
// byte that is not.
ts_status ts_document_check_encoding(ts_document_input *in, const char *text, size_t length, int file);

// Length of the byte order mark that some editors begin a text with; 0: there is none.
size_t ts_document_mark_length(const char *text, size_t length);

#endif
