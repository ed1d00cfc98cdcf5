// What a step has done to the energy that no work accounts for, and whether that may be.
//
// In steps of fixed length a force f changes the energy by K = h f.(v + v+)/2 where the step begins and by D =
// -h f.(theta v+ + (1 - theta) v) on the way, as far as it has a potential. The sum is -(theta - 1/2) h f.(v+ - v): the
// energy has the part -(theta - 1/2) h f.v too much, for with theta 1 velocities are those of half a step before. This
// stagger is D/2 + (1 - theta) K in terms of what is known, follows the power of forces and adds up to nothing. What
// steps change beside it is the error that adds up.
#include "step/energy.h"

#include "step/works.h"

#include "math/larger.h"

double ts_sim_potential_energy(const ts_sim *sim)
{
  return ts_potential_energy(sim->model, &sim->state) + sim->skins.energy + sim->elastic.energy;
}

void ts_energy_begin(ts_sim *sim)
{
  ts_energy_account *account = &sim->account;
  if (account->is_known) return;
  account->is_known = true;
  account->kinetic =
      sim->options.method->without_inertia ? 0.0 : ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  account->potential = ts_sim_potential_energy(sim);
  account->stagger = account->length = account->gain = 0.0;
  account->scale = account->kinetic;
}

static void report_energy(ts_sim *sim)
{
  const bool turned = sim->theta < 1.0; // axes of bodies have turned about another velocity
  const ts_energies energies = ts_mechanics_energies(&sim->mechanics, turned ? NAN : sim->kicked);
  sim->report.kinetic_energy = energies.kinetic;
  sim->report.potential_energy = energies.potential + sim->skins.energy + sim->elastic.energy;
}

static double sum_of_works(const ts_step_report *report)
{
  double sum = report->correction_work;
#define TS_SUM_WORK(work) sum += report->work;
  TS_WORK_LIST(TS_SUM_WORK)
#undef TS_SUM_WORK
  return sum;
}

// Energy that is too much, of what was gained in the time h. Where bodies were lifted out of each other is no
// explosion: to take that back would leave them where they were.
static void refuse(ts_sim *sim, double h, double surplus, double gained)
{
  sim->surplus = ts_larger(0.0, surplus - sim->lifted);
  sim->excess = gained / (h * (sim->account.scale + sim->fall));
  sim->report.certified = false;
  sim->report.gained = true;
}

// True if a step of length h that has added to the gain fills what is left of the bucket too fast. Errors of motion add
// up as long as it goes on, and a full bucket has no room for the shortest part of a step. So steps are cut as soon as
// half of the bucket is full; before, gains may be swings that come back.
static bool fills_fast(const ts_sim *sim, double h, double added, double full)
{
  static const double PACE = 64.0; // steps in which what is left may be filled
  const double gain = sim->account.gain;
  return !sim->options.method->is_smooth && gain > 0.5 * full && added > (full - gain) * h / (PACE * sim->options.size);
}

// Gains fill a bucket that leaks: 9e-4 of the kinetic energy may be in it and 1e-5 leaks a second, so that 1e-3 can be
// gained in 10 s, and 1e-3 of what contacts and dampers take, `taken`, as much as the energy that falls and is lost on
// the way (dominoes have little at a time). What was lost before, up to 2e-2, may come back: errors of second order
// swing, and bodies come out of overlap that contacts were found in. The energy that counts is the largest of late, for
// a pendulum has none where it turns, without what is gained now; of what has just begun to move that of a fall of ten
// steps. Where drives act, errors are of first order: they fill the bucket as if they were smaller, so that a tenth may
// be in it, and a tenth of what is taken, and of what drives do either way, `driven`, is forgiven.
static void watch(ts_sim *sim, double h, double gained, double taken, double driven)
{
  static const double DRIVEN = 0.1;
  const bool by_drives = driven > 0.0;
  static const double FULL = 9e-4, CREDIT = 2e-2, LEAK = 1e-5, MEMORY = 1.0, LOST = 1e-3; // shares, LEAK a second; [s]
  const double share = by_drives ? FULL / DRIVEN : 1.0, lost = by_drives ? DRIVEN : LOST;
  ts_energy_account *account = &sim->account;
  const double own = account->kinetic - ts_larger(0.0, gained);
  account->scale = ts_larger(account->scale * ts_larger(0.0, 1.0 - h / MEMORY), own);
  const double scale = account->scale + sim->fall, full = FULL * scale + 1e-12 * fabs(account->potential);
  const double forgiven = LEAK * h * scale + lost * (ts_larger(0.0, taken) + driven) + sim->belated + sim->blur;
  const bool strikes = taken > gained; // in an impact, whose errors are of its velocities and not of the time it takes
  account->gain = ts_larger(-CREDIT * scale, account->gain + share * (gained - forgiven));
  if (account->gain <= full) {
    sim->hurries = !strikes && !by_drives && fills_fast(sim, h, gained - forgiven, full);
    if (sim->hurries) sim->excess = gained / (h * scale);
    return;
  }
  refuse(sim, strikes ? sim->options.size : h, (account->gain - full) / share, gained);
  account->gain = 0.5 * full; // what is too much now is no reproach to all that follows
}

