// What of a picture is drawn, and the space that it fills: all bodies but those far away from the rest, or those that
// were asked for and what is around them.
#ifndef TS_DRAW_SELECTION_H
#define TS_DRAW_SELECTION_H

#include "draw/picture.h"

typedef struct ts_selection {
  ts_picture shown; // without what is far away; its lists of shapes, links and labels are the selection's own
  bool *dwarfing;   // (shapes shown) of a fixed body so large that only what of it is near is shown
  ts_scope near;    // what all bodies fill but these
  ts_scope scope;   // and with what is near of them
  bool cut;         // what is shown may go on beyond the picture's edge
  char note[160];   // what is not in the picture; may be empty
  ts_placed_shape *placed;
  ts_picture_link *links;
  ts_picture_label *labels;
} ts_selection;

// Where memory runs out, nothing is selected.
void ts_selection_init(ts_selection *selection, const ts_picture *picture, ts_heap *heap);
void ts_selection_destroy(ts_selection *selection);

// The part of the i-th shape, of a body that dwarfs all else, that is near enough to be shown. False: none is.
bool ts_selection_cut(const ts_selection *selection, int i, ts_scope *part);

#endif
