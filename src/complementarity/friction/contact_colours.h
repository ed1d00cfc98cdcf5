// Contacts in colours: those of one colour push different bodies, so that they may be visited in any order, several at
// a time, or by several threads, with the same result. What does not move counts as no body.
//
// Bodies are numbered anew, breadth first from contact to contact, and contacts follow their bodies: what is near in
// the pile is near in memory, and threads that take the same share of every colour meet at few bodies.
#ifndef TS_COMPLEMENTARITY_FRICTION_CONTACT_COLOURS_H
#define TS_COMPLEMENTARITY_FRICTION_CONTACT_COLOURS_H

#include "base/arena.h"

enum { TS_LANES = 4 }; // contacts of a batch

typedef struct ts_contact_colours {
  int batches; // of TS_LANES contacts of one colour each; every colour has an even number, so that two are one of twice
               // the lanes
  int colours; // the first batch of colour c is start[c]
  int *start;  // (colours + 1)
  int *contact; // of each lane; -1: empty (TS_LANES * batches)
  int *place;   // of the first contact of a batch in the order of bodies: ascending in a colour; of a batch without
                // contacts that of the one before it (batches)
  int *number;  // new number of a body (bodies)
  int alone;    // from here on every other batch holds one contact, to be visited one after another, last of all
} ts_contact_colours;

// `body` has two bodies a contact, from 0 to bodies - 1, or `bodies` for what does not move. Lives in the arena.
void ts_colour_contacts(int contacts, int bodies, const int *body, ts_arena *arena, ts_contact_colours *colours);

#endif
