#include "step/compliant/elastic.h"

#include "contact/law.h"
#include "contact/touching.h"
#include "model/laws.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

static size_t first_row(const ts_elastic *springs, int i)
{
  return (size_t)i * (size_t)springs->step->system.dimension;
}

static int tangents_of(const ts_step *step)
{
  return step->system.dimension > 2 ? 2 : 1;
}

static const ts_contact_law *law_of(const ts_elastic *springs, int i)
{
  return springs->step->contacts.laws[i];
}

static const ts_contact *contact_of(const ts_elastic *springs, int i)
{
  return &springs->step->contacts.contacts[i];
}

// ---- the start -----------------------------------------------------------------------------------------------------

// Contacts [first, end) of a pair of parts, and what is remembered of it: entries [known, known_end).
typedef struct pair {
  int first, end, known, known_end;
} pair;

static void set_tangent(const ts_contact *contact, ts_vec3 way, ts_elastic_contact *spring)
{
  spring->tangent[0] = ts_dot(way, contact->tangent);
  spring->tangent[1] = ts_dot(way, contact->other);
}

static double square(const double tangent[2])
{
  return tangent[0] * tangent[0] + tangent[1] * tangent[1];
}

static double energy_of(const ts_contact_law *law, double normal, const double tangent[2])
{
  return 0.5 * (law->stiffness * normal * normal + ts_law_along_surface(law).stiffness * square(tangent));
}

// What is remembered of contact i, as far as it overlaps. False: nothing is.
static bool recall(ts_elastic *springs, const ts_elastic_memory *memory, const pair *p, int i)
{
  const ts_contact *contact = contact_of(springs, i);
  ts_elastic_contact *spring = &springs->each[i];
  *spring = (ts_elastic_contact){.touches = contact->gap <= ts_touching_gap(contact->arm_1, contact->point)};
  const ts_pressed *known = ts_elastic_find(memory, p->known, p->known_end, contact->feature);
  if (!known) return false;
  spring->pace = known->pace;
  if (!spring->touches) return true;
  spring->normal = fmin(known->normal, fmax(0.0, -contact->gap));
  set_tangent(contact, known->tangent, spring);
  return true;
}

// What contacts of a pair have left that are no more: energy, and the mean way along the surface.
typedef struct left_over {
  double energy;
  ts_vec3 tangent;
  int count;
} left_over;

static bool is_among(const ts_elastic *springs, const pair *p, uint32_t feature)
{
  for (int i = p->first; i < p->end; ++i)
    if (contact_of(springs, i)->feature == feature) return true;
  return false;
}

static left_over leave(const ts_elastic *springs, const ts_elastic_memory *memory, const pair *p)
{
  static const ts_vec3 none = {0.0, 0.0, 0.0};
  const ts_contact_law *law = law_of(springs, p->first);
  left_over left = {0};
  for (int k = p->known; k < p->known_end; ++k) {
    const ts_pressed *entry = &memory->entries[k];
    const bool stays = is_among(springs, p, entry->feature);
    left.energy += ts_elastic_energy(law, entry->normal, stays ? none : entry->tangent);
    if (stays) continue;
    left.tangent = ts_add(left.tangent, entry->tangent);
    ++left.count;
  }
  if (left.count > 0) left.tangent = ts_scale(1.0 / left.count, left.tangent);
  for (int i = p->first; i < p->end; ++i) left.energy -= ts_elastic_energy(law, springs->each[i].normal, none);
  return left;
}

// Contacts that overlap by more than what is remembered of them, because others have gone over to them or ways were
// curved, share what is left, all by the same part t of what they lack: a t^2 + b t <= energy.
static void share(ts_elastic *springs, const left_over *left, const pair *p, const bool *known)
{
  const ts_contact_law *law = law_of(springs, p->first);
  double a = 0.0, b = 0.0;
  for (int i = p->first; i < p->end; ++i) {
    const double lack = fmax(0.0, -contact_of(springs, i)->gap) - springs->each[i].normal;
    a += ts_elastic_energy(law, lack, known[i] || !(lack > 0.0) ? (ts_vec3){0.0, 0.0, 0.0} : left->tangent);
    b += law->stiffness * springs->each[i].normal * lack;
  }
  if (!(a > 0.0) || !(left->energy > 0.0)) return;
  const double part = a + b <= left->energy ? 1.0 : 2.0 * left->energy / (b + sqrt(b * b + 4.0 * a * left->energy));
  for (int i = p->first; i < p->end; ++i) {
    const double lack = fmax(0.0, -contact_of(springs, i)->gap) - springs->each[i].normal;
    springs->each[i].normal += part * lack;
    if (!known[i] && lack > 0.0) set_tangent(contact_of(springs, i), ts_scale(part, left->tangent), &springs->each[i]);
  }
}

