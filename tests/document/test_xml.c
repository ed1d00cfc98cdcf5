// The XML reader: what it reads and where it says things are, and what it refuses.
#include "document/xml.h"

#include "document/xml_numbers.h"

#include "base/random.h"
#include "xml.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct document {
  ts_document_input in;
  ts_error error;
  ts_xml_element *root;
  ts_status status;
} document;

// Pieces of text point into `text`.
static void parse_in_place(document *doc, const char *text, size_t length)
{
  jmp_buf recovery;
  doc->error = (ts_error){0};
  doc->root = NULL;
  ts_document_input_init(&doc->in, NULL, &doc->error);
  doc->in.arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_document_add_file(&doc->in, "test.xml");
  doc->status = ts_xml_parse(&doc->in, text, length, 0, &doc->root);
}

// The text is copied to memory of exactly its size, so that reading past its end is seen.
static void parse_bytes(document *doc, const char *text, size_t length)
{
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  parse_in_place(doc, exact, length);
  free(exact);
}

static void parse(document *doc, const char *text)
{
  parse_bytes(doc, text, strlen(text));
}

static void close_document(document *doc)
{
  ts_document_input_release(&doc->in);
}

static void assert_place(ts_place place, int line, int column)
{
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
}

static const char *value(const ts_xml_element *element, const char *name)
{
  const ts_xml_attribute *attribute = ts_xml_attribute_of(element, name);
  assert_non_null(attribute);
  return attribute->value;
}

// ---- reading -------------------------------------------------------------------------------------------------------

static void a_tree_with_places(void **state)
{
  (void)state;
  document doc;
  parse(&doc, "<?xml version=\"1.0\"?>\n<!-- ---- a ruled line ---- -->\n<a x = '1'\n   y=\"2\">text &amp; more\n"
              "  <b/>\xc3\xa9<c:d e:f='g'></c:d >\n <![CDATA[ <b> & ]]> </a>\n<?end?>\n");
  assert_int_equal(doc.status, TS_OK);
  assert_string_equal(doc.root->name, "a");
  assert_place(doc.root->place, 3, 1);
  const ts_xml_attribute *y = ts_xml_attribute_of(doc.root, "y");
  assert_string_equal(value(doc.root, "x"), "1");
  assert_string_equal(y->value, "2");
  assert_place(y->place, 4, 4);
  assert_place(y->value_place, 4, 7);
  const ts_xml_element *b = doc.root->first, *c = b->next;
  assert_string_equal(b->name, "b");
  assert_place(b->place, 5, 3);
  assert_string_equal(c->name, "c:d");
  assert_place(c->place, 5, 8); // the letter between takes two bytes and one column
  assert_string_equal(value(c, "e:f"), "g");
  assert_null(c->next);
  assert_null(ts_xml_child(doc.root, "x"));
  assert_null(ts_xml_attribute_of(c, "x"));
  close_document(&doc);
}

