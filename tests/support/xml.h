// Is a text well-formed XML? Enough of the rules for what programs write: one root, elements that nest, quoted
// attributes each given once, known entities, characters that XML allows.
#ifndef TS_SUPPORT_XML_H
#define TS_SUPPORT_XML_H

#include <stdbool.h>

// `elements` (may be NULL) receives how many there are. When it is not well-formed, `reason` (may be NULL) says why
// (static text).
bool xml_is_well_formed(const char *text, int *elements, const char **reason);

// A file that must hold well-formed XML. Free it.
char *xml_read(const char *path);
// Stops the test unless the file is such and holds these words.
void xml_assert_holds(const char *path, const char *words);

#endif
