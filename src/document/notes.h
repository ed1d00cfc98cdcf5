// Notes about a document that is accepted: warnings where it is probably not what was meant, remarks about what was
// decided for it. Whatever reads it adds to the one list; ts_scene_note_at() hands them out.
#ifndef TS_DOCUMENT_NOTES_H
#define TS_DOCUMENT_NOTES_H

#include "touchstone/scene.h"

#include "document/input.h"

// One sentence about a place. The same sentence twice is one note, and after TS_DOCUMENT_NOTES of them no more are
// kept.
__attribute__((format(printf, 3, 4))) void ts_document_warn(ts_document_input *in, ts_place place, const char *format,
                                                            ...);
__attribute__((format(printf, 3, 4))) void ts_document_remark(ts_document_input *in, ts_place place, const char *format,
                                                              ...);

#endif
