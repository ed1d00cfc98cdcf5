// libhdf5 believes the addresses and sizes that it finds in a file of the old format (superblock version 0, which is
// what FCLIB writes and what has no checksums): a damaged one makes it read outside its buffers, follow a list in a
// circle or crash. So we follow the same path first: superblock, groups (a B-tree of symbol nodes with the names in a
// local heap), object headers, and the messages in them. Section numbers are those of the HDF5 File Format
// Specification, version 3.0 (II.A superblock, III.A B-trees, III.B symbol nodes, III.D local heaps, IV objects).
#include "hdf5/image.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UNDEFINED UINT64_MAX // an address that leads nowhere

enum { DEEPEST_GROUP = 8, DEEPEST_TREE = 8, MOST_CONTINUATIONS = 64 }; // far more than such files need

typedef struct image {
  const unsigned char *bytes;
  size_t size;
  unsigned leaf_k, internal_k; // half of what a symbol node and a B-tree node have room for
  size_t visits;               // structures that may still be looked at: a file cannot hold more, unless in a circle
  ts_error *error;
} image;

static ts_status damaged(const image *im, uint64_t at, const char *what)
{
  return ts_fail(im->error, TS_IO, "this HDF5 file is damaged: %s at byte %llu", what, (unsigned long long)at);
}

static bool holds(const image *im, uint64_t at, uint64_t count)
{
  return at <= im->size && count <= im->size - at;
}

// A little-endian number of 1 to 8 bytes; the image holds it.
static uint64_t number(const image *im, uint64_t at, int width)
{
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; --k) value = value << 8 | im->bytes[at + (uint64_t)k];
  return value;
}

static bool is_marked(const image *im, uint64_t at, const char *mark)
{
  return memcmp(im->bytes + at, mark, 4) == 0;
}

static ts_status count_visit(image *im, uint64_t at)
{
  if (im->visits == 0) return damaged(im, at, "it leads in a circle");
  --im->visits;
  return TS_OK;
}

// III.D. The names of a group, each ending with a zero byte, and a list of free pieces.
typedef struct heap {
  uint64_t at, size; // of the names
} heap;

// The list of free pieces ends with the offset 1; each holds the offset of the next one and its own size.
static ts_status check_free_list(const image *im, const heap *h, uint64_t offset)
{
  for (uint64_t steps = 0; offset != 1; ++steps) {
    if (offset > h->size || h->size - offset < 16 || steps > h->size / 16)
      return damaged(im, h->at, "a list of free space leaves its heap");
    if (number(im, h->at + offset + 8, 8) > h->size - offset)
      return damaged(im, h->at, "a piece of free space leaves its heap");
    offset = number(im, h->at + offset, 8);
  }
  return TS_OK;
}

static ts_status check_heap(const image *im, uint64_t at, heap *h)
{
  if (!holds(im, at, 32) || !is_marked(im, at, "HEAP") || im->bytes[at + 4] != 0)
    return damaged(im, at, "no heap of names");
  *h = (heap){.at = number(im, at + 24, 8), .size = number(im, at + 8, 8)};
  if (!holds(im, h->at, h->size)) return damaged(im, at, "a heap of names leaves the file");
  return check_free_list(im, h, number(im, at + 16, 8));
}

static ts_status check_name(const image *im, const heap *h, uint64_t offset, uint64_t at)
{
  if (offset < h->size && memchr(im->bytes + h->at + offset, '\0', (size_t)(h->size - offset))) return TS_OK;
  return damaged(im, at, "a name leaves its heap");
}

static ts_status check_object(image *im, uint64_t at, uint64_t tree, uint64_t heap_at, int depth);

// A symbol table entry: name, object header, and (kind 1) a copy of where the tree and the heap of a group are.
static ts_status check_symbol(image *im, const heap *h, uint64_t at, int depth)
{
  enum { NOTHING_KEPT = 0, GROUP_KEPT = 1 };
  TS_TRY(check_name(im, h, number(im, at, 8), at));
  const uint64_t kind = number(im, at + 16, 4);
  if (kind != NOTHING_KEPT && kind != GROUP_KEPT) return damaged(im, at, "a link that is not a plain one");
  const bool kept = kind == GROUP_KEPT;
  return check_object(im, number(im, at + 8, 8), kept ? number(im, at + 24, 8) : UNDEFINED,
                      kept ? number(im, at + 32, 8) : UNDEFINED, depth);
}

