// What the readers of a COLLADA file share: the elements that have an id, and what was made of them.
#ifndef TS_DOCUMENT_COLLADA_FILE_H
#define TS_DOCUMENT_COLLADA_FILE_H

#include "document/xml.h"

// A mesh may have so many triangles, and so many vertices, copies included. Files of TS_MESH_LARGEST_FILE rarely have
// more; copies of copies in a small file could.
enum { TS_COLLADA_MOST = 1 << 22 };

// An element with an id. `made` is what its reader keeps, so that what is named often is read once.
typedef struct ts_collada_entry {
  const char *id;
  const ts_xml_element *element;
  void *made; // NULL at first
} ts_collada_entry;

typedef struct ts_collada_file {
  ts_document_input *in;
  const ts_xml_element *root;
  ts_collada_entry *entries; // sorted
  int entry_count;
  int places;  // of all sources together
  size_t walk; // how much of the scene was gone through, copies each time
} ts_collada_file;

// List the ids of a file whose `in` and `root` are set.
void ts_collada_list_ids(ts_collada_file *file);

// The element `kind` that an attribute ("#id") of `element` names. There must be exactly one.
ts_status ts_collada_find(ts_collada_file *file, const ts_xml_element *element, const char *attribute, const char *kind,
                          ts_collada_entry **entry);

// The entry of an element; NULL where it has no id.
ts_collada_entry *ts_collada_entry_of(ts_collada_file *file, const ts_xml_element *element);

// An attribute that is a whole number from 0 on; a negative `fallback` says that it must be there.
ts_status ts_collada_count(ts_collada_file *file, const ts_xml_element *element, const char *attribute, int fallback,
                           int *count);

// A list in the arena with room for `more` than its `count` things of `size` bytes: the list itself, or a longer copy.
void *ts_collada_extend(ts_collada_file *file, void *list, int count, int more, int *room, size_t size);

#endif
