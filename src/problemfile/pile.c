// The contact-pile text format: spheres with their contacts, and W = H^T M^-1 H of one time step. Row 3i+k of H^T
// applied to velocities is d.(v_a + w_a x r_a) - d.(v_b + w_b x r_b) with d = n, t1, t2, so column 3i+k of H holds d
// and r_a x d at body a, and their negatives at body b. The spheres are uniform: M is diagonal.
#include "problemfile/reader.h"

#include "problemfile/listing.h"

#include "base/status.h"

#include <limits.h>

enum { WORLD = -1, CONTACT = 3, BODY = 6 };      // rows of a contact and of a body
enum { CONTACT_NUMBERS = 20, BODY_NUMBERS = 8 }; // on their lines

typedef struct pile {
  int contacts, bodies;
  double *mu, *q;
  double *mass; // diagonal of M
  ts_triplets H;
} pile;

static ts_status scan_header(ts_reading *reading, pile *p)
{
  ts_scanner *scan = &reading->scan;
  int version;
  double mu;
  TS_TRY(ts_scan_word(scan, "fc3d"));
  TS_TRY(ts_scan_int(scan, "the version of the format", 1, 1, &version));
  TS_TRY(ts_scan_word(scan, "K"));
  TS_TRY(ts_scan_count(scan, "the number of contacts", CONTACT_NUMBERS, &p->contacts));
  TS_TRY(ts_scan_word(scan, "nb"));
  TS_TRY(ts_scan_count(scan, "the number of bodies", BODY_NUMBERS, &p->bodies));
  TS_TRY(ts_scan_word(scan, "mu"));
  TS_TRY(ts_scan_at_least(scan, "the friction coefficient", 0.0, false, &mu));
  const size_t contacts = (size_t)p->contacts, bodies = (size_t)p->bodies;
  TS_TRY(ts_pool_doubles(reading->keep, contacts, &p->mu));
  TS_TRY(ts_pool_doubles(reading->keep, CONTACT * contacts, &p->q));
  TS_TRY(ts_pool_doubles(reading->scratch, BODY * bodies, &p->mass));
  for (int i = 0; i < p->contacts; ++i) p->mu[i] = mu;
  return ts_triplets_init(&p->H, reading->scratch, BODY * p->bodies, CONTACT * p->contacts,
                          2 * BODY * CONTACT * contacts);
}

// 1/mass, 1/inertia, and the velocity the body would have without contact, which q holds already.
static ts_status scan_body(ts_scanner *scan, double *mass)
{
  double inverse[2], velocity[BODY];
  for (int k = 0; k < 2; ++k) TS_TRY(ts_scan_at_least(scan, "the inverse masses", 0.0, true, &inverse[k]));
  TS_TRY(ts_scan_numbers(scan, "the velocity of a body", BODY, velocity));
  for (int k = 0; k < BODY; ++k) mass[k] = 1.0 / inverse[k / 3];
  return TS_OK;
}

// d at the centre of a body and arm x d about it, both times `sign`.
static void add_direction(ts_triplets *H, int body, int column, double sign, const double *d, const double *arm)
{
  if (body == WORLD) return;
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    ts_triplets_add(H, BODY * body + k, column, sign * d[k]);
    ts_triplets_add(H, BODY * body + 3 + k, column, sign * (arm[next] * d[last] - arm[last] * d[next]));
  }
}

static ts_status scan_contact(ts_scanner *scan, pile *p, int i)
{
  int a, b;
  double direction[CONTACT][3], arm[2][3];
  TS_TRY(ts_scan_int(scan, "the first body of a contact", 0, p->bodies - 1, &a));
  ts_scan_space(scan);
  const char *at = scan->at;
  TS_TRY(ts_scan_int(scan, "the second body of a contact", WORLD, p->bodies - 1, &b));
  if (a == b) return ts_scan_fail(scan, at, TS_INVALID, "body %d touches itself", a);
  TS_TRY(ts_scan_numbers(scan, "the directions of a contact", CONTACT * 3, direction[0]));
  TS_TRY(ts_scan_numbers(scan, "the lever arms of a contact", 2 * 3, arm[0]));
  TS_TRY(ts_scan_numbers(scan, "q", CONTACT, &p->q[CONTACT * i]));
  for (int k = 0; k < CONTACT; ++k) {
    add_direction(&p->H, a, CONTACT * i + k, 1.0, direction[k], arm[0]);
    add_direction(&p->H, b, CONTACT * i + k, -1.0, direction[k], arm[1]);
  }
  return TS_OK;
}

static ts_status scan_contact_matrix(ts_reading *reading, int contacts, ts_block_matrix *W)
{
  ts_scanner *scan = &reading->scan;
  const int size = CONTACT * contacts;
  int count;
  TS_TRY(ts_scan_word(scan, "W"));
  TS_TRY(ts_scan_count(scan, "the number of entries of W", 3, &count));
  ts_listing entries;
  TS_TRY(ts_listing_init(&entries, reading, size, size, (size_t)count));
  for (int e = 0; e < count; ++e) {
    int i, j;
    double value;
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, "the row of an entry of W", 0, size - 1, &i));
    TS_TRY(ts_scan_int(scan, "the column of an entry of W", 0, size - 1, &j));
    TS_TRY(ts_scan_number(scan, "W", &value));
    ts_listing_add(&entries, reading, i, j, value, at);
  }
  if (!ts_scan_at_end(scan)) return ts_scan_unexpected(scan, "the end of the file");
  ts_matrix A;
  TS_TRY(ts_listing_compress(&entries, reading, "W", &A));
  return ts_assemble_blocks(&A, CONTACT, reading->keep, reading->scratch, W);
}

static ts_status assemble_bodies(ts_reading *reading, const pile *p, ts_bodies **bodies)
{
  ts_triplets M;
  const int size = BODY * p->bodies;
  TS_TRY(ts_triplets_init(&M, reading->scratch, size, size, (size_t)size));
  for (int k = 0; k < size; ++k) ts_triplets_add(&M, k, k, p->mass[k]);
  *bodies = ts_pool_take(reading->keep, 1, sizeof **bodies);
  int *first = ts_pool_take(reading->keep, (size_t)p->bodies + 1, sizeof *first);
  if (!*bodies || !first) return TS_OUT_OF_MEMORY;
  for (int b = 0; b <= p->bodies; ++b) first[b] = BODY * b;
  **bodies = (ts_bodies){.count = p->bodies, .first = first};
  TS_TRY(ts_triplets_compress(&M, reading->keep, reading->scratch, &(*bodies)->M, NULL));
  return ts_triplets_compress(&p->H, reading->keep, reading->scratch, &(*bodies)->H, NULL);
}

ts_status ts_read_pile(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  pile p;
  TS_TRY(scan_header(reading, &p));
  TS_TRY(ts_scan_word(scan, "bodies"));
  for (int k = 0; k < p.bodies; ++k) TS_TRY(scan_body(scan, &p.mass[BODY * k]));
  TS_TRY(ts_scan_word(scan, "contacts"));
  for (int i = 0; i < p.contacts; ++i) TS_TRY(scan_contact(scan, &p, i));
  ts_friction friction = {.dimension = CONTACT, .contacts = p.contacts, .q = p.q, .mu = p.mu};
  TS_TRY(scan_contact_matrix(reading, p.contacts, &friction.W));
  ts_bodies *bodies;
  TS_TRY(assemble_bodies(reading, &p, &bodies));
  friction.bodies = bodies;
  reading->problem = ts_problem_friction(friction);
  reading->format = "contact pile, 3D friction";
  return TS_OK;
}