static double put_in(double after, double before)
{
  return ts_larger(0.0, after - before);
}

// Where contacts and drives act errors of first order come and go. What no error of that kind makes is an explosion:
// the energy rises by more than a tenth though nothing has put it in.
static void look_for_bursts(ts_sim *sim, double h, double risen, const ts_step_report *before)
{
  static const double MOST = 0.1;
  const ts_step_report *report = &sim->report;
  ts_energy_account *account = &sim->account;
  const double gained = risen - (report->correction_work - before->correction_work) -
                        put_in(report->drive_work, before->drive_work) -
                        put_in(report->applied_work, before->applied_work) -
                        put_in(report->stabilization_work, before->stabilization_work);
  account->scale = ts_larger(account->scale, account->kinetic - ts_larger(0.0, gained));
  const double most = MOST * (account->scale + sim->fall) + 1e-12 * fabs(account->potential);
  if (gained <= most) return;
  refuse(sim, h, gained - most, gained);
}

// Between events errors are those of high order, whatever acts: there they are as small as in free motion.
static bool goes_by_events(const ts_sim *sim, const ts_step_report *before)
{
  return sim->options.method->is_smooth && sim->report.regularized == before->regularized;
}

// The energy at the end of a step, and what it is made of.
typedef struct balance {
  double risen; // by how much it has changed
  double left;  // of that, what no work accounts for
  double way;   // D
} balance;

static balance balance_of(const ts_sim *sim, const ts_energy_account *before, const ts_step_report *works_before)
{
  const ts_step_report *report = &sim->report;
  const double end = report->kinetic_energy + report->potential_energy;
  const double kicked = isnan(sim->kicked) || sim->theta < 1.0 ? report->kinetic_energy : sim->kicked;
  const double placed = report->correction_work - works_before->correction_work;
  balance b = {.risen = end - before->kinetic - before->potential, .way = end - kicked - before->potential - placed};
  b.left = b.risen - (sum_of_works(report) - sum_of_works(works_before));
  return b;
}

// Where theta is another one in every step nothing adds up but -(theta - 1/2) h f.v itself.
static double stagger_of_weight(const ts_sim *sim, double h, double *earlier)
{
  const double share = -(sim->theta - 0.5) * h;
  *earlier = share * sim->weight_power[0];
  return share * sim->weight_power[1];
}

// That of the state after the step; `earlier` receives that of the state before with a step of this length. In a first
// step the two make all that is left: it knows nothing of another.
static double stagger_of(const ts_sim *sim, double h, const balance *b, const ts_energy_account *before,
                         double *earlier)
{
  if (!isnan(sim->weight_power[0])) return stagger_of_weight(sim, h, earlier);
  const bool fixed = !sim->options.method->is_smooth;
  const double stagger = fixed ? 0.5 * b->way + (1.0 - sim->theta) * (b->left - b->way) : 0.0;
  *earlier = before->length > 0.0 ? h / before->length * before->stagger : fixed ? stagger - b->left : 0.0;
  return stagger;
}

// What stagger may make of the energy in a step, or of a first one; in an explosion it explodes as well.
static double swing_of(const ts_sim *sim, double stagger)
{
  return ts_smaller(ts_larger(stagger, 2.0 * fabs(sim->account.stagger)), sim->account.scale + sim->fall);
}

