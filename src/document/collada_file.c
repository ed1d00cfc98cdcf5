#include "document/collada_file.h"

#include "text/scanner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- ids -----------------------------------------------------------------------------------------------------------

// The next element in the order of the file, or NULL. No recursion: the tree knows its parents.
static const ts_xml_element *next_element(const ts_xml_element *element)
{
  if (element->first) return element->first;
  while (element && !element->next) element = element->parent;
  return element ? element->next : NULL;
}

// Only what is looked for: files repeat ids of images, materials and the like.
static const ts_xml_attribute *id_of(const ts_xml_element *element)
{
  static const char *const kinds[] = {"geometry", "node", "visual_scene", "source", "float_array", "vertices"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (ts_xml_is(element, kinds[i])) return ts_xml_attribute_of(element, "id");
  return NULL;
}

static int compare_ids(const void *left, const void *right)
{
  const ts_collada_entry *a = left, *b = right;
  const int order = strcmp(a->id, b->id);
  return order ? order : strcmp(a->element->name, b->element->name);
}

void ts_collada_list_ids(ts_collada_file *file)
{
  int count = 0;
  for (const ts_xml_element *at = file->root; at; at = next_element(at)) count += id_of(at) != NULL;
  file->entries = ts_arena_bytes(&file->in->arena, (size_t)count, sizeof *file->entries);
  for (const ts_xml_element *at = file->root; at; at = next_element(at)) {
    const ts_xml_attribute *id = id_of(at);
    if (id) file->entries[file->entry_count++] = (ts_collada_entry){.id = id->value, .element = at};
  }
  qsort(file->entries, (size_t)count, sizeof *file->entries, compare_ids);
}

static bool equal_ids(const ts_collada_file *file, int i, int j)
{
  return i >= 0 && j < file->entry_count && compare_ids(&file->entries[i], &file->entries[j]) == 0;
}

static ts_collada_entry *search(const ts_collada_file *file, const char *id, const char *kind)
{
  const ts_xml_element wanted = {.name = kind};
  const ts_collada_entry key = {.id = id, .element = &wanted};
  return bsearch(&key, file->entries, (size_t)file->entry_count, sizeof key, compare_ids);
}

ts_status ts_collada_find(ts_collada_file *file, const ts_xml_element *element, const char *attribute, const char *kind,
                          ts_collada_entry **entry)
{
  const ts_xml_attribute *url = ts_xml_attribute_of(element, attribute);
  if (!url)
    return ts_document_fail(file->in, element->place, "'%.60s' has no attribute '%s'", element->name, attribute);
  if (url->value[0] != '#')
    return ts_document_fail(file->in, url->value_place,
                            "'%.100s' does not begin with '#': only what stands in this "
                            "file is read",
                            url->value);
  *entry = search(file, url->value + 1, kind);
  if (!*entry)
    return ts_document_fail(file->in, url->value_place, "there is no '%s' with the id '%.100s'", kind, url->value + 1);
  const int i = (int)(*entry - file->entries);
  if (equal_ids(file, i - 1, i) || equal_ids(file, i, i + 1))
    return ts_document_fail(file->in, url->value_place, "there are several '%s' with the id '%.100s'", kind,
                            url->value + 1);
  return TS_OK;
}

ts_collada_entry *ts_collada_entry_of(ts_collada_file *file, const ts_xml_element *element)
{
  const ts_xml_attribute *id = id_of(element);
  ts_collada_entry *entry = id ? search(file, id->value, element->name) : NULL;
  return entry && entry->element == element ? entry : NULL;
}

// ---- attributes and lists ------------------------------------------------------------------------------------------

ts_status ts_collada_count(ts_collada_file *file, const ts_xml_element *element, const char *attribute, int fallback,
                           int *count)
{
  const ts_xml_attribute *found = ts_xml_attribute_of(element, attribute);
  *count = fallback;
  if (!found && fallback >= 0) return TS_OK;
  if (!found)
    return ts_document_fail(file->in, element->place, "'%.60s' has no attribute '%s'", element->name, attribute);
  ts_scanner scan;
  ts_scan_init(&scan, found->value, strlen(found->value), file->in->error);
  if (ts_scan_int(&scan, attribute, 0, INT_MAX, count) == TS_OK && ts_scan_at_end(&scan)) return TS_OK;
  return ts_document_fail(file->in, found->value_place, "'%s' must be a whole number from 0 on, not '%.60s'", attribute,
                          found->value);
}

void *ts_collada_extend(ts_collada_file *file, void *list, int count, int more, int *room, size_t size)
{
  if (more <= *room - count) return list;
  *room = more > count ? count + more : 2 * count;
  void *longer = ts_arena_bytes(&file->in->arena, (size_t)*room, size);
  if (count > 0) memcpy(longer, list, (size_t)count * size);
  return longer;
}
