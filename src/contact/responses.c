#include "contact/responses.h"

#include "math/quad.h"

// M^-1 times four rows at once.
TS_INLINE void respond(double inverse_mass, const ts_mat3 *inverse_inertia, const ts_row_block *rows,
                       ts_row_block *response)
{
  const ts_mat3 *I = inverse_inertia;
  const ts_quad x = TS_CONST_QUAD(rows->angular[0]), y = TS_CONST_QUAD(rows->angular[1]),
                z = TS_CONST_QUAD(rows->angular[2]);
  for (int k = 0; k < 3; ++k) TS_QUAD(response->linear[k]) = TS_CONST_QUAD(rows->linear[k]) * inverse_mass;
  TS_QUAD(response->angular[0]) = x * I->x.x + y * I->y.x + z * I->z.x;
  TS_QUAD(response->angular[1]) = x * I->x.y + y * I->y.y + z * I->z.y;
  TS_QUAD(response->angular[2]) = x * I->x.z + y * I->y.z + z * I->z.z;
}

// What the rows that hold a body for itself take from it.
TS_INLINE void hold_back(const ts_body_anchor *anchor, const ts_row_block *rows, ts_row_block *response)
{
  ts_quad linear[3], angular[3]; // stay in registers, whatever the halves may alias
  for (int c = 0; c < 3; ++c) {
    linear[c] = TS_CONST_QUAD(response->linear[c]);
    angular[c] = TS_CONST_QUAD(response->angular[c]);
  }
  for (int k = 0; k < anchor->count; ++k) {
    const double *half = anchor->half[k];
    const ts_quad share = TS_CONST_QUAD(rows->linear[0]) * half[0] + TS_CONST_QUAD(rows->linear[1]) * half[1] +
                          TS_CONST_QUAD(rows->linear[2]) * half[2] + TS_CONST_QUAD(rows->angular[0]) * half[3] +
                          TS_CONST_QUAD(rows->angular[1]) * half[4] + TS_CONST_QUAD(rows->angular[2]) * half[5];
    for (int c = 0; c < 3; ++c) {
      linear[c] -= share * half[c];
      angular[c] -= share * half[3 + c];
    }
  }
  for (int c = 0; c < 3; ++c) {
    TS_QUAD(response->linear[c]) = linear[c];
    TS_QUAD(response->angular[c]) = angular[c];
  }
}

TS_HOT static void fill_responses(void *argument, int first, int end)
{
  ts_system *system = argument;
  for (int i = first; i < end; ++i)
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[i].body[side];
      if (body < 0) continue;
      if (system->mobility && !ts_mobility_is_alone(system->mobility, body))
        system->response[2 * i + side] = (ts_row_block){0}; // W gets what its coordinates make of it
      else
        respond(system->model->bodies[body].inverse_mass, &system->kinematics->inverse_inertia[body],
                &system->jacobian[2 * i + side], &system->response[2 * i + side]);
      const ts_body_anchor *anchor = system->mobility ? ts_mobility_anchor(system->mobility, body) : NULL;
      if (anchor) hold_back(anchor, &system->jacobian[2 * i + side], &system->response[2 * i + side]);
    }
}

void ts_system_respond(ts_system *system)
{
  ts_team_loop(system->team, system->count, TS_SHARE_OF_BLOCKS, fill_responses, system);
}
