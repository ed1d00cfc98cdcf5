#include "xml.h"

#include "whole_file.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { DEEPEST = 64, MOST_ATTRIBUTES = 64 };

typedef struct name {
  const char *text;
  size_t length;
} name;

typedef struct parser {
  const char *at;
  name open[DEEPEST];
  int depth, elements;
  const char *reason;
} parser;

static bool refuse(parser *p, const char *reason)
{
  if (!p->reason) p->reason = reason;
  return false;
}

static bool same(name a, name b)
{
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static void skip_blanks(parser *p)
{
  while (*p->at && strchr(" \t\r\n", *p->at)) ++p->at;
}

static bool skip_past(parser *p, const char *end)
{
  const char *found = strstr(p->at, end);
  if (!found) return refuse(p, "something does not end");
  p->at = found + strlen(end);
  return true;
}

static name take_name(parser *p)
{
  name taken = {p->at, 0};
  if (!isalpha((unsigned char)*p->at) && *p->at != '_') return taken;
  while (isalnum((unsigned char)*p->at) || (*p->at && strchr("_-.:", *p->at))) ++p->at;
  taken.length = (size_t)(p->at - taken.text);
  return taken;
}

static bool take_entity(parser *p)
{
  static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  for (int i = 0; i < 5; ++i)
    if (strncmp(p->at, known[i], strlen(known[i])) == 0) {
      p->at += strlen(known[i]);
      return true;
    }
  if (p->at[1] == '#' && isdigit((unsigned char)p->at[2])) return skip_past(p, ";");
  return refuse(p, "an ampersand that begins no entity");
}

// One character of content or of an attribute.
static bool take_character(parser *p)
{
  const unsigned char *c = (const unsigned char *)p->at;
  if (*c == '&') return take_entity(p);
  if (*c == '<') return refuse(p, "a bare '<'");
  if (*c < 0x20 && !strchr("\t\r\n", *c)) return refuse(p, "a control character");
  int length = *c < 0x80 ? 1 : *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc2 ? 2 : 0;
  if (length == 0) return refuse(p, "not UTF-8");
  for (int i = 1; i < length; ++i)
    if ((c[i] & 0xc0) != 0x80) return refuse(p, "not UTF-8");
  p->at += length;
  return true;
}

static bool take_attribute(parser *p, name *given, int count)
{
  given[count] = take_name(p);
  if (given[count].length == 0) return refuse(p, "an attribute without a name");
  for (int i = 0; i < count; ++i)
    if (same(given[i], given[count])) return refuse(p, "an attribute that is given twice");
  skip_blanks(p);
  if (*p->at++ != '=') return refuse(p, "an attribute without a value");
  skip_blanks(p);
  const char quote = *p->at++;
  if (quote != '"' && quote != '\'') return refuse(p, "a value without quotes");
  while (*p->at != quote) {
    if (!*p->at) return refuse(p, "a value that does not end");
    if (!take_character(p)) return false;
  }
  ++p->at;
  return true;
}

static bool take_start(parser *p)
{
  name attributes[MOST_ATTRIBUTES];
  const name element = take_name(p);
  if (element.length == 0) return refuse(p, "an element without a name");
  if (p->depth == 0 && p->elements > 0) return refuse(p, "a second root");
  ++p->elements;
  for (int count = 0;; ++count) {
    const char *before = p->at;
    skip_blanks(p);
    if (*p->at == '>' || *p->at == '/') break;
    if (p->at == before || count == MOST_ATTRIBUTES) return refuse(p, "attributes that run together, or too many");
    if (!take_attribute(p, attributes, count)) return false;
  }
  if (*p->at == '/') return *++p->at == '>' ? (++p->at, true) : refuse(p, "a stray '/'");
  ++p->at;
  if (p->depth == DEEPEST) return refuse(p, "too deep");
  p->open[p->depth++] = element;
  return true;
}

static bool take_end(parser *p)
{
  const name element = take_name(p);
  skip_blanks(p);
  if (*p->at++ != '>') return refuse(p, "an end tag that does not end");
  if (p->depth == 0 || !same(p->open[--p->depth], element)) return refuse(p, "tags that do not nest");
  return true;
}

static bool take_tag(parser *p)
{
  if (strncmp(p->at, "<!--", 4) == 0) return skip_past(p, "-->");
  if (strncmp(p->at, "<?", 2) == 0) return skip_past(p, "?>");
  if (strncmp(p->at, "<![CDATA[", 9) == 0) return skip_past(p, "]]>");
  if (strncmp(p->at, "<!DOCTYPE", 9) == 0) return skip_past(p, ">");
  ++p->at;
  if (*p->at != '/') return take_start(p);
  ++p->at;
  return take_end(p);
}

bool xml_is_well_formed(const char *text, int *elements, const char **reason)
{
  parser p = {.at = text};
  bool good = true;
  while (good && *p.at) {
    if (*p.at == '<')
      good = take_tag(&p);
    else if (p.depth > 0)
      good = take_character(&p);
    else
      good = strchr(" \t\r\n", *p.at) ? (++p.at, true) : refuse(&p, "text outside the root");
  }
  if (good && (p.depth != 0 || p.elements == 0)) good = refuse(&p, "no root, or one that does not end");
  if (elements) *elements = p.elements;
  if (reason) *reason = p.reason;
  return good;
}

char *xml_read(const char *path)
{
  char *text = read_text(path);
  const char *reason = NULL;
  if (!xml_is_well_formed(text, NULL, &reason)) fail_msg("%s: %s", path, reason);
  return text;
}

void xml_assert_holds(const char *path, const char *words)
{
  char *text = xml_read(path);
  if (!strstr(text, words)) fail_msg("'%s' is not in %s", words, path);
  free(text);
}
