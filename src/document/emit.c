#define _POSIX_C_SOURCE 200809L // open_memstream
#include "document/emit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void emit_number(FILE *out, double value)
{
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, out);
}

// Words that YAML takes as they are, wherever they stand.
static bool is_safe(const char *text)
{
  if (!isalnum((unsigned char)text[0]) && text[0] != '_') return false;
  for (const char *c = text; *c; ++c)
    if (!isalnum((unsigned char)*c) && !strchr("_-./", *c)) return false;
  return true;
}

static void emit_quoted(FILE *out, const char *text)
{
  fputc('"', out);
  for (const char *c = text; *c; ++c) {
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if ((unsigned char)*c < ' ' || *c == '\x7f')
      fprintf(out, "\\x%02x", (unsigned)*c);
    else
      fputc(*c, out);
  }
  fputc('"', out);
}

static void emit_scalar(FILE *out, const ts_node *node)
{
  const ts_node as_plain = {.kind = TS_NODE_SCALAR, .text = node->text, .plain = true};
  if (node->is_number)
    emit_number(out, node->number);
  else if (is_safe(node->text) && !ts_node_is_null(&as_plain))
    fputs(node->text, out);
  else
    emit_quoted(out, node->text);
}

// On one line: scalars, and lists and maps of them.
static void emit_flow(FILE *out, const ts_node *node)
{
  if (node->kind == TS_NODE_SCALAR) {
    emit_scalar(out, node);
    return;
  }
  fputc(node->kind == TS_NODE_LIST ? '[' : '{', out);
  for (const ts_node *child = node->first; child; child = child->next) {
    if (node->kind == TS_NODE_MAP) fprintf(out, "%s: ", child->key);
    emit_flow(out, child);
    if (child->next) fputs(", ", out);
  }
  fputc(node->kind == TS_NODE_LIST ? ']' : '}', out);
}

// Lists of numbers, of names and of signals stay on their line; maps, and lists of maps or of vectors, have a line for
// every entry.
static bool fits_on_a_line(const ts_node *node)
{
  if (node->kind == TS_NODE_SCALAR || node->count == 0) return true;
  if (node->kind == TS_NODE_MAP) return false;
  for (const ts_node *child = node->first; child; child = child->next)
    if (child->kind != TS_NODE_SCALAR) return false;
  return true;
}

// `fresh`: the cursor is where the first entry goes already, after "- ".
static void emit_block(FILE *out, const ts_node *node, int indent, bool fresh)
{
  for (const ts_node *child = node->first; child; child = child->next, fresh = false) {
    if (!fresh) fprintf(out, "%*s", indent, "");
    if (node->kind == TS_NODE_LIST)
      fputs("- ", out);
    else
      fprintf(out, "%s:", child->key);
    if (fits_on_a_line(child)) {
      if (node->kind == TS_NODE_MAP) fputc(' ', out);
      emit_flow(out, child);
      fputc('\n', out);
    } else {
      if (node->kind == TS_NODE_MAP) fputc('\n', out);
      emit_block(out, child, indent + 2, node->kind == TS_NODE_LIST);
    }
  }
}

char *ts_document_emit(const ts_node *root)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out) return NULL;
  emit_block(out, root, 0, false);
  const bool failed = ferror(out) != 0;
  if (fclose(out) == 0 && !failed) return text;
  free(text);
  return NULL;
}
