// `step` of a scene.
#include "scene/build.h"

#include "scene/scene_schema.h"

#include "step/options.h"
#include "schema/field.h"
#include "text/number_text.h"

// Numbers that a program has put into the tree have no text.
static const char *text_of(const ts_node *node, char digits[static TS_NUMBER_TEXT_SIZE])
{
  if (!node->is_number) return node->text;
  ts_number_text(node->number, digits);
  return digits;
}

// Rows in their order: the method comes before what it alone takes.
static ts_status read_options(ts_document_input *in, const ts_node *map, ts_step_options *options)
{
  for (int i = 0; i < ts_section_key_count(map->section); ++i) {
    const ts_key *row = ts_section_key_at(map->section, i);
    const ts_node *node = ts_node_find(map, row->name);
    char digits[TS_NUMBER_TEXT_SIZE];
    if (!node || node->row != row) continue;
    if (row->choices && row->section) ts_field_choose(row, options, ts_key_word(row, node->first->key));
    if (row->section)
      TS_TRY(read_options(in, node, options));
    else
      TS_TRY(ts_document_locate(in, node->place, ts_step_options_put(options, row, text_of(node, digits), in->error)));
  }
  return TS_OK;
}

static ts_status read_parameters(ts_document_input *in, const ts_node *map, ts_step_options *options)
{
  for (const ts_node *node = map ? map->first : NULL; node; node = node->next)
    TS_TRY(ts_document_locate(in, node->key_place,
                              ts_step_options_put_parameter(options, node->key, node->number, in->error)));
  return TS_OK;
}

ts_status ts_scene_read_step(ts_document_input *in, const ts_node *root, ts_step_options *options)
{
  const ts_node *step = ts_node_find(root, "step");
  *options = ts_step_options_default();
  options->extensions = in->extensions;
  if (!step) return TS_OK;
  TS_TRY(read_options(in, step, options));
  TS_TRY(read_parameters(in, ts_node_find(step, "parameters"), options));
  return ts_document_locate(in, step->place, ts_step_options_check(options, in->error));
}
