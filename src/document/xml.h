// XML as a tree of elements, attributes and texts, each with its place.
//
// Read: elements, attributes, comments, CDATA sections, declarations and other processing instructions, the five
// entities of XML and numeric ones, a byte order mark. Prefixes of namespaces are part of the names. Refused: a
// DOCTYPE, and with it every entity that a file declares itself.
#ifndef TS_DOCUMENT_XML_H
#define TS_DOCUMENT_XML_H

#include "document/input.h"

// Bounds that no file of a person reaches.
enum {
  TS_XML_DEPTH = 64,      // of elements within one another
  TS_XML_NAME = 256,      // bytes of a name
  TS_XML_VALUE = 1 << 16, // bytes of a value
  TS_XML_ATTRIBUTES = 64  // of one element
};

typedef struct ts_xml_attribute ts_xml_attribute;
struct ts_xml_attribute {
  ts_xml_attribute *next;
  const char *name, *value; // the value with its entities replaced, white space as blanks
  ts_place place;           // of the name
  ts_place value_place;     // of its first character
};

// A piece of text between tags, or of a CDATA section; blanks alone are none. It is not copied: it points into what was
// parsed, entities as they are spelled. What comes behind it there, a '<' or a ']', is no part of a number.
typedef struct ts_xml_text ts_xml_text;
struct ts_xml_text {
  ts_xml_text *next;
  const char *begin, *end;
  ts_place place; // of its first character
};

typedef struct ts_xml_element ts_xml_element;
struct ts_xml_element {
  const char *name;
  ts_place place; // of its '<'
  ts_xml_attribute *first_attribute, *last_attribute;
  int attribute_count;
  ts_xml_element *parent, *next; // the next sibling
  ts_xml_element *first, *last;  // children
  ts_xml_text *first_text, *last_text;
};

// The tree of a text, in the arena. Elements, attributes and pieces of text count as values of the document.
ts_status ts_xml_parse(ts_document_input *in, const char *text, size_t length, int file, ts_xml_element **root);

bool ts_xml_is(const ts_xml_element *element, const char *name);
const ts_xml_attribute *ts_xml_attribute_of(const ts_xml_element *element, const char *name); // or NULL
const ts_xml_element *ts_xml_child(const ts_xml_element *element, const char *name);          // the first; or NULL

#endif
