// The numbers in the text of an element, one after the other. Comments may stand between them.
#ifndef TS_DOCUMENT_XML_NUMBERS_H
#define TS_DOCUMENT_XML_NUMBERS_H

#include "document/xml.h"

#include "text/scanner.h"

typedef struct ts_xml_numbers {
  ts_document_input *in;
  const ts_xml_element *element;
  const ts_xml_text *piece; // the one that is read, or NULL
  ts_scanner scan;
} ts_xml_numbers;

ts_xml_numbers ts_xml_numbers_begin(ts_document_input *in, const ts_xml_element *element);

// How many the rest can hold at most.
size_t ts_xml_numbers_capacity(const ts_xml_numbers *numbers);
bool ts_xml_numbers_more(ts_xml_numbers *numbers); // something is left, a number or not

// The next one, which is finite, or a whole number from 0 on that is less than `end`. Where there is none a sentence
// says so; `name` is what was expected. The locale must have a point (text/c_locale.h).
ts_status ts_xml_numbers_next(ts_xml_numbers *numbers, double *value);
ts_status ts_xml_numbers_index(ts_xml_numbers *numbers, const char *name, int end, int *value);

// All numbers of an element, which must be `count`.
ts_status ts_xml_numbers_read(ts_document_input *in, const ts_xml_element *element, int count, double *values);

#endif
