#include "document/xml.h"

#include "document/encoding.h"

#include <string.h>

// The elements that are open are linked by their parents, so nothing here recurses.
typedef struct xml_reader {
  ts_document_input *in;
  const char *at, *end;
  ts_place place; // of `at`
  ts_xml_element *root, *open;
  int depth;
} xml_reader;

// ---- characters ----------------------------------------------------------------------------------------------------

// Columns count characters: a byte that continues one does not count.
static void advance(xml_reader *reader, size_t bytes)
{
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned char c = (unsigned char)*reader->at++;
    if (c == '\n') {
      ++reader->place.line;
      reader->place.column = 1;
    } else if ((c & 0xc0) != 0x80) {
      ++reader->place.column;
    }
  }
}

static bool at_end(const xml_reader *reader)
{
  return reader->at == reader->end;
}

static bool sees(const xml_reader *reader, const char *text)
{
  const size_t length = strlen(text);
  return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(xml_reader *reader)
{
  while (!at_end(reader) && is_blank(*reader->at)) advance(reader, 1);
}

// Past the next `text`; false, at the end, when there is none.
static bool skip_past(xml_reader *reader, const char *text)
{
  while (!at_end(reader) && !sees(reader, text)) advance(reader, 1);
  if (at_end(reader)) return false;
  advance(reader, strlen(text));
  return true;
}

static bool begins_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
  return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// `what` is what the name is expected to be of: "an element".
static ts_status read_name(xml_reader *reader, const char *what, const char **name)
{
  const char *start = reader->at;
  const ts_place place = reader->place;
  if (at_end(reader) || !begins_name(*start))
    return ts_document_fail(reader->in, place, "the name of %s is missing", what);
  while (!at_end(reader) && continues_name(*reader->at)) advance(reader, 1);
  const size_t length = (size_t)(reader->at - start);
  if (length > TS_XML_NAME) return ts_document_fail(reader->in, place, "a name has more than %d bytes", TS_XML_NAME);
  *name = ts_document_copy_text(reader->in, start, length);
  return TS_OK;
}

// ---- entities ------------------------------------------------------------------------------------------------------

// A character as UTF-8; returns the bytes written, at most 4, and 0 for what is no character of XML.
static size_t encode(unsigned long c, char *bytes)
{
  const bool allowed = c >= 0x20 ? c < 0xd800 || (c > 0xdfff && c < 0xfffe) || (c > 0xffff && c <= 0x10ffff)
                                 : c == '\t' || c == '\n' || c == '\r';
  if (!allowed) return 0;
  static const unsigned char leads[] = {0x00, 0xc0, 0xe0, 0xf0};
  const size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3f));
  bytes[0] = (char)(leads[length - 1] | c);
  return length;
}

static int digit_of(char c, int base)
{
  const int value = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : base;
  return value < base ? value : -1;
}

// "#65" or "#x41" in `length` bytes; 0, which is no character, when it is neither.
static unsigned long number_of(const char *text, size_t length)
{
  const int base = length > 1 && text[1] == 'x' ? 16 : 10;
  const size_t first = base == 16 ? 2 : 1;
  unsigned long value = 0;
  for (size_t i = first; i < length; ++i) {
    const int digit = digit_of(text[i], base);
    if (digit < 0 || value > 0x10ffff) return 0;
    value = value * (unsigned long)base + (unsigned long)digit;
  }
  return value;
}

