#include "cli/scene_keys.h"

#include "cli/json.h"
#include "cli/table.h"

#include <stdio.h>
#include <string.h>

const cli_keys cli_scene_keys = {"### The scene", ts_scene_key_count, ts_scene_key_at};
const cli_keys cli_study_keys = {"### The study", ts_study_key_count, ts_study_key_at};
const cli_keys cli_verify_keys = {"### The verification", ts_verify_key_count, ts_verify_key_at};
const cli_keys cli_urdf_keys = {NULL, ts_urdf_key_count, ts_urdf_key_at};

static const char *fallback_of(const ts_scene_key *key)
{
  return key->required ? "required" : key->fallback;
}

// Words to choose from stand behind the help: they would make the column of types too wide.
static void print_type_and_help(cli_table *table, const ts_scene_key *key)
{
  static const char choice[] = "one of: ";
  const bool chooses = strncmp(key->type, choice, sizeof choice - 1) == 0;
  cli_table_cell(table, "%s", chooses ? "word" : key->type);
  if (chooses)
    cli_table_cell(table, "%s (%s)", key->help, key->type + sizeof choice - 1);
  else
    cli_table_cell(table, "%s", key->help);
}

void cli_print_keys(const cli_keys *keys)
{
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "key", 'l');
  cli_table_column(&table, "space", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "range", 'l');
  cli_table_column(&table, "default", 'l');
  cli_table_column(&table, "type", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < keys->count(); ++i) {
    const ts_scene_key key = keys->at(i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", key.path);
    cli_table_cell(&table, "%s", key.spaces);
    cli_table_cell(&table, "%s", key.unit);
    cli_table_cell(&table, "%s", key.range);
    cli_table_cell(&table, "%s", fallback_of(&key));
    print_type_and_help(&table, &key);
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

void cli_write_keys(const cli_keys *keys)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < keys->count(); ++i) {
    const ts_scene_key key = keys->at(i);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "path", key.path);
    cli_json_text(&json, "type", key.type);
    cli_json_text(&json, "spaces", *key.spaces ? key.spaces : "3d 2d 2.5d");
    cli_json_text(&json, "unit", key.unit);
    cli_json_text(&json, "range", key.range);
    cli_json_text(&json, "default", key.fallback);
    cli_json_boolean(&json, "required", key.required);
    cli_json_text(&json, "help", key.help);
    cli_json_close(&json);
  }
  cli_json_close(&json);
}

// ---- manual --------------------------------------------------------------------------------------------------------

// Length of the path of the map that a key is in; 0 at the top.
static size_t parent_length(const char *path)
{
  const char *point = strrchr(path, '.');
  return point ? (size_t)(point - path) : 0;
}

static void begin_table(const cli_keys *keys, const char *path, size_t length, bool first)
{
  if (length > 0)
    printf("%s### `%.*s`\n", first ? "" : "\n", (int)length, path);
  else
    puts(keys->heading);
  puts("\n| key | type | default | meaning |\n|---|---|---|---|");
}

// A bar would end the cell.
static void print_cell(const char *text)
{
  for (; *text; ++text) printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_row(const ts_scene_key *key, const char *name)
{
  printf("| `%s`%s%s | ", name, *key->spaces ? " " : "", key->spaces);
  print_cell(key->type);
  if (*key->range) printf(", %s", key->range);
  if (*key->unit) printf(" [%s]", key->unit);
  printf(" | %s | ", fallback_of(key));
  print_cell(key->help);
  puts(" |");
}

void cli_print_keys_as_markdown(const cli_keys *keys)
{
  ts_scene_key before = {.path = ""};
  for (int i = 0; i < keys->count(); ++i) {
    const ts_scene_key key = keys->at(i);
    const size_t length = parent_length(key.path);
    if (i == 0 || length != parent_length(before.path) || strncmp(key.path, before.path, length) != 0)
      begin_table(keys, key.path, length, i == 0);
    print_row(&key, key.path + (length > 0 ? length + 1 : 0));
    before = key;
  }
}
