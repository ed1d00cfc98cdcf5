#include "complementarity/friction/contact_colours.h"

#include <stdint.h>

// Bodies that touch more contacts than there are colours have the others visited one by one.
enum { MOST_COLOURS = 64, ALONE = MOST_COLOURS };

// The contacts of each body: those of body b are contact[start[b]] to contact[start[b+1]-1].
typedef struct incidence {
  int *start, *contact;
} incidence;

static incidence contacts_of_bodies(int contacts, int bodies, const int *body, ts_arena *arena)
{
  incidence of = {ts_arena_ints(arena, (size_t)bodies + 2), ts_arena_ints(arena, 2 * (size_t)contacts)};
  memset(of.start, 0, ((size_t)bodies + 2) * sizeof *of.start);
  for (int k = 0; k < 2 * contacts; ++k)
    if (body[k] < bodies) ++of.start[body[k] + 2];
  for (int b = 0; b < bodies; ++b) of.start[b + 2] += of.start[b + 1];
  for (int k = 0; k < 2 * contacts; ++k) // start[b + 1] runs from the beginning of body b to its end
    if (body[k] < bodies) of.contact[of.start[body[k] + 1]++] = k / 2;
  return of;
}

// Walks over bodies, breadth first.
typedef struct walk {
  const int *body;
  int bodies;
  int *queue, *number;
  int count; // bodies in the queue, in the order of their numbers
} walk;

static void reach(walk *w, int body)
{
  if (body == w->bodies || w->number[body] >= 0) return;
  w->number[body] = w->count;
  w->queue[w->count++] = body;
}

// Contacts in the order in which bodies come to them, each with the first of its bodies.
static void order_contacts(int contacts, int bodies, const int *body, int *number, int *order, ts_arena *arena)
{
  const incidence of = contacts_of_bodies(contacts, bodies, body, arena);
  walk w = {body, bodies, ts_arena_ints(arena, (size_t)bodies), number, 0};
  bool *taken = ts_arena_bytes(arena, (size_t)contacts, sizeof *taken);
  int ordered = 0, done = 0;
  memset(taken, 0, (size_t)contacts * sizeof *taken);
  for (int b = 0; b < bodies; ++b) number[b] = -1;
  for (int root = 0; root < bodies; ++root) {
    reach(&w, root);
    for (; done < w.count; ++done)
      for (int k = of.start[w.queue[done]]; k < of.start[w.queue[done] + 1]; ++k) {
        const int i = of.contact[k];
        reach(&w, body[2 * i]);
        reach(&w, body[2 * i + 1]);
        if (!taken[i]) order[ordered++] = i;
        taken[i] = true;
      }
  }
  for (int i = 0; i < contacts; ++i) // between what does not move
    if (!taken[i]) order[ordered++] = i;
}

// The first colour that neither body has yet; ALONE where there is none.
static int first_free(uint64_t used)
{
  int colour = 0;
  while (colour < MOST_COLOURS && (used >> colour & 1)) ++colour;
  return colour;
}

// Colours in the order of contacts. Returns how many there are, without ALONE.
static int choose_colours(int contacts, int bodies, const int *body, const int *order, int *colour, ts_arena *arena)
{
  uint64_t *used = ts_arena_bytes(arena, (size_t)bodies + 1, sizeof *used);
  int count = 0;
  memset(used, 0, ((size_t)bodies + 1) * sizeof *used);
  for (int k = 0; k < contacts; ++k) {
    const int i = order[k], *pair = body + 2 * i;
    colour[i] = first_free(used[pair[0]] | used[pair[1]]);
    if (colour[i] == ALONE) continue;
    if (colour[i] >= count) count = colour[i] + 1;
    for (int side = 0; side < 2; ++side)
      if (pair[side] < bodies) used[pair[side]] |= (uint64_t)1 << colour[i];
  }
  return count;
}

// Pairs of batches that each colour needs, colour by colour, and one for each contact alone.
enum { PAIR = 2 * TS_LANES };

static void reserve_batches(ts_contact_colours *c, const int *population, ts_arena *arena)
{
  c->start = ts_arena_ints(arena, (size_t)c->colours + 1);
  c->start[0] = 0;
  for (int k = 0; k < c->colours; ++k) c->start[k + 1] = c->start[k] + 2 * ((population[k] + PAIR - 1) / PAIR);
  c->alone = c->start[c->colours];
  c->batches = c->alone + 2 * population[ALONE];
  c->contact = ts_arena_ints(arena, TS_LANES * (size_t)c->batches);
  c->place = ts_arena_ints(arena, (size_t)c->batches);
  for (int k = 0; k < TS_LANES * c->batches; ++k) c->contact[k] = -1;
}

static void fill_batches(ts_contact_colours *c, int contacts, const int *order, const int *colour)
{
  int next[MOST_COLOURS + 1]; // lane of the next contact of a colour
  for (int k = 0; k < c->colours; ++k) next[k] = TS_LANES * c->start[k];
  next[ALONE] = TS_LANES * c->alone;
  for (int k = 0; k < contacts; ++k) {
    int *lane = &next[colour[order[k]]];
    c->contact[*lane] = order[k];
    if (*lane % TS_LANES == 0) c->place[*lane / TS_LANES] = k;
    if (*lane % PAIR == 0) c->place[*lane / TS_LANES + 1] = k; // until it has a contact of its own
    *lane += colour[order[k]] == ALONE ? PAIR : 1;
  }
}

void ts_colour_contacts(int contacts, int bodies, const int *body, ts_arena *arena, ts_contact_colours *colours)
{
  *colours = (ts_contact_colours){.number = ts_arena_ints(arena, (size_t)bodies)};
  int *order = ts_arena_ints(arena, (size_t)contacts), *colour = ts_arena_ints(arena, (size_t)contacts);
  int population[MOST_COLOURS + 1] = {0};
  order_contacts(contacts, bodies, body, colours->number, order, arena);
  colours->colours = choose_colours(contacts, bodies, body, order, colour, arena);
  for (int i = 0; i < contacts; ++i) ++population[colour[i]];
  reserve_batches(colours, population, arena);
  fill_batches(colours, contacts, order, colour);
}