static void entities_and_white_space(void **state)
{
  (void)state;
  document doc;
  parse(&doc,
        "\xef\xbb\xbf<a b='&lt;&gt;&amp;&quot;&apos;' c=\"&#65;&#x42;&#xe9;&#x20ac;&#x1F600;\" d='1\n2\t3\r4' e=''/>");
  assert_int_equal(doc.status, TS_OK);
  assert_place(doc.root->place, 1, 1);
  assert_string_equal(value(doc.root, "b"), "<>&\"'");
  assert_string_equal(value(doc.root, "c"), "AB\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  assert_string_equal(value(doc.root, "d"), "1 2 3 4");
  assert_string_equal(value(doc.root, "e"), "");
  close_document(&doc);
}

// ---- refusing ------------------------------------------------------------------------------------------------------

static void what_is_no_xml_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
    int line, column;
  } bad[] = {
      {"", "no element", 1, 1},
      {" \n ", "no element", 2, 2},
      {"<!-- -->", "no element", 1, 9},
      {"robot", "begins with '<'", 1, 1},
      {"<a", "ends within the tag '<a'", 1, 1},
      {"<a b", "'=' is missing", 1, 5},
      {"<a b=", "must stand in quotes", 1, 6},
      {"<a b=1/>", "must stand in quotes", 1, 6},
      {"<a b='1", "has no end", 1, 4},
      {"<a b='1'c='2'/>", "a blank", 1, 9},
      {"<a b='1' b='2'/>", "given twice", 1, 10},
      {"<a b='<'/>", "a '<' in the value", 1, 7},
      {"<a>", "before '</a>'", 1, 1},
      {"<a>\n <b>\n </a>", "does not close '<b>' of line 2", 3, 2},
      {"</a>", "closes nothing", 1, 1},
      {"<a/></a>", "closes nothing", 1, 5},
      {"<a></a", "has no '>'", 1, 4},
      {"<a/>x", "text after the end", 1, 5},
      {"<a/><b/>", "second root", 1, 5},
      {"<1/>", "name of an element is missing", 1, 2},
      {"< a/>", "name of an element is missing", 1, 2},
      {"<a ='1'/>", "name of an attribute is missing", 1, 4},
      {"<a>&lt</a>", "ends with ';'", 1, 4},
      {"<a>&nbsp;</a>", "'&nbsp;'", 1, 4},
      {"<a b='&#0;'/>", "'&#0;'", 1, 7},
      {"<a b='&#;'/>", "'&#;'", 1, 7},
      {"<a b='&#x;'/>", "'&#x;'", 1, 7},
      {"<a b='&#xd800;'/>", "'&#xd800;'", 1, 7},
      {"<a b='&#x110000;'/>", "'&#x110000;'", 1, 7},
      {"<a b='&#99999999999;'/>", "'&#99999999999;'", 1, 7},
      {"<a b='&#6a;'/>", "'&#6a;'", 1, 7},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a DOCTYPE", 1, 1},
      {"<a><!ENTITY b></a>", "'<!' begins", 1, 4},
      {"<![CDATA[x]]><a/>", "'<!' begins", 1, 1},
      {"<a><![CDATA[x", "CDATA section has no end", 1, 4},
      {"<a><!-- x", "comment has no end", 1, 4},
      {"<?xml", "processing instruction has no end", 1, 1},
      {"<a>\xff</a>", "not UTF-8", 1, 4},
      {"<a b='\x01'/>", "control character", 1, 7},
      {"<a>\n\x1b</a>", "control character", 2, 1},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    document doc;
    parse(&doc, bad[i].text);
    if (doc.status != TS_INVALID) fail_msg("accepted: %s", bad[i].text);
    if (!strstr(doc.error.text, bad[i].words)) fail_msg("'%s' does not say '%s'", doc.error.text, bad[i].words);
    if (doc.error.line != bad[i].line || doc.error.column != bad[i].column)
      fail_msg("%s: %d:%d, not %d:%d", bad[i].text, doc.error.line, doc.error.column, bad[i].line, bad[i].column);
    close_document(&doc);
  }
}

// `head`, then `count` times `piece`, then `tail`.
static char *repeated(const char *head, const char *piece, size_t count, const char *tail)
{
  const size_t length = strlen(piece);
  char *text = malloc(strlen(head) + count * length + strlen(tail) + 1), *at = text + strlen(head);
  strcpy(text, head);
  for (size_t i = 0; i < count; ++i, at += length) memcpy(at, piece, length);
  strcpy(at, tail);
  return text;
}

static void assert_text(char *text, const char *words)
{
  document doc;
  parse(&doc, text);
  if (!words && doc.status != TS_OK) fail_msg("%s", doc.error.text);
  if (words && (doc.status == TS_OK || !strstr(doc.error.text, words)))
    fail_msg("'%s' does not say '%s'", doc.error.text, words);
  close_document(&doc);
  free(text);
}

static void sizes_have_bounds(void **state)
{
  (void)state;
  assert_text(repeated("<a b='", "x", TS_XML_VALUE, "'/>"), NULL);
  assert_text(repeated("<a b='", "x", TS_XML_VALUE + 1, "'/>"), "more than 65536 bytes");
  assert_text(repeated("<a b='", "x", 50000000, "'/>"), "more than 65536 bytes");
  assert_text(repeated("<a b='", "x", 50000000, ""), "has no end");
  assert_text(repeated("<", "x", TS_XML_NAME, "/>"), NULL);
  assert_text(repeated("<", "x", 10000000, "/>"), "more than 256 bytes");
  assert_text(repeated("", "<a>", 1000000, ""), "nested more than 64 deep");
  assert_text(repeated("<a>", "<b/>", 1000000, "</a>"), NULL);
  assert_text(repeated("<a>", "<b/>", TS_DOCUMENT_NODES, "</a>"), "more than 4000000 elements");
  assert_text(repeated("<a>", "&amp;", 1000000, "</a>"), NULL);
  assert_text(repeated("<!--", "-", 10000000, "><a/>"), NULL);
  char *deep = repeated("", "<a>", TS_XML_DEPTH, "");
  char *whole = repeated(deep, "</a>", TS_XML_DEPTH, "");
  free(deep);
  assert_text(whole, NULL);
}

static void an_element_has_few_attributes(void **state)
{
  (void)state;
  char text[2000] = "<a";
  for (int i = 0; i < TS_XML_ATTRIBUTES; ++i) sprintf(text + strlen(text), " b%d=''", i);
  document doc;
  const size_t length = strlen(text);
  strcpy(text + length, "/>");
  parse(&doc, text);
  assert_int_equal(doc.status, TS_OK);
  close_document(&doc);
  strcpy(text + length, " c=''/>");
  parse(&doc, text);
  assert_int_equal(doc.status, TS_INVALID);
  close_document(&doc);
}

