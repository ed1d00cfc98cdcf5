#include "study/row.h"

#include "study/bytes.h"

#include <string.h>

#include <zlib.h>

enum { FIXED = 8 + 3 * 4 + 2 * 8 + 2 * 8 + 2 * 4, SECONDS_AT = 44, RESULTS_AT = SECONDS_AT + 8 };

size_t ts_row_size(int results)
{
  return FIXED + (size_t)results * 8 + sizeof((ts_trial_outcome *)0)->text;
}

static unsigned char *put_number(unsigned char *at, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  ts_bytes_put_64(at, bits);
  return at + 8;
}

static const unsigned char *get_number(const unsigned char *at, double *value)
{
  const uint64_t bits = ts_bytes_get_64(at);
  memcpy(value, &bits, sizeof bits);
  return at + 8;
}

size_t ts_row_write(const ts_trial_row *row, int results, unsigned char *bytes)
{
  const ts_trial_outcome *outcome = &row->outcome;
  const size_t length = strlen(outcome->text);
  unsigned char *at = bytes;
  ts_bytes_put_64(at, row->trial);
  ts_bytes_put_32(at + 8, row->generation);
  ts_bytes_put_32(at + 12, row->attempt);
  ts_bytes_put_32(at + 16, (uint32_t)outcome->end);
  ts_bytes_put_64(at + 20, outcome->steps);
  ts_bytes_put_64(at + 28, outcome->uncertified);
  at = put_number(at + 36, outcome->residual);
  at = put_number(at, row->seconds);
  ts_bytes_put_32(at, (uint32_t)results);
  at += 4;
  for (int i = 0; i < results; ++i) at = put_number(at, outcome->results[i]);
  ts_bytes_put_32(at, (uint32_t)length);
  memcpy(at + 4, outcome->text, length);
  return (size_t)(at - bytes) + 4 + length;
}

bool ts_row_read(const unsigned char *bytes, size_t size, int results, ts_trial_row *row)
{
  const size_t numbers = (size_t)results * 8;
  ts_trial_outcome *outcome = &row->outcome;
  if (size < FIXED + numbers) return false;
  const uint32_t end = ts_bytes_get_32(bytes + 16);
  row->trial = ts_bytes_get_64(bytes);
  row->generation = ts_bytes_get_32(bytes + 8);
  row->attempt = ts_bytes_get_32(bytes + 12);
  outcome->steps = ts_bytes_get_64(bytes + 20);
  outcome->uncertified = ts_bytes_get_64(bytes + 28);
  const unsigned char *at = get_number(bytes + 36, &outcome->residual);
  at = get_number(at, &row->seconds);
  if (end >= TS_TRIAL_END_COUNT || ts_bytes_get_32(at) != (uint32_t)results) return false;
  outcome->end = (ts_trial_end)end;
  at += 4;
  for (int i = 0; i < results; ++i) at = get_number(at, &outcome->results[i]);
  const uint32_t length = ts_bytes_get_32(at);
  if (length >= sizeof outcome->text || size != FIXED + numbers + length) return false;
  memcpy(outcome->text, at + 4, length);
  outcome->text[length] = '\0';
  return true;
}

uint32_t ts_row_sum(const unsigned char *bytes, size_t size)
{
  return (uint32_t)crc32_z(crc32_z(0, bytes, SECONDS_AT), bytes + RESULTS_AT, size - RESULTS_AT);
}

bool ts_row_has_failed(const ts_trial_row *row)
{
  return row->outcome.end == TS_TRIAL_FAILED || row->outcome.uncertified > 0;
}
