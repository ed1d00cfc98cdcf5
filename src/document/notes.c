#include "document/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_there(const ts_document_input *in, const char *text)
{
  for (int i = 0; i < in->note_count; ++i)
    if (strcmp(in->notes[i].text, text) == 0) return true;
  return false;
}

static ts_scene_note *new_note(ts_document_input *in)
{
  if (!in->notes) in->notes = ts_document_take(in, TS_DOCUMENT_NOTES * sizeof *in->notes);
  return &in->notes[in->note_count++];
}

static void add(ts_document_input *in, bool warning, ts_place place, const char *format, va_list arguments)
{
  ts_error sentence = {0}, *const outer = in->error;
  if (in->note_count == TS_DOCUMENT_NOTES) return;
  vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
  in->error = &sentence; // a place is written into a note as into an error
  ts_document_locate(in, place, TS_INVALID);
  in->error = outer;
  if (is_there(in, sentence.text)) return;
  ts_scene_note *note = new_note(in);
  *note = (ts_scene_note){.warning = warning, .line = sentence.line, .column = sentence.column};
  const bool last = in->note_count == TS_DOCUMENT_NOTES;
  snprintf(note->text, sizeof note->text, "%s", last ? "there is more to say, which is left out" : sentence.text);
  memcpy(note->file, sentence.file, sizeof note->file);
}

void ts_document_warn(ts_document_input *in, ts_place place, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(in, true, place, format, arguments);
  va_end(arguments);
}

void ts_document_remark(ts_document_input *in, ts_place place, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(in, false, place, format, arguments);
  va_end(arguments);
}
