#include "document/xml_numbers.h"

#include <limits.h>

static void enter_piece(ts_xml_numbers *numbers, const ts_xml_text *piece)
{
  numbers->piece = piece;
  if (piece) ts_scan_init(&numbers->scan, piece->begin, (size_t)(piece->end - piece->begin), numbers->in->error);
}

ts_xml_numbers ts_xml_numbers_begin(ts_document_input *in, const ts_xml_element *element)
{
  ts_xml_numbers numbers = {.in = in, .element = element};
  enter_piece(&numbers, element->first_text);
  return numbers;
}

size_t ts_xml_numbers_capacity(const ts_xml_numbers *numbers)
{
  if (!numbers->piece) return 0;
  size_t capacity = ts_scan_capacity(&numbers->scan);
  for (const ts_xml_text *piece = numbers->piece->next; piece; piece = piece->next)
    capacity += ((size_t)(piece->end - piece->begin) + 1) / 2;
  return capacity;
}

bool ts_xml_numbers_more(ts_xml_numbers *numbers)
{
  while (numbers->piece && ts_scan_at_end(&numbers->scan)) enter_piece(numbers, numbers->piece->next);
  return numbers->piece != NULL;
}

// What the scanner has said of its piece, with the place in the file.
static ts_status locate(const ts_xml_numbers *numbers, ts_status status)
{
  if (status == TS_OK) return TS_OK;
  const ts_error *error = numbers->in->error;
  ts_place place = numbers->piece->place;
  place.column = error->line == 1 ? place.column + error->column - 1 : error->column;
  place.line += error->line - 1;
  return ts_document_locate(numbers->in, place, status);
}

static ts_status ran_out(const ts_xml_numbers *numbers)
{
  const ts_xml_element *element = numbers->element;
  return ts_document_fail(numbers->in, element->place, "'%.60s' ends where a number should be", element->name);
}

ts_status ts_xml_numbers_next(ts_xml_numbers *numbers, double *value)
{
  if (!ts_xml_numbers_more(numbers)) return ran_out(numbers);
  return locate(numbers, ts_scan_number(&numbers->scan, numbers->element->name, value));
}

ts_status ts_xml_numbers_index(ts_xml_numbers *numbers, const char *name, int end, int *value)
{
  if (!ts_xml_numbers_more(numbers)) return ran_out(numbers);
  const char *start = numbers->scan.at;
  ts_status status = ts_scan_int(&numbers->scan, name, 0, INT_MAX, value);
  if (status == TS_OK && *value >= end)
    status = ts_scan_fail(&numbers->scan, start, TS_INVALID, "%s is %d, but there are %d", name, *value, end);
  return locate(numbers, status);
}

ts_status ts_xml_numbers_read(ts_document_input *in, const ts_xml_element *element, int count, double *values)
{
  ts_xml_numbers numbers = ts_xml_numbers_begin(in, element);
  for (int i = 0; i < count; ++i) TS_TRY(ts_xml_numbers_next(&numbers, &values[i]));
  if (!ts_xml_numbers_more(&numbers)) return TS_OK;
  return ts_document_fail(in, element->place, "'%.60s' has more than %d numbers", element->name, count);
}
