#include "schema/orientation_keys.h"

static const ts_key orientation_keys[] = {
    {"axis", TS_VALUE_VECTOR, .above_zero = true, .help = "axis of a rotation, of any length"},
    {"angle", TS_VALUE_NUMBER, "rad", .help = "angle of the rotation about `axis`"},
    {"rotation_vector", TS_VALUE_VECTOR, "rad", .help = "axis times angle"},
    {"roll_pitch_yaw", TS_VALUE_NUMBERS, "rad", .least = 3, .most = 3,
     .help = "rotations about the fixed axes x, then y, then z"},
};
static const ts_rule orientation_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"axis", "rotation_vector", "roll_pitch_yaw"}},
    {TS_RULE_NEEDS, {"axis", "angle"}},
    {TS_RULE_NEEDS, {"angle", "axis"}},
};
const ts_section ts_orientation_section = {"an orientation", "ORIENTATION", TS_KEYS(orientation_keys),
                                           TS_RULES(orientation_rules)};