static void recall_all(ts_elastic *springs)
{
  const ts_contact_set *set = &springs->step->contacts;
  const ts_elastic_memory *memory = &springs->step->sim->elastic;
  bool *known = ts_arena_bytes(springs->step->arena, (size_t)set->count, sizeof *known);
  for (pair p = {.first = 0}; p.first < set->count; p.first = p.end) {
    const uint64_t key = ts_part_pair_key(set->parts[p.first]);
    for (p.end = p.first; p.end < set->count && ts_part_pair_key(set->parts[p.end]) == key;) ++p.end;
    p.known_end = ts_elastic_of_pair(memory, key, &p.known);
    for (int i = p.first; i < p.end; ++i) known[i] = recall(springs, memory, &p, i);
    const left_over left = leave(springs, memory, &p);
    share(springs, &left, &p, known);
    for (int i = p.first; i < p.end; ++i)
      springs->energy += energy_of(law_of(springs, i), springs->each[i].normal, springs->each[i].tangent);
  }
}

// What a row of a contact pushes back with: [0] stiffness, [1] damping. There is none about the normal.
static double constant_of(const ts_contact_law *law, int row, int which)
{
  if (row > 2) return 0.0;
  const ts_spring_constants spring = row == 0 ? ts_law_along_normal(law) : ts_law_along_surface(law);
  return which == 0 ? spring.stiffness : spring.damping;
}

// Sums of absolute values of row r of contact i in Q^(1/2) W Q^(1/2), Q of stiffnesses or dampings: no eigenvalue of
// all rows is larger than the largest sum.
static double row_sum(const ts_elastic *springs, int i, int r, int which)
{
  const ts_step *step = springs->step;
  const ts_block_matrix *W = &step->system.problem.W;
  const int d = step->system.dimension;
  const double own = constant_of(law_of(springs, i), r, which);
  double sum = 0.0;
  if (own == 0.0) return 0.0;
  for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
    const int j = W->index[k];
    if (j >= step->contacts.count || !springs->each[j].acts) continue;
    const double *block = W->value + (size_t)k * (size_t)(d * d);
    for (int c = 0; c < d; ++c) sum += sqrt(own * constant_of(law_of(springs, j), c, which)) * fabs(block[c * d + r]);
  }
  return sum;
}

static void set_rates(ts_elastic *springs)
{
  const ts_step *step = springs->step;
  const int d = step->system.dimension;
  for (int i = 0; i < step->contacts.count; ++i) {
    ts_elastic_contact *spring = &springs->each[i];
    if (!spring->acts) continue;
    for (int r = 0; r < d && r < 3; ++r) {
      spring->rate = fmax(spring->rate, sqrt(row_sum(springs, i, r, 0)));
      spring->rate = fmax(spring->rate, row_sum(springs, i, r, 1));
      spring->compliance = fmax(spring->compliance, ts_system_diagonal(&step->system, i, r));
    }
  }
}

// Velocities of the rows, surfaces included.
static void set_velocities(const ts_step *step, const ts_twist *velocity, double *u)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  ts_system_velocity(&step->system, velocity, u);
  for (size_t k = 0; k < rows; ++k) u[k] += step->surface[k];
}

void ts_elastic_take_free_velocity(ts_elastic *springs)
{
  set_velocities(springs->step, springs->step->sim->free_velocity, springs->free);
}