// Another reader, which was written for what programs write, accepts no text that this one refuses.
static void changed_texts_against_another_reader(void **state)
{
  (void)state;
  static const char good[] = "<r a='1' b=\"2\">\n<s c='&lt;'/>t<u><v/></u>\n<w d='x y'>z</w></r>";
  static const char likely[] = "<>/='\"& ;ax\n";
  ts_random random;
  ts_random_init(&random, 7);
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    for (int changes = 1 + ts_random_below(&random, 2); changes > 0; --changes)
      text[ts_random_below(&random, (int)sizeof good - 1)] = likely[ts_random_below(&random, (int)sizeof likely - 1)];
    document doc;
    parse(&doc, text);
    const bool well_formed = xml_is_well_formed(text, NULL, NULL);
    if (well_formed && doc.status != TS_OK) fail_msg("refused: %s\n%s", text, doc.error.text);
    accepted += doc.status == TS_OK;
    close_document(&doc);
  }
  print_message("%d of 20000 changed texts are XML\n", accepted);
  assert_true(accepted > 2000);
}

// ---- texts ---------------------------------------------------------------------------------------------------------

static void assert_texts(const char *text, const char *expected)
{
  document doc;
  char found[200] = "";
  parse_in_place(&doc, text, strlen(text));
  assert_int_equal(doc.status, TS_OK);
  for (const ts_xml_text *piece = doc.root->first_text; piece; piece = piece->next)
    sprintf(found + strlen(found), "%d:%d[%.*s]", piece->place.line, piece->place.column,
            (int)(piece->end - piece->begin), piece->begin);
  assert_string_equal(found, expected);
  close_document(&doc);
}

static void texts_in_pieces(void **state)
{
  (void)state;
  assert_texts("<a/>", "");
  assert_texts("<a> \n\t</a>", "");
  assert_texts("<a>1 2</a>", "1:4[1 2]");
  assert_texts("\n <a>\n1 2</a>", "2:5[\n1 2]");
  assert_texts("<a>1<!-- 2 -->3<b>4</b> <b/>5<?6?>7</a>", "1:4[1]1:15[3]1:29[5]1:35[7]");
  assert_texts("<a>\n<![CDATA[<1>]]><![CDATA[]]>&lt;2</a>", "2:10[<1>]2:28[&lt;2]");
  assert_texts("<a>\xc3\xa9<b/>x</a>", "1:4[\xc3\xa9]1:9[x]");
}

// Pieces count as values, so that they cannot fill the memory.
static void texts_are_bounded(void **state)
{
  (void)state;
  assert_text(repeated("<a>", "x<?y?>", TS_DOCUMENT_NODES - 1, "</a>"), NULL);
  assert_text(repeated("<a>", "x<?y?>", TS_DOCUMENT_NODES, "</a>"), "more than 4000000 elements, attributes and texts");
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static void numbers_between_tags(void **state)
{
  (void)state;
  static const char text[] = "<a>1 -2.5e1<!-- 8 -->\n 3<![CDATA[ 4 ]]>x</a>";
  document doc;
  parse_in_place(&doc, text, strlen(text));
  ts_xml_numbers numbers = ts_xml_numbers_begin(&doc.in, doc.root);
  double first, second;
  int index;
  assert_in_range(ts_xml_numbers_capacity(&numbers), 4, 12);
  assert_int_equal(ts_xml_numbers_next(&numbers, &first), TS_OK);
  assert_int_equal(ts_xml_numbers_next(&numbers, &second), TS_OK);
  assert_true(first == 1.0 && second == -25.0);
  assert_int_equal(ts_xml_numbers_index(&numbers, "a digit", 4, &index), TS_OK);
  assert_int_equal(index, 3);
  assert_int_equal(ts_xml_numbers_index(&numbers, "a digit", 4, &index), TS_INVALID);
  assert_string_equal(doc.error.text, "a digit is 4, but there are 4");
  assert_true(doc.error.line == 2 && doc.error.column == 13);
  assert_true(ts_xml_numbers_more(&numbers));
  assert_int_equal(ts_xml_numbers_next(&numbers, &first), TS_INVALID);
  assert_true(doc.error.line == 2 && doc.error.column == 18 && strstr(doc.error.text, "\"x\" stands where") != NULL);
  close_document(&doc);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_with_places),
      cmocka_unit_test(entities_and_white_space),
      cmocka_unit_test(what_is_no_xml_is_refused),
      cmocka_unit_test(sizes_have_bounds),
      cmocka_unit_test(an_element_has_few_attributes),
      cmocka_unit_test(changed_texts_against_another_reader),
      cmocka_unit_test(texts_in_pieces),
      cmocka_unit_test(texts_are_bounded),
      cmocka_unit_test(numbers_between_tags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