// Works between events are extrapolated, and those of contacts and dampers, which take only, may come out above 0: that
// is an error of integration, too.
static void let_takers_take(ts_step_report *report, const ts_step_report *works_before)
{
  report->contact_work = ts_smaller(report->contact_work, works_before->contact_work);
  report->damping_work = ts_smaller(report->damping_work, works_before->damping_work);
}

// Without inertia works make the potential energy alone, and there is no free motion to watch.
static void close_without_inertia(ts_sim *sim, const ts_energy_account *before, const ts_step_report *works_before)
{
  ts_step_report *report = &sim->report;
  ts_energy_account *account = &sim->account;
  report->kinetic_energy = 0.0;
  const double risen = report->potential_energy - before->potential;
  report->integration_work += risen - (sum_of_works(report) - sum_of_works(works_before));
  account->kinetic = 0.0;
  account->potential = report->potential_energy;
}

void ts_energy_close(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before)
{
  ts_step_report *report = &sim->report;
  report_energy(sim);
  if (sim->options.method->without_inertia) {
    close_without_inertia(sim, before, works_before);
    return;
  }
  if (sim->options.method->is_smooth) let_takers_take(report, works_before);
  const balance b = balance_of(sim, before, works_before);
  double earlier;
  ts_energy_account *account = &sim->account;
  account->kinetic = report->kinetic_energy;
  account->potential = report->potential_energy;
  account->stagger = stagger_of(sim, h, &b, before, &earlier);
  account->length = h;
  const double stagger = account->stagger - earlier;
  report->stagger_work += stagger;
  report->integration_work += b.left - stagger;
  const double repairs = report->stabilization_work - works_before->stabilization_work + sim->lifted;
  const double taken =
      works_before->contact_work + works_before->damping_work - report->contact_work - report->damping_work;
  const bool exact = goes_by_events(sim, works_before), is_first = before->length == 0.0 && !exact;
  const double driven = exact ? 0.0 : fabs(report->drive_work - works_before->drive_work);
  const bool grows = sim->options.gyroscopic == TS_GYROSCOPIC_EXPLICIT; // what turns, by design; springs do not
  const bool may_burst = grows ? sim->model->spring_count > 0 : is_first || driven > 0.0;
  if (!grows && !is_first) watch(sim, h, b.left - stagger + repairs, exact ? 0.0 : taken, driven);
  if (may_burst && b.risen > 0.0) look_for_bursts(sim, h, b.risen - swing_of(sim, stagger), works_before);
}

bool ts_energy_slow_down(ts_sim *sim, const ts_energy_account *before)
{
  const double kinetic = sim->report.kinetic_energy;
  if (!(sim->surplus > sim->account.scale + sim->fall)) return false;
  const double factor = kinetic > before->kinetic ? sqrt(before->kinetic / kinetic) : 1.0;
  for (int b = 0; b < sim->model->body_count; ++b) {
    ts_twist *v = &sim->state.velocity[b];
    if (sim->model->bodies[b].kind == TS_DYNAMIC)
      *v = (ts_twist){ts_scale(factor, v->linear), ts_scale(factor, v->angular)};
  }
  for (int k = 0; k < sim->mechanics.v_count; ++k) sim->state.rates[k] *= factor;
  return true;
}

void ts_energy_renew(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before)
{
  ts_step_report *report = &sim->report;
  ts_energy_account *account = &sim->account;
#define TS_VOID_WORK(work) report->work = works_before->work;
  TS_WORK_LIST(TS_VOID_WORK)
#undef TS_VOID_WORK
  report->correction_work = works_before->correction_work;
  report->kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  report->potential_energy = ts_sim_potential_energy(sim);
  report->stagger_work = works_before->stagger_work - before->stagger;
  report->integration_work = works_before->integration_work + before->stagger + report->kinetic_energy -
                             before->kinetic + report->potential_energy - before->potential;
  *account = (ts_energy_account){.is_known = true,
                                 .kinetic = report->kinetic_energy,
                                 .potential = report->potential_energy,
                                 .length = h,
                                 .scale = ts_larger(before->scale, before->kinetic),
                                 .gain = account->gain};
}
