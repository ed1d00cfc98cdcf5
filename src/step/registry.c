// The list of time-steppers. A new one is a file with its table, and a line here.
#include "step/stepper.h"

const ts_stepper *const ts_steppers[] = {
    &ts_stepper_stewart_trinkle,    &ts_stepper_velocity,    &ts_stepper_event_driven, &ts_stepper_implicit,
    &ts_stepper_implicit_compliant, &ts_stepper_quasistatic, &ts_stepper_compliant,    NULL,
};
