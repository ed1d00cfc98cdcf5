#include "document/joint_keys.h"

static const ts_key velocity_motor_keys[] = {
    {"target", TS_VALUE_SIGNAL, "m/s, rad/s", .required = true, .help = "rate to keep"},
    {"max_force", TS_VALUE_NUMBER, "N, N m", .range = TS_RANGE_POSITIVE, .help = "at most so much; left out: no limit"},
};
static const ts_section velocity_motor_section = {"a velocity motor", TS_KEYS(velocity_motor_keys)};

static const ts_key servo_keys[] = {
    {"target", TS_VALUE_SIGNAL, "m, rad", .required = true, .help = "position to keep"},
    {"stiffness", TS_VALUE_NUMBER, "N/m, N m/rad", .range = TS_RANGE_NOT_NEGATIVE, .required = true,
     .help = "force per position error"},
    {"damping", TS_VALUE_NUMBER, "N s/m, N m s/rad", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "force per rate error"},
    {"max_force", TS_VALUE_NUMBER, "N, N m", .range = TS_RANGE_POSITIVE, .help = "at most so much; left out: no limit"},
};
static const ts_section servo_section = {"a servo", TS_KEYS(servo_keys)};

static const ts_key motor_keys[] = {
    {"force", TS_VALUE_SIGNAL, "N, N m", .help = "a given force or torque along the joint's axis"},
    {"velocity", TS_VALUE_MAP, .section = &velocity_motor_section, .help = "keeps a rate"},
    {"servo", TS_VALUE_MAP, .section = &servo_section,
     .help = "spring and damper towards a position, taken implicitly"},
};
static const ts_rule motor_rules[] = {{TS_RULE_EXACTLY_ONE, {"force", "velocity", "servo"}}};
const ts_section ts_motor_section = {"a motor", "MOTOR", TS_KEYS(motor_keys), TS_RULES(motor_rules)};

static const ts_key limit_keys[] = {
    {"lower", TS_VALUE_NUMBER, "m, rad", .help = "least coordinate; left out: no stop on this side"},
    {"upper", TS_VALUE_NUMBER, "m, rad", .help = "largest coordinate; left out: no stop on this side"},
};
static const ts_rule limit_rules[] = {{TS_RULE_AT_LEAST_ONE, {"lower", "upper"}}};
const ts_section ts_limit_section = {"a map of limits", "LIMITS", TS_KEYS(limit_keys), TS_RULES(limit_rules)};

static const ts_key gear_keys[] = {
    {"joint", TS_VALUE_TEXT, .required = true, .above_zero = true,
     .help = "joint of one freedom that this one follows"},
    {"ratio", TS_VALUE_NUMBER, "rad/rad, m/rad, rad/m, m/m", .required = true,
     .help = "how far this one goes for 1 of that one, other than 0; below 0 it goes the other way"},
    {"offset", TS_VALUE_NUMBER, "m, rad", .fallback = "0", .help = "coordinate of this one where that one's is 0"},
};
const ts_section ts_gear_section = {"a gear", "GEAR", TS_KEYS(gear_keys)};
