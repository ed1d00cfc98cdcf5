// Options of a step as rows (option_rows.c and the steppers' files): scenes, checks, lists and the manual come from
// them.
#ifndef TS_STEP_OPTIONS_H
#define TS_STEP_OPTIONS_H

#include "touchstone/sim.h"

#include "base/status.h"
#include "schema/schema.h"

// The place of a row's value: a member of ts_step_options, or of a struct of the stepper's own, which lies in
// ts_step_options.own and does not compile where it is larger. ts_step_options_own() copies it out.
#define TS_STEP_MEMBER(member) .offset = offsetof(ts_step_options, member)
#define TS_OWN_MEMBER(type, member)                                                                                    \
  .offset = offsetof(ts_step_options, own) + offsetof(type, member) + 0 * sizeof(char[TS_OWN_FITS(type) ? 1 : -1])
#define TS_OWN_FITS(type) (sizeof(type) <= sizeof(((ts_step_options *)0)->own))

// Values of `accuracy` that are rules.
#define TS_ACCURACY_AUTOMATIC    (-1.0)
#define TS_ACCURACY_BY_TOLERANCE (-2.0)

extern const ts_section ts_step_section;

// Set the value of a row of ts_step_section from text. With a stepper, options of its own get their defaults.
ts_status ts_step_options_put(ts_step_options *options, const ts_key *row, const char *text, ts_error *error);

// Set a parameter of a stepper from a plug-in.
ts_status ts_step_options_put_parameter(ts_step_options *options, const char *name, double value, ts_error *error);

// Copy out the struct of the stepper's own.
void ts_step_options_own(const ts_step_options *options, void *own, size_t size);

#endif
