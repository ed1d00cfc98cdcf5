// The disc that falls onto a soft half-plane (004 3.5.3.3), with a thin skin and with a thick one: against the steps
// worked out by hand, numbers of another program, and the closed form. The other scenes of examples/soft_skin run, too.
#include "number_table.h"
#include "scene_run.h"
#include "shared_data.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

#define SCENES EXAMPLES "/soft_skin/"
static const double G = 9.81, K = 1000.0, H = 1e-4;
static const double thicknesses[] = {0.05, 1.0};

static scene_run start_disc(double thickness, double h)
{
  char skin[60], size[60];
  const char *const overrides[] = {skin, size};
  snprintf(skin, sizeof skin, "ground.skin.thickness=%g", thickness);
  snprintf(size, sizeof size, "step.size=%.17g", h);
  return scene_run_start(SCENES "disc_falls.yaml", overrides, 2);
}

static double energy_of(const scene_run *r)
{
  return ts_sim_report(r->sim)->kinetic_energy + ts_sim_report(r->sim)->potential_energy;
}

static double core_of(const scene_run *r)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  return count > 0 ? contacts[0].core : 0.0;
}

// One step of 3.103 to 3.110 in closed form: free flight, else the spring at the end of the step, else the core.
typedef struct disc {
  double y, v, core;
} disc;

static disc step_by_hand(disc d, double thickness)
{
  const double free = d.v - H * G;
  disc e = {d.y + H * free, free, 0.0};
  if (e.y >= 1.0) return e;
  e.v = (free + H * K * (1.0 - d.y)) / (1.0 + H * H * K); // v = free + h k (1 - y - h v)
  e.y = d.y + H * e.v;
  if (1.0 - e.y <= thickness) return e;
  e.y = 1.0 - thickness;
  e.v = (e.y - d.y) / H;
  e.core = e.v - free - H * K * thickness;
  return e;
}

static void steps_are_those_by_hand(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    scene_run r = start_disc(thicknesses[k], H);
    disc d = {1.5, 0.0, 0.0};
    double off = 0.0;
    for (int i = 1; i <= 20000; ++i) {
      scene_run_to(&r, H * i);
      d = step_by_hand(d, thicknesses[k]);
      const double y = scene_run_position(&r, "disc").y, v = ts_sim_velocity(r.sim, 1).linear.y;
      off = fmax(off, fmax(fabs(y - d.y), fmax(fabs(v - d.v), fabs(core_of(&r) - d.core))));
    }
    print_message("skin of %g m: %.1e m, m/s and N s off in 20000 steps\n", thicknesses[k], off);
    assert_true(off <= 1e-8);
    scene_run_end(&r);
  }
}

// reference-numbers.md, section 11 (d3).
static void energies_are_those_of_another_program(void **state)
{
  (void)state;
  static const double times[] = {0.3, 0.33, 0.34, 0.5, 1.0, 2.0};
  static const double energies[2][6] = {{14.713556, 14.708122, 10.569153, 10.564357, 10.553335, 10.523331},
                                        {14.713556, 14.708122, 14.703179, 14.661087, 14.658681, 14.552537}};
  for (int k = 0; k < 2; ++k) {
    scene_run r = start_disc(thicknesses[k], H);
    for (int i = 0; i < 6; ++i) {
      scene_run_to(&r, times[i]);
      assert_near(energy_of(&r), energies[k][i], 0.6e-6);
    }
    scene_run_end(&r);
  }
}

static void core_is_struck_in_two_steps(void **state)
{
  (void)state;
  scene_run r = start_disc(0.05, H);
  double touched = 0.0, sum = 0.0;
  for (int i = 1; i <= 3400; ++i) {
    scene_run_to(&r, H * i);
    int count;
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    if (touched == 0.0 && count > 0 && contacts[0].impulse[0] > 0.0) touched = ts_sim_time(r.sim);
    sum += core_of(&r);
    if (i == 3356) assert_near(core_of(&r), 2.70316, 0.6e-5);
    if (i == 3357) assert_near(core_of(&r), 0.16511, 0.6e-5);
  }
  assert_near(touched, 0.3193, 1e-9);
  assert_near(sum, 2.879410, 0.02); // closed form
  scene_run_end(&r);
}

// The fall, then the spring about its sag, while the thick skin bears.
static void closed_form(double t, double *y, double *v)
{
  const double w = sqrt(K), sag = G / K, fall = sqrt(2.0 * 0.5 / G), speed = G * fall, s = t - fall;
  *y = 1.0 - sag * (1.0 - cos(w * s)) - speed / w * sin(w * s);
  *v = -sag * w * sin(w * s) - speed * cos(w * s);
}

static void first_contact_converges_to_the_closed_form(void **state)
{
  (void)state;
  double before = 0.0;
  for (int k = 0; k < 4; ++k) {
    const double h = 2e-4 / (1 << k), t = 0.4; // on the way back
    scene_run r = start_disc(1.0, h);
    double y, v;
    scene_run_to(&r, t);
    closed_form(t, &y, &v);
    const double off = fabs(scene_run_position(&r, "disc").y - y) + fabs(ts_sim_velocity(r.sim, 1).linear.y - v);
    print_message("h = %g: %g\n", h, off);
    if (k > 0) assert_true(off > 0.45 * before && off < 0.55 * before);
    before = off;
    scene_run_end(&r);
  }
}

static void scenes_run_certified(void **state)
{
  (void)state;
  static const struct {
    const char *path;
    double until;
  } scenes[] = {{SCENES "load_cycle.yaml", 4.0}, {SCENES "block_tumbles.yaml", 3.0}};
  for (int k = 0; k < 2; ++k) {
    scene_run r = scene_run_start(scenes[k].path, NULL, 0);
    scene_run_to(&r, scenes[k].until);
    scene_run_end(&r);
  }
}

// ---- whole tables --------------------------------------------------------------------------------------------------

// Positions of the closed form over 2 s, every bounce; energies after the impact (I.d3, T-cont).
static void follows_the_exact_motion(void **state)
{
  (void)state;
  static const char *const names[] = {SHARED_DATA "/reference/single_body/d3_exact_delta0.05.csv",
                                      SHARED_DATA "/reference/single_body/d3_exact_delta1.csv"};
  static const double positions[] = {0.02, 0.04}, lost[] = {0.05, 0.17}, energies[] = {10.5695, 14.715};
  for (int k = 0; k < 2; ++k) {
    number_table table = number_table_need_csv(names[k]);
    double off[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; ++fine) {
      scene_run r = start_disc(thicknesses[k], fine ? 0.5 * H : H);
      for (int i = 0; i < table.rows; ++i) {
        scene_run_to(&r, number_table_at(&table, i, 0));
        off[fine] = fmax(off[fine], fabs(scene_run_position(&r, "disc").y - number_table_at(&table, i, 1)));
      }
      const double left = energies[k] - energy_of(&r);
      if (!fine) assert_true(left > 0.0 && left < lost[k]);
      scene_run_end(&r);
    }
    print_message("skin of %g m: %g m, with half the step %g m\n", thicknesses[k], off[0], off[1]);
    assert_true(off[0] <= positions[k]);
    assert_true(off[1] <= 0.6 * off[0]);
    number_table_release(&table);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_those_by_hand),     cmocka_unit_test(energies_are_those_of_another_program),
      cmocka_unit_test(core_is_struck_in_two_steps), cmocka_unit_test(first_contact_converges_to_the_closed_form),
      cmocka_unit_test(scenes_run_certified),
  };
  const struct CMUnitTest on_shared[] = {cmocka_unit_test(follows_the_exact_motion)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(on_shared, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