// III.B
static ts_status check_symbols(image *im, const heap *h, uint64_t at, int depth)
{
  enum { ENTRY = 40 };
  TS_TRY(count_visit(im, at));
  if (!holds(im, at, 8 + 2 * (uint64_t)im->leaf_k * ENTRY) || !is_marked(im, at, "SNOD") || im->bytes[at + 4] != 1)
    return damaged(im, at, "no symbol node");
  const uint64_t count = number(im, at + 6, 2);
  if (count > 2 * im->leaf_k) return damaged(im, at, "a symbol node holds too many names");
  for (uint64_t k = 0; k < count; ++k) TS_TRY(check_symbol(im, h, at + 8 + k * ENTRY, depth));
  return TS_OK;
}

// III.A. Names and addresses take turns; the root may have any level, its children have the one below.
static ts_status check_tree(image *im, const heap *h, uint64_t at, int level, int depth)
{
  enum { HEADER = 24, GROUP_NODE = 0 };
  TS_TRY(count_visit(im, at));
  if (!holds(im, at, HEADER + 32 * (uint64_t)im->internal_k + 8) || !is_marked(im, at, "TREE") ||
      im->bytes[at + 4] != GROUP_NODE)
    return damaged(im, at, "no tree of names");
  if (level < 0) level = im->bytes[at + 5];
  if (im->bytes[at + 5] != level || level > DEEPEST_TREE) return damaged(im, at, "a tree of names has a wrong level");
  const uint64_t count = number(im, at + 6, 2);
  if (count > 2 * im->internal_k) return damaged(im, at, "a tree of names has too many branches");
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t key = at + HEADER + 16 * k, child = number(im, key + 8, 8);
    TS_TRY(check_name(im, h, number(im, key, 8), at));
    TS_TRY(check_name(im, h, number(im, key + 16, 8), at));
    TS_TRY(level > 0 ? check_tree(im, h, child, level - 1, depth) : check_symbols(im, h, child, depth));
  }
  return TS_OK;
}

// What the messages of an object header say it is.
typedef struct object {
  bool has_space, has_type, has_layout, has_table;
  uint64_t tree, heap_at; // of a group
} object;

// A message of an object header: where its content is and how long.
typedef struct message {
  uint64_t at, size;
} message;

// IV.A.2.b. At most one dimension, for FCLIB knows only vectors; a matrix is refused later, by name.
static ts_status check_space(const image *im, const message *m)
{
  const uint64_t version = m->size >= 4 ? im->bytes[m->at] : 0;
  if (version != 1 && version != 2) return damaged(im, m->at, "no dataspace");
  const uint64_t rank = im->bytes[m->at + 1], flags = im->bytes[m->at + 2];
  const uint64_t header = version == 1 ? 8 : 4, lists = flags & 1 ? 2 : 1;
  if (rank > 32 || flags > 1 || header + lists * rank * 8 > m->size) return damaged(im, m->at, "no dataspace");
  return TS_OK;
}

// IV.A.2.d. Whole numbers that fill their bytes, IEEE numbers of 4 and 8 bytes, and strings.
static ts_status check_type(const image *im, const message *m)
{
  enum { WHOLE = 0, REAL = 1, STRING = 3 };
  static const unsigned char real_4[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0},
                             real_8[12] = {0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0};
  if (m->size < 8) return damaged(im, m->at, "no datatype");
  const unsigned char *p = im->bytes + m->at;
  const uint64_t size = number(im, m->at + 4, 4);
  const int version = p[0] >> 4;
  bool sound = version >= 1 && version <= 3;
  switch (p[0] & 15) {
  case WHOLE:
    sound = sound && m->size >= 12 && (p[1] & ~9) == 0 && (size == 1 || size == 2 || size == 4 || size == 8) &&
            number(im, m->at + 8, 2) == 0 && number(im, m->at + 10, 2) == 8 * size;
    break;
  case REAL:
    sound = sound && m->size >= 20 && (p[1] & ~1) == 0x20 && p[3] == 0 && (size == 4 || size == 8) &&
            p[2] == 8 * size - 1 && memcmp(p + 8, size == 4 ? real_4 : real_8, 12) == 0;
    break;
  case STRING:
    sound = sound && size > 0;
    break;
  default:
    sound = false;
  }
  return sound ? TS_OK : damaged(im, m->at, "a datatype that FCLIB files do not have");
}