// The entity at '&', whose character (1 to 4 bytes) is written; no entity is shorter than its character.
static ts_status read_entity(xml_reader *reader, char *bytes, size_t *written)
{
  static const struct {
    const char *name;
    char character;
  } named[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  enum { LONGEST = 12 };
  const ts_place place = reader->place;
  const char *name = reader->at + 1;
  size_t length = 0;
  while (name + length < reader->end && length < LONGEST && name[length] != ';' && !is_blank(name[length])) ++length;
  if (name + length == reader->end || name[length] != ';')
    return ts_document_fail(reader->in, place,
                            "'&' begins an entity, which ends with ';'; a plain '&' is written '&amp;'");
  *written = 0;
  for (size_t i = 0; i < sizeof named / sizeof named[0]; ++i)
    if (strlen(named[i].name) == length && memcmp(named[i].name, name, length) == 0)
      *written = encode((unsigned char)named[i].character, bytes);
  if (name[0] == '#') *written = encode(number_of(name, length), bytes);
  if (*written == 0)
    return ts_document_fail(reader->in, place,
                            "the entity '&%.*s;' is neither a character's number nor one of the five of "
                            "XML",
                            (int)length, name);
  advance(reader, length + 2);
  return TS_OK;
}

// ---- attributes ----------------------------------------------------------------------------------------------------

// What stands before the closing quote, which is read too. The value takes no more bytes than its spelling.
static ts_status read_value(xml_reader *reader, ts_xml_attribute *attribute)
{
  const char quote = at_end(reader) ? '\0' : *reader->at;
  if (quote != '"' && quote != '\'')
    return ts_document_fail(reader->in, reader->place, "the value of '%.60s' must stand in quotes", attribute->name);
  advance(reader, 1);
  attribute->value_place = reader->place;
  const char *close = memchr(reader->at, quote, (size_t)(reader->end - reader->at));
  if (!close) return ts_document_fail(reader->in, attribute->place, "the value of '%.60s' has no end", attribute->name);
  if (close - reader->at > TS_XML_VALUE)
    return ts_document_fail(reader->in, attribute->place, "the value of '%.60s' has more than %d bytes",
                            attribute->name, TS_XML_VALUE);
  char *value = ts_document_take(reader->in, (size_t)(close - reader->at) + 1);
  attribute->value = value;
  while (reader->at < close) {
    size_t written = 1;
    if (*reader->at == '<')
      return ts_document_fail(reader->in, reader->place, "a '<' in the value of '%.60s'; is a quote missing before it?",
                              attribute->name);
    if (*reader->at == '&') {
      TS_TRY(read_entity(reader, value, &written));
    } else {
      *value = is_blank(*reader->at) ? ' ' : *reader->at;
      advance(reader, 1);
    }
    value += written;
  }
  advance(reader, 1);
  return TS_OK;
}

static ts_status count_value(xml_reader *reader, ts_place place)
{
  if (reader->in->node_count < TS_DOCUMENT_NODES) {
    ++reader->in->node_count;
    return TS_OK;
  }
  return ts_document_fail(reader->in, place, "the file has more than %d elements, attributes and texts",
                          TS_DOCUMENT_NODES);
}

static ts_status read_attribute(xml_reader *reader, ts_xml_element *element)
{
  TS_TRY(count_value(reader, reader->place));
  ts_xml_attribute *attribute = ts_document_take(reader->in, sizeof *attribute);
  attribute->place = reader->place;
  TS_TRY(read_name(reader, "an attribute", &attribute->name));
  if (ts_xml_attribute_of(element, attribute->name))
    return ts_document_fail(reader->in, attribute->place, "the attribute '%.60s' is given twice", attribute->name);
  if (++element->attribute_count > TS_XML_ATTRIBUTES)
    return ts_document_fail(reader->in, attribute->place, "an element has more than %d attributes", TS_XML_ATTRIBUTES);
  skip_blanks(reader);
  if (!sees(reader, "="))
    return ts_document_fail(reader->in, reader->place, "the attribute '%.60s' has no value: '=' is missing",
                            attribute->name);
  advance(reader, 1);
  skip_blanks(reader);
  TS_TRY(read_value(reader, attribute));
  if (element->last_attribute)
    element->last_attribute->next = attribute;
  else
    element->first_attribute = attribute;
  element->last_attribute = attribute;
  return TS_OK;
}

// ---- tags ----------------------------------------------------------------------------------------------------------

static void append_child(ts_xml_element *parent, ts_xml_element *child)
{
  child->parent = parent;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

static void close_element(xml_reader *reader)
{
  reader->open = reader->open->parent;
  --reader->depth;
}

// Attributes, and the end of the tag. Blanks stand before every attribute.
static ts_status finish_tag(xml_reader *reader, ts_xml_element *element)
{
  for (;;) {
    const char *before = reader->at;
    skip_blanks(reader);
    if (sees(reader, "/>")) {
      advance(reader, 2);
      close_element(reader);
      return TS_OK;
    }
    if (sees(reader, ">")) {
      advance(reader, 1);
      return TS_OK;
    }
    if (at_end(reader))
      return ts_document_fail(reader->in, element->place, "the file ends within the tag '<%.60s'", element->name);
    if (reader->at == before)
      return ts_document_fail(reader->in, reader->place, "a blank, '>' or '/>' was expected in the tag '<%.60s'",
                              element->name);
    TS_TRY(read_attribute(reader, element));
  }
}

static ts_status read_start_tag(xml_reader *reader)
{
  const ts_place place = reader->place;
  if (reader->root && !reader->open)
    return ts_document_fail(reader->in, place, "a second root element begins here; all elements lie in one");
  if (reader->depth >= TS_XML_DEPTH)
    return ts_document_fail(reader->in, place, "elements are nested more than %d deep", TS_XML_DEPTH);
  TS_TRY(count_value(reader, place));
  ts_xml_element *element = ts_document_take(reader->in, sizeof *element);
  element->place = place;
  advance(reader, 1);
  TS_TRY(read_name(reader, "an element", &element->name));
  if (reader->open)
    append_child(reader->open, element);
  else
    reader->root = element;
  reader->open = element;
  ++reader->depth;
  return finish_tag(reader, element);
}

static ts_status read_end_tag(xml_reader *reader)
{
  const ts_place place = reader->place;
  const char *name;
  advance(reader, 2);
  TS_TRY(read_name(reader, "an element", &name));
  if (!reader->open) return ts_document_fail(reader->in, place, "'</%.60s>' closes nothing", name);
  if (strcmp(name, reader->open->name) != 0)
    return ts_document_fail(reader->in, place, "'</%.60s>' does not close '<%.60s>' of line %d", name,
                            reader->open->name, reader->open->place.line);
  skip_blanks(reader);
  if (!sees(reader, ">")) return ts_document_fail(reader->in, place, "'</%.60s' has no '>'", name);
  advance(reader, 1);
  close_element(reader);
  return TS_OK;
}

// ---- text ----------------------------------------------------------------------------------------------------------

static bool is_blank_text(const char *begin, const char *end)
{
  while (begin < end && is_blank(*begin)) ++begin;
  return begin == end;
}

static ts_status keep_text(xml_reader *reader, const char *begin, const char *end, ts_place place)
{
  if (is_blank_text(begin, end)) return TS_OK;
  TS_TRY(count_value(reader, place));
  ts_xml_text *text = ts_document_take(reader->in, sizeof *text);
  *text = (ts_xml_text){.begin = begin, .end = end, .place = place};
  if (reader->open->last_text)
    reader->open->last_text->next = text;
  else
    reader->open->first_text = text;
  reader->open->last_text = text;
  return TS_OK;
}

// Text up to the next tag. Outside of the root there is none.
static ts_status read_text(xml_reader *reader)
{
  const char *begin = reader->at;
  const ts_place place = reader->place;
  while (!at_end(reader) && *reader->at != '<') {
    if (!reader->open && !is_blank(*reader->at))
      return ts_document_fail(reader->in, reader->place,
                              reader->root ? "text after the end of the root element" : "XML begins with '<'");
    if (*reader->at == '&') {
      char unused[4];
      size_t bytes;
      TS_TRY(read_entity(reader, unused, &bytes));
    } else {
      advance(reader, 1);
    }
  }
  return keep_text(reader, begin, reader->at, place);
}

// ---- other markup --------------------------------------------------------------------------------------------------

static ts_status skip_section(xml_reader *reader, const char *what, const char *begin, const char *end)
{
  const ts_place place = reader->place;
  advance(reader, strlen(begin));
  return skip_past(reader, end) ? TS_OK
                                : ts_document_fail(reader->in, place, "%s has no end: '%s' is missing", what, end);
}

static ts_status read_cdata(xml_reader *reader)
{
  static const char begin[] = "<![CDATA[", end[] = "]]>";
  const char *text = reader->at + strlen(begin);
  ts_place place = reader->place;
  TS_TRY(skip_section(reader, "a CDATA section", begin, end));
  place.column += (int)strlen(begin);
  return keep_text(reader, text, reader->at - strlen(end), place);
}

// Two hyphens within a comment are no XML, but robots are full of ruled lines.
static ts_status read_markup(xml_reader *reader)
{
  if (sees(reader, "<!--")) return skip_section(reader, "a comment", "<!--", "-->");
  if (sees(reader, "<?")) return skip_section(reader, "a processing instruction", "<?", "?>");
  if (sees(reader, "<![CDATA[") && reader->open) return read_cdata(reader);
  if (sees(reader, "<!DOCTYPE"))
    return ts_document_fail(reader->in, reader->place,
                            "a DOCTYPE, and the entities it declares, are not read; take it out");
  if (sees(reader, "<!"))
    return ts_document_fail(reader->in, reader->place, "'<!' begins neither a comment nor CDATA here");
  return sees(reader, "</") ? read_end_tag(reader) : read_start_tag(reader);
}

// XML has no other control characters than those that are blanks.
static ts_status check_characters(xml_reader reader)
{
  for (; !at_end(&reader); advance(&reader, 1))
    if ((unsigned char)*reader.at < ' ' && !is_blank(*reader.at))
      return ts_document_fail(reader.in, reader.place, "this control character is no text");
  return TS_OK;
}

// ---- document ------------------------------------------------------------------------------------------------------

static ts_status parse_document(xml_reader *reader)
{
  while (!at_end(reader)) TS_TRY(*reader->at == '<' ? read_markup(reader) : read_text(reader));
  if (reader->open)
    return ts_document_fail(reader->in, reader->open->place, "the file ends before '</%.60s>', which closes this",
                            reader->open->name);
  return reader->root ? TS_OK : ts_document_fail(reader->in, reader->place, "there is no element in it");
}

ts_status ts_xml_parse(ts_document_input *in, const char *text, size_t length, int file, ts_xml_element **root)
{
  TS_TRY(ts_document_check_encoding(in, text, length, file));
  xml_reader reader = {.in = in, .at = text, .end = text + length, .place = {file, 1, 1}};
  reader.at += ts_document_mark_length(text, length);
  TS_TRY(check_characters(reader));
  TS_TRY(parse_document(&reader));
  *root = reader.root;
  return TS_OK;
}

bool ts_xml_is(const ts_xml_element *element, const char *name)
{
  return strcmp(element->name, name) == 0;
}

const ts_xml_attribute *ts_xml_attribute_of(const ts_xml_element *element, const char *name)
{
  const ts_xml_attribute *attribute = element->first_attribute;
  while (attribute && strcmp(attribute->name, name) != 0) attribute = attribute->next;
  return attribute;
}

const ts_xml_element *ts_xml_child(const ts_xml_element *element, const char *name)
{
  const ts_xml_element *child = element->first;
  while (child && !ts_xml_is(child, name)) child = child->next;
  return child;
}
