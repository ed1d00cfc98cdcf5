// What writers and readers of journals agree on: the layout that journal.h tells.
#ifndef TS_STUDY_JOURNAL_FORMAT_H
#define TS_STUDY_JOURNAL_FORMAT_H

#include "study/journal.h"

#include "study/bytes.h"

#include <string.h>

#include <zlib.h>

enum {
  TS_JOURNAL_VERSION = 1,
  TS_JOURNAL_MAGIC_SIZE = 8,
  TS_JOURNAL_VERSION_AT = TS_JOURNAL_MAGIC_SIZE,
  TS_JOURNAL_IDENTITY_AT = TS_JOURNAL_VERSION_AT + 4,
  TS_JOURNAL_SUM_AT = TS_JOURNAL_IDENTITY_AT + TS_JOURNAL_IDENTITY,
  TS_JOURNAL_HEAD = TS_JOURNAL_SUM_AT + 4,
  TS_JOURNAL_ROW_HEAD = 8 // size and checksum
};

#define TS_JOURNAL_MAGIC  "TSJOURNL"
#define TS_JOURNAL_ENDING ".journal"

static inline uint32_t ts_journal_head_sum(const unsigned char *head)
{
  return (uint32_t)crc32_z(0, head, TS_JOURNAL_SUM_AT);
}

// Of a row's size, which stands at its beginning, and of the payload.
static inline uint32_t ts_journal_row_sum(const unsigned char *row, size_t payload_size)
{
  return (uint32_t)crc32_z(crc32_z(0, row, 4), row + TS_JOURNAL_ROW_HEAD, payload_size);
}

static inline void ts_journal_make_head(const ts_journal_identity *identity, unsigned char head[static TS_JOURNAL_HEAD])
{
  memcpy(head, TS_JOURNAL_MAGIC, TS_JOURNAL_MAGIC_SIZE);
  ts_bytes_put_32(head + TS_JOURNAL_VERSION_AT, TS_JOURNAL_VERSION);
  memcpy(head + TS_JOURNAL_IDENTITY_AT, identity->bytes, TS_JOURNAL_IDENTITY);
  ts_bytes_put_32(head + TS_JOURNAL_SUM_AT, ts_journal_head_sum(head));
}

#endif