ts_elastic ts_elastic_begin(ts_step *step)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  ts_elastic springs = {.step = step,
                        .each = ts_arena_bytes(step->arena, (size_t)step->contacts.count, sizeof *springs.each),
                        .before = ts_arena_doubles(step->arena, rows),
                        .free = ts_arena_doubles(step->arena, rows)};
  set_velocities(step, step->from, springs.before);
  ts_elastic_take_free_velocity(&springs);
  recall_all(&springs);
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t normal = first_row(&springs, i);
    const double nearest = fmin(0.0, fmin(springs.before[normal], springs.free[normal]));
    springs.each[i].acts = springs.each[i].touches || step->contacts.contacts[i].gap + step->h * nearest <= 0.0;
  }
  set_rates(&springs);
  return springs;
}

double ts_elastic_stiffness(const ts_elastic *springs)
{
  double most = 0.0;
  for (int i = 0; i < springs->step->contacts.count; ++i) most = fmax(most, springs->step->h * springs->each[i].rate);
  return most;
}

// ---- the problem ---------------------------------------------------------------------------------------------------

// One row: u+ of the problem plus its bias is to stand for u/theta + K deflection/(theta S). Returns the softness.
static double enter_row(const ts_elastic *springs, size_t row, double S, double K, double deflection)
{
  const ts_step *step = springs->step;
  const double theta = step->theta;
  step->bias[row] = (1.0 - theta) / theta * springs->before[row] + step->surface[row] + K * deflection / (theta * S);
  return 1.0 / (theta * step->h * S);
}

// The spin that is left at the end of the part even if all of the friction brakes it, with a margin of 2 for the force,
// which is guessed from how the spring is pressed in.
static double lasting_spin(const ts_elastic *springs, int i)
{
  const ts_contact_law *law = law_of(springs, i);
  const ts_spring_constants n = ts_law_along_normal(law);
  const size_t row = first_row(springs, i);
  const double h = springs->step->h, spin = springs->before[row + 3];
  const double approach = fmax(0.0, -fmin(springs->before[row], springs->free[row]));
  const double p_n = h * (n.stiffness * (springs->each[i].normal + h * approach) + n.damping * approach);
  const double brakes = 2.0 * ts_system_diagonal(&springs->step->system, i, 3) * law->ellipsoid.z *
                        contact_of(springs, i)->friction * p_n;
  return copysign(fmax(0.0, fabs(spin) - brakes), spin);
}

// About the normal nothing gives way. Spin that lasts is divided by theta as slip is: the two share the friction. What
// may stop within the part counts at its end, or it would swing for ever.
static void enter_contact(const ts_elastic *springs, int i, double softness[TS_MAX_DIMENSION])
{
  const ts_step *step = springs->step;
  const ts_elastic_contact *spring = &springs->each[i];
  const ts_spring_constants n = ts_law_along_normal(law_of(springs, i)), t = ts_law_along_surface(law_of(springs, i));
  const size_t row = first_row(springs, i);
  const double h = step->h, S_n = (spring->touches ? step->theta : 1.0) * h * n.stiffness + n.damping;
  const double S_t = step->theta * h * t.stiffness + t.damping;
  softness[0] = enter_row(springs, row, S_n, n.stiffness, -spring->normal);
  if (!spring->touches) step->bias[row] += contact_of(springs, i)->gap / (step->theta * h);
  for (int k = 0; k < tangents_of(step); ++k)
    softness[1 + k] = enter_row(springs, row + 1 + (size_t)k, S_t, t.stiffness, spring->tangent[k]);
  if (step->system.dimension > 3) {
    step->bias[row + 3] = step->surface[row + 3] + (1.0 - step->theta) / step->theta * lasting_spin(springs, i);
    softness[3] = 0.0;
  }
}

void ts_elastic_enter(const ts_elastic *springs)
{
  ts_system *system = &springs->step->system;
  const int d = system->dimension;
  for (int i = 0; i < springs->step->contacts.count; ++i) {
    double softness[TS_MAX_DIMENSION];
    enter_contact(springs, i, softness);
    double *block = (double *)ts_block_diagonal(&system->problem.W, i); // of the step's own making
    for (int r = 0; r < d; ++r) block[r * d + r] += softness[r];
  }
  system->soft = true;
}

// ---- the end -------------------------------------------------------------------------------------------------------

