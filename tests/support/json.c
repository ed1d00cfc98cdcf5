#include "json.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

// Each function passes over one thing and returns what follows it; NULL where the thing is not there.
static const char *skip_value(const char *s);

static const char *skip_blanks(const char *s)
{
  return s + strspn(s, " \t\r\n");
}

static const char *skip_string(const char *s)
{
  if (*s++ != '"') return NULL;
  for (; *s != '"'; ++s) {
    if ((unsigned char)*s < 0x20) return NULL; // the end of the text is one of these
    if (*s != '\\') continue;
    ++s;
    if (*s == 'u') {
      for (int i = 1; i <= 4; ++i)
        if (!isxdigit((unsigned char)s[i])) return NULL;
      s += 4;
    } else if (*s == '\0' || !strchr("\"\\/bfnrt", *s)) {
      return NULL;
    }
  }
  return s + 1;
}

static const char *skip_digits(const char *s)
{
  if (!isdigit((unsigned char)*s)) return NULL;
  while (isdigit((unsigned char)*s)) ++s;
  return s;
}

static const char *skip_number(const char *s)
{
  if (*s == '-') ++s;
  const bool zero = *s == '0';
  const char *end = skip_digits(s);
  if (!end || (zero && end > s + 1)) return NULL;
  if (*end == '.' && !(end = skip_digits(end + 1))) return NULL;
  if (*end == 'e' || *end == 'E') {
    ++end;
    if (*end == '+' || *end == '-') ++end;
    end = skip_digits(end);
  }
  return end;
}

static const char *skip_list(const char *s, char closing, bool keys)
{
  s = skip_blanks(s + 1);
  if (*s == closing) return s + 1;
  for (;;) {
    s = skip_blanks(s);
    if (keys) {
      if (!(s = skip_string(s))) return NULL;
      s = skip_blanks(s);
      if (*s++ != ':') return NULL;
    }
    if (!(s = skip_value(s))) return NULL;
    s = skip_blanks(s);
    if (*s == closing) return s + 1;
    if (*s++ != ',') return NULL;
  }
}

static const char *skip_word(const char *s, const char *word)
{
  return strncmp(s, word, strlen(word)) == 0 ? s + strlen(word) : NULL;
}

static const char *skip_value(const char *s)
{
  s = skip_blanks(s);
  switch (*s) {
  case '{':
    return skip_list(s, '}', true);
  case '[':
    return skip_list(s, ']', false);
  case '"':
    return skip_string(s);
  case 't':
    return skip_word(s, "true");
  case 'f':
    return skip_word(s, "false");
  case 'n':
    return skip_word(s, "null");
  default:
    return skip_number(s);
  }
}

bool json_is_valid(const char *text)
{
  const char *end = skip_value(text);
  return end && *skip_blanks(end) == '\0';
}

// Walk over the outermost list; stop at the member of that name, or count to the end.
static const char *walk(const char *text, const char *key, int *count)
{
  const char *s = skip_blanks(text);
  const bool keys = *s == '{';
  *count = 0;
  if (*s != '{' && *s != '[') return NULL;
  s = skip_blanks(s + 1);
  while (*s != '}' && *s != ']') {
    const char *name = s;
    if (keys) s = skip_blanks(skip_blanks(skip_string(s)) + 1);
    if (keys && key && strncmp(name + 1, key, strlen(key)) == 0 && name[1 + strlen(key)] == '"') return s;
    ++*count;
    s = skip_blanks(skip_value(s));
    if (*s == ',') s = skip_blanks(s + 1);
  }
  return NULL;
}

const char *json_member(const char *text, const char *key)
{
  int count;
  return walk(text, key, &count);
}

int json_count(const char *text)
{
  int count;
  walk(text, NULL, &count);
  return count;
}