// IV.A.2.i. Version 3: within the header (compact) or in one piece elsewhere in the file (contiguous).
static ts_status check_layout(const image *im, const message *m)
{
  enum { COMPACT = 0, CONTIGUOUS = 1 };
  if (m->size < 4 || im->bytes[m->at] != 3) return damaged(im, m->at, "no data layout");
  const int kind = im->bytes[m->at + 1];
  if (kind == COMPACT && number(im, m->at + 2, 2) <= m->size - 4) return TS_OK;
  if (kind != CONTIGUOUS || m->size < 18)
    return ts_fail(im->error, TS_INVALID, "a dataset of this HDF5 file is not stored in one piece (byte %llu)",
                   (unsigned long long)m->at);
  const uint64_t at = number(im, m->at + 2, 8);
  if (at == UNDEFINED || holds(im, at, number(im, m->at + 10, 8))) return TS_OK;
  return damaged(im, m->at, "a dataset leaves the file");
}

// IV.A.2.e and f: the value of what was never written, if there is one.
static ts_status check_fill(const image *im, const message *m, bool old)
{
  const int version = old ? 0 : m->size >= 2 ? im->bytes[m->at] : -1;
  uint64_t header = version == 3 ? 2 : version == 0 ? 0 : 4;
  if (version < 0 || version > 3 || m->size < header) return damaged(im, m->at, "no fill value");
  const bool defined = version == 3 ? im->bytes[m->at + 1] & 0x20 : version == 2 ? im->bytes[m->at + 3] : true;
  if (!defined) return TS_OK;
  header += 4;
  if (m->size < header || number(im, m->at + header - 4, 4) > m->size - header)
    return damaged(im, m->at, "no fill value");
  return TS_OK;
}

typedef struct continuation {
  uint64_t at, size;
} continuation;

// One message by its type (IV.A.2); a continuation is handed back.
static ts_status check_message(const image *im, uint64_t type, const message *m, object *o, continuation *more)
{
  enum {
    NIL = 0,
    SPACE = 1,
    TYPE = 3,
    OLD_FILL = 4,
    FILL = 5,
    LAYOUT = 8,
    ATTRIBUTE = 12,
    OLD_TIME = 14,
    CONTINUED = 16,
    TABLE = 17,
    TIME = 18
  };
  switch (type) {
  case NIL:
  case ATTRIBUTE: // nobody asks for it, so the library does not look into it
    return TS_OK;
  case SPACE:
    o->has_space = true;
    return check_space(im, m);
  case TYPE:
    o->has_type = true;
    return check_type(im, m);
  case OLD_FILL:
    return check_fill(im, m, true);
  case FILL:
    return check_fill(im, m, false);
  case LAYOUT:
    o->has_layout = true;
    return check_layout(im, m);
  case OLD_TIME:
    return m->size >= 16 ? TS_OK : damaged(im, m->at, "no time");
  case TIME:
    return m->size >= 8 ? TS_OK : damaged(im, m->at, "no time");
  case CONTINUED:
  case TABLE:
    if (m->size < 16) return damaged(im, m->at, "no address");
    if (type == CONTINUED) {
      *more = (continuation){number(im, m->at, 8), number(im, m->at + 8, 8)};
      return TS_OK;
    }
    o->has_table = true;
    o->tree = number(im, m->at, 8);
    o->heap_at = number(im, m->at + 8, 8);
    return TS_OK;
  default:
    return ts_fail(im->error, TS_INVALID,
                   "this HDF5 file uses a feature that FCLIB files do not (message %u at byte %llu)", (unsigned)type,
                   (unsigned long long)m->at);
  }
}