static double mean_velocity(const ts_elastic *springs, const double *after, size_t row)
{
  const double theta = springs->step->theta;
  return theta * after[row] + (1.0 - theta) * springs->before[row];
}

static double end_of_normal(const ts_elastic *springs, const double *after, int i)
{
  const ts_elastic_contact *spring = &springs->each[i];
  const size_t row = first_row(springs, i);
  const double way = springs->step->h * mean_velocity(springs, after, row);
  if (spring->touches) return fmax(0.0, spring->normal - way);
  return springs->step->r[row] > 0.0 ? fmax(0.0, -contact_of(springs, i)->gap - way) : 0.0;
}

// Where the surface slips, its spring is sheared as far as the force of the part has it at the end: the law of the mean
// alone would let it swing about that for ever. That must not take more energy than is there; from the law of the mean,
// which never does, it goes towards it as far as it may.
static void settle_slipping(const ts_elastic *springs, const double *after, int i, double end[2])
{
  const ts_step *step = springs->step;
  const ts_contact_law *law = law_of(springs, i);
  const ts_elastic_contact *spring = &springs->each[i];
  const size_t row = first_row(springs, i) + 1;
  const double K = ts_law_along_surface(law).stiffness, C = ts_law_along_surface(law).damping;
  double towards[2] = {0.0, 0.0}, most = square(spring->tangent); // squares of ways: 2/K times energies
  for (int t = 0; t < tangents_of(step); ++t) {
    const double p = step->r[row + (size_t)t];
    towards[t] = (C * spring->tangent[t] - p) / (step->h * K + C) - end[t];
    most -= 2.0 / K * p * mean_velocity(springs, after, row + (size_t)t);
  }
  const double a = square(towards), b = end[0] * towards[0] + end[1] * towards[1], c = square(end) - most;
  double part = 1.0;
  if (a + 2.0 * b + c > 0.0) part = c >= 0.0 || !(a > 0.0) ? 0.0 : fmin(1.0, -c / (b + sqrt(b * b - a * c)));
  for (int t = 0; t < 2; ++t) end[t] += part * towards[t];
}

static void end_of_tangent(const ts_elastic *springs, const double *after, int i, double end[2])
{
  const ts_step *step = springs->step;
  const ts_contact_law *law = law_of(springs, i);
  const ts_elastic_contact *spring = &springs->each[i];
  const size_t row = first_row(springs, i);
  const double K = ts_law_along_surface(law).stiffness;
  const double S = step->theta * step->h * K + ts_law_along_surface(law).damping;
  end[0] = end[1] = 0.0;
  for (int t = 0; t < tangents_of(step); ++t)
    end[t] = spring->tangent[t] - (step->r[row + 1 + (size_t)t] + step->h * K * spring->tangent[t]) / S;
  ts_contact end_of_part = *contact_of(springs, i);
  for (int r = 0; r < step->system.dimension; ++r) end_of_part.impulse[r] = step->r[row + (size_t)r];
  const double share = ts_law_cone_share(&step->sim->options, step->sim->model);
  if (ts_law_uses_up_friction(&end_of_part, law, share)) settle_slipping(springs, after, i, end);
}

// How far the error of a part may go. The force changes by `change` in it. Of the mean that the part takes it has
// (theta - 1/2) too much of that, and a trapezoid under a curve of this rate misses a twelfth of rate h. What counts is
// what comes together while a contact swings through, pi/(rate h) parts.
static double slack_of(const ts_elastic *springs, const double *after, int i)
{
  const ts_step *step = springs->step;
  const ts_contact_law *law = law_of(springs, i);
  const ts_elastic_contact *spring = &springs->each[i];
  const size_t row = first_row(springs, i);
  double end[2];
  end_of_tangent(springs, after, i, end);
  const double shear = hypot(end[0] - spring->tangent[0], end[1] - spring->tangent[1]);
  const double change = law->stiffness * fabs(end_of_normal(springs, after, i) - spring->normal) +
                        law->damping * fabs(after[row] - springs->before[row]) +
                        ts_law_along_surface(law).stiffness * shear;
  const double h = step->h, turn = spring->rate * h;
  const double error = h * spring->compliance * change * (step->theta - 0.5 + turn / 12.0);
  const double weight =
      step->sim->options.size * ts_length(step->sim->model->bodies[contact_of(springs, i)->body_1].gravity);
  const double speed = fmax(fabs(after[row]), fabs(springs->before[row]));
  const double scale = fmax(fmax(spring->pace, speed), fmax(shear / h, weight));
  return error > 0.0 ? step->sim->options.contact_error * fmin(1.0, turn) / TS_PI * scale / error : INFINITY;
}

