// What a contact law may say.
#include "model/builder.h"
#include "model/check_inside.h"

#include "schema/range.h"
#include "base/status.h"

#include <float.h>
#include <math.h>

static ts_status check_law_numbers(const ts_contact_law *law, const char *whose, ts_error *error)
{
#define NUMBER(name, value, range, rule, help) {#name, TS_RANGE_##range, law->name},
  const struct {
    const char *key;
    ts_range range;
    double value;
  } numbers[] = {TS_LAW_NUMBER_LIST(NUMBER)};
#undef NUMBER
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    if (!isfinite(numbers[i].value) || !ts_range_holds(numbers[i].range, numbers[i].value))
      return ts_fail(error, TS_INVALID, "%s: %s is %g, it must be finite and %s", whose, numbers[i].key,
                     numbers[i].value, ts_range_text(numbers[i].range));
  return TS_OK;
}

// What does not give way has no use for a damper.
static ts_status check_damper(const char *which, double stiffness, double damping, const char *whose, ts_error *error)
{
  if (stiffness > 0.0 || damping == 0.0) return TS_OK;
  return ts_fail(error, TS_INVALID, "%s: %sdamping is %g, but %sstiffness is 0: there is nothing to damp", whose, which,
                 damping, which);
}

ts_status ts_check_law(const ts_builder *builder, const ts_contact_law *law, const char *whose, ts_error *error)
{
  TS_TRY(check_law_numbers(law, whose, error));
  TS_TRY(check_damper("", law->stiffness, law->damping, whose, error));
  TS_TRY(check_damper("tangential_", law->tangential_stiffness, law->tangential_damping, whose, error));
  if (!ts_is_at_least(law->ellipsoid.x, DBL_MIN) || !ts_is_at_least(law->ellipsoid.y, DBL_MIN))
    return ts_fail(error, TS_INVALID, "%s: the semi-axes e_t and e_o of the friction ellipsoid must be positive",
                   whose);
  if (!ts_is_at_least(law->ellipsoid.z, 0.0))
    return ts_fail(error, TS_INVALID, "%s: the semi-axis e_r of the friction ellipsoid must be at least 0", whose);
  if (ts_is_flat(builder->freedoms) && law->ellipsoid.z != 0.0)
    return ts_fail(error, TS_INVALID, "%s: there is no torsional friction in the plane, e_r must be 0", whose);
  if (!ts_vec3_is_finite(law->direction))
    return ts_fail(error, TS_INVALID, "%s: the direction of friction must be finite", whose);
  return TS_OK;
}
