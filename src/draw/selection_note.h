// What is said about bodies that a picture does not show.
#ifndef TS_DRAW_SELECTION_NOTE_H
#define TS_DRAW_SELECTION_NOTE_H

#include "draw/crowd.h"
#include "draw/selection.h"

// "1 body outside: ball, 43.1 m below"; empty where all are shown whole.
void ts_selection_describe(const ts_selection *selection, const ts_crowd *crowd, char *text, size_t size);

#endif