// When contact i meets, gap + u t + theta a t^2 = 0 with a the acceleration of the free motion; or half of the part
// where only others push it there.
static double meeting(const ts_elastic *springs, int i)
{
  const ts_step *step = springs->step;
  const size_t row = first_row(springs, i);
  const double gap = contact_of(springs, i)->gap, u = springs->before[row];
  const double bend = 4.0 * step->theta * (springs->free[row] - u) / step->h * gap, under = u * u - bend;
  const double speed = under >= 0.0 ? sqrt(under) - u : 0.0;
  const double t = speed > 0.0 ? 2.0 * gap / speed : INFINITY;
  return t < step->h ? t : 0.5 * step->h;
}

// When contact i lets go: its force goes from one that pushes to one that would pull.
static double parting(const ts_elastic *springs, const double *after, int i)
{
  const ts_contact_law *law = law_of(springs, i);
  const size_t row = first_row(springs, i);
  const double h = springs->step->h, normal = springs->each[i].normal;
  const double end = normal - h * mean_velocity(springs, after, row);
  const double force = law->stiffness * normal - law->damping * springs->before[row];
  const double last = law->stiffness * end - law->damping * after[row];
  return force > 0.0 && last < 0.0 ? h * force / (force - last) : INFINITY;
}

ts_elastic_end ts_elastic_judge(const ts_elastic *springs, const ts_twist *velocity)
{
  const ts_step *step = springs->step;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  double *after = ts_arena_doubles(step->arena, rows);
  set_velocities(step, velocity, after);
  ts_elastic_end end = {.after = after, .event = INFINITY, .slack = INFINITY};
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_elastic_contact *spring = &springs->each[i];
    const bool pushes = step->r[first_row(springs, i)] > 0.0;
    if (spring->touches || pushes) end.slack = fmin(end.slack, slack_of(springs, after, i));
    if (pushes) end.event = fmin(end.event, spring->touches ? parting(springs, after, i) : meeting(springs, i));
  }
  return end;
}

// The speed that a contact is resolved for goes down within a swing or so of its springs.
static double next_pace(const ts_elastic *springs, const double *after, int i, double shear)
{
  const ts_elastic_contact *spring = &springs->each[i];
  const double h = springs->step->h, speed = fabs(mean_velocity(springs, after, first_row(springs, i)));
  return fmax(fmax(speed, shear / h), spring->pace / (1.0 + spring->rate * h / 8.0));
}

ts_elastic_memory ts_elastic_remember(const ts_elastic *springs, const double *after)
{
  const ts_step *step = springs->step;
  const int count = step->contacts.count;
  ts_elastic_memory memory = {.entries = ts_arena_bytes(step->arena, (size_t)count, sizeof *memory.entries)};
  for (int i = 0; i < count; ++i) {
    ts_contact *contact = &step->contacts.contacts[i];
    const ts_elastic_contact *spring = &springs->each[i];
    const double normal = end_of_normal(springs, after, i);
    if (!(normal > 0.0)) continue;
    double end[2];
    end_of_tangent(springs, after, i, end);
    contact->deflection[0] = normal;
    contact->deflection[1] = -end[0];
    contact->deflection[2] = -end[1];
    memory.entries[memory.count++] = (ts_pressed){
        .pair = ts_part_pair_key(step->contacts.parts[i]),
        .feature = contact->feature,
        .normal = normal,
        .tangent = ts_add(ts_scale(end[0], contact->tangent), ts_scale(end[1], contact->other)),
        .pace = next_pace(springs, after, i, hypot(end[0] - spring->tangent[0], end[1] - spring->tangent[1]))};
    memory.energy += energy_of(law_of(springs, i), normal, end);
  }
  return memory;
}
