#include "contact/law.h"

#include <math.h>

double ts_law_cone_share(const ts_step_options *options, const ts_model *model)
{
  if (options->cone == TS_CONE_QUADRATIC || model->freedoms->contact_rows == 2) return 1.0;
  return cos(TS_PI / options->directions);
}

double ts_contact_way_out_of_cone(const ts_contact *contact, const ts_contact_law *law)
{
  const double *p = contact->impulse, most = contact->friction * fmax(0.0, p[0]), pull = fmax(0.0, -p[0]);
  const double square = ts_law_square_of_friction(law->ellipsoid, p, TS_IMPULSE_ROWS);
  return square > most * most ? fmax(pull, sqrt(square) - most) : pull;
}

void ts_contact_enter_cone(ts_contact *contact, const ts_contact_law *law)
{
  double *p = contact->impulse;
  p[0] = fmax(0.0, p[0]);
  const double most = contact->friction * p[0], beyond = ts_contact_cone_violation(contact, law);
  if (beyond == 0.0) return;
  const double share = most / (most + beyond);
  for (int r = 1; r < TS_IMPULSE_ROWS; ++r) p[r] *= share;
}
