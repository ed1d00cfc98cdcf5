// Steppers by name.
#include "step/stepper.h"

#include "model/model.h"

#include "base/require.h"
#include "base/status.h"

#include <string.h>

int ts_stepper_count(void)
{
  int count = 0;
  while (ts_steppers[count]) ++count;
  return count;
}

const ts_stepper *ts_stepper_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_stepper_count());
  return ts_steppers[i];
}

const ts_stepper *ts_stepper_find(const char *name)
{
  TS_REQUIRE(name);
  for (int i = 0; i < ts_stepper_count(); ++i)
    if (strcmp(ts_steppers[i]->name, name) == 0) return ts_steppers[i];
  return NULL;
}

const char *ts_stepper_name(const ts_stepper *stepper)
{
  TS_REQUIRE(stepper);
  return stepper->name;
}

const char *ts_stepper_summary(const ts_stepper *stepper)
{
  TS_REQUIRE(stepper);
  return stepper->summary;
}

ts_status ts_stepper_check_skins(const ts_stepper *stepper, const ts_model *model, ts_error *error)
{
  if (model->skin_count == 0 || stepper->takes_skins) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "%s knows no soft skins: implicit-compliant does, or take out the skin",
                 stepper->name);
}

ts_status ts_stepper_check_model(const ts_stepper *stepper, const ts_model *model, const ts_step_options *options,
                                 ts_error *error)
{
  return stepper->check_model ? stepper->check_model(model, options, error) : TS_OK;
}