// The messages of one piece of an object header: type, size, flags, content, which ends on a multiple of 8 bytes.
static ts_status check_messages(image *im, continuation piece, object *o, continuation *queue, int *queued)
{
  enum { HEADER = 8, SHARED = 2 };
  if (!holds(im, piece.at, piece.size)) return damaged(im, piece.at, "an object header leaves the file");
  for (uint64_t used = 0; used < piece.size;) {
    const uint64_t at = piece.at + used;
    if (piece.size - used < HEADER) return damaged(im, at, "no message");
    TS_TRY(count_visit(im, at));
    const message m = {at + HEADER, number(im, at + 2, 2)};
    if (m.size > piece.size - used - HEADER || m.size % 8 != 0) return damaged(im, at, "a message leaves its header");
    if (im->bytes[at + 4] & SHARED) return damaged(im, at, "a message that is kept elsewhere");
    continuation more = {.at = UNDEFINED};
    TS_TRY(check_message(im, number(im, at, 2), &m, o, &more));
    if (more.at != UNDEFINED) {
      if (*queued == MOST_CONTINUATIONS) return damaged(im, at, "an object header in too many pieces");
      queue[(*queued)++] = more;
    }
    used += HEADER + m.size;
  }
  return TS_OK;
}

static ts_status check_group(image *im, uint64_t at, const object *o, int depth)
{
  if (depth == DEEPEST_GROUP) return damaged(im, at, "groups in too many levels");
  heap h;
  TS_TRY(check_heap(im, o->heap_at, &h));
  return check_tree(im, &h, o->tree, -1, depth + 1);
}

// IV.A.1.a. An object header of version 1 and what it describes. `tree` and `heap_at` are what the link to it claims,
// or UNDEFINED.
static ts_status check_object(image *im, uint64_t at, uint64_t tree, uint64_t heap_at, int depth)
{
  enum { PREFIX = 16 };
  TS_TRY(count_visit(im, at));
  if (!holds(im, at, PREFIX) || im->bytes[at] != 1) return damaged(im, at, "no object header");
  object o = {0};
  continuation queue[MOST_CONTINUATIONS] = {{at + PREFIX, number(im, at + 8, 4)}};
  int queued = 1;
  for (int k = 0; k < queued; ++k) TS_TRY(check_messages(im, queue[k], &o, queue, &queued));
  if ((tree != UNDEFINED || heap_at != UNDEFINED) && !(o.has_table && o.tree == tree && o.heap_at == heap_at))
    return damaged(im, at, "a link and a group disagree");
  if (o.has_table) return check_group(im, at, &o, depth);
  if (o.has_space && o.has_type && o.has_layout) return TS_OK;
  return damaged(im, at, "an object that is neither a group nor a dataset");
}

// II.A, version 0
static ts_status check_superblock(image *im)
{
  enum { SIZE = 96, ROOT = 56 };
  if (!holds(im, 0, SIZE)) return damaged(im, 0, "no superblock");
  const unsigned char *p = im->bytes;
  if (p[8] != 0 || p[9] != 0 || p[10] != 0 || p[12] != 0 || p[13] != 8 || p[14] != 8)
    return damaged(im, 8, "no superblock");
  im->leaf_k = (unsigned)number(im, 16, 2);
  im->internal_k = (unsigned)number(im, 18, 2);
  if (im->leaf_k == 0 || im->internal_k == 0) return damaged(im, 16, "no superblock");
  if (number(im, 24, 8) != 0 || number(im, 32, 8) != UNDEFINED || number(im, 48, 8) != UNDEFINED)
    return damaged(im, 24, "a superblock that FCLIB files do not have");
  const uint64_t end = number(im, 40, 8);
  if (end > im->size)
    return ts_fail(im->error, TS_IO, "this HDF5 file is cut off: it has %zu bytes and should have %llu", im->size,
                   (unsigned long long)end);
  const uint64_t kind = number(im, ROOT + 16, 4);
  if (kind > 1) return damaged(im, ROOT, "no root group");
  return check_object(im, number(im, ROOT + 8, 8), kind ? number(im, ROOT + 24, 8) : UNDEFINED,
                      kind ? number(im, ROOT + 32, 8) : UNDEFINED, 0);
}

ts_status ts_check_hdf5_image(const void *bytes, size_t size, ts_error *error)
{
  enum { VERSION = 8, OLDEST_WITH_CHECKSUMS = 2, SMALLEST_STRUCTURE = 8 };
  image im = {.bytes = bytes, .size = size, .visits = size / SMALLEST_STRUCTURE, .error = error};
  if (size <= VERSION || im.bytes[VERSION] < OLDEST_WITH_CHECKSUMS) return check_superblock(&im);
  return TS_OK;
}
