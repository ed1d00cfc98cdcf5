#include "document/common_keys.h"

// ---- signals -------------------------------------------------------------------------------------------------------

// The help of signals, which another list knows already: arrays in a struct, so that their addresses are constants.
#define SIGNAL_FIELD(name, text, line) char name[sizeof line];
#define SIGNAL_HELP(name, text, line)  line,
static const struct {
  TS_SIGNAL_LIST(SIGNAL_FIELD)
} signal_help = {TS_SIGNAL_LIST(SIGNAL_HELP)};

static const ts_key sine_keys[] = {
    {"offset", TS_VALUE_NUMBER, .fallback = "0", .help = "mean value"},
    {"amplitude", TS_VALUE_NUMBER, .required = true, .help = "largest deviation from `offset`"},
    {"frequency", TS_VALUE_NUMBER, "rad/s", .required = true, .help = "angular frequency"},
    {"phase", TS_VALUE_NUMBER, "rad", .fallback = "0", .help = "angle at time 0"},
};
static const ts_section sine_section = {"a sine", TS_KEYS(sine_keys)};

static const ts_key piece_keys[] = {
    {"from", TS_VALUE_NUMBER, "s", .required = true, .help = "time when the piece begins; ascending"},
};
static const ts_section piece_section = {"a piece", TS_KEYS(piece_keys), .base = &ts_signal_section};

static const ts_key table_keys[] = {
    {"times", TS_VALUE_NUMBERS, "s", .least = 1, .most = TS_ANY_NUMBER, .required = true, .help = "ascending times"},
    {"values", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .required = true, .help = "as many values"},
};
static const ts_rule table_rules[] = {{TS_RULE_SAME_LENGTH, {"times", "values"}}};
static const ts_section table_section = {"a table", TS_KEYS(table_keys), TS_RULES(table_rules)};

static const ts_key ramp_keys[] = {
    {"from", TS_VALUE_NUMBER, .fallback = "0", .help = "value before `start`"},
    {"to", TS_VALUE_NUMBER, .required = true, .help = "value after `end`"},
    {"start", TS_VALUE_NUMBER, "s", .fallback = "0", .help = "time when it begins to change"},
    {"end", TS_VALUE_NUMBER, "s", .required = true, .help = "time when it has changed, after `start`"},
};
static const ts_section ramp_section = {"a ramp", TS_KEYS(ramp_keys)};

static const ts_key periodic_keys[] = {
    {"period", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE, .required = true, .help = "time until it comes again"},
    {"signal", TS_VALUE_SIGNAL, .required = true, .help = "from the beginning of a period on"},
};
static const ts_section periodic_section = {"a periodic signal", TS_KEYS(periodic_keys)};

static const ts_key impulse_keys[] = {
    {"time", TS_VALUE_NUMBER, "s", .range = TS_RANGE_NOT_NEGATIVE, .required = true, .help = "when it acts"},
    {"value", TS_VALUE_NUMBER, "N s, N m s", .required = true, .help = "force times time, or torque times time"},
};
static const ts_section impulse_section = {"an impulse", TS_KEYS(impulse_keys)};

static const ts_key signal_keys[] = {
    {"constant", TS_VALUE_NUMBER, .help = "the same number always"},
    {"sine", TS_VALUE_MAP, .section = &sine_section, .help = signal_help.SINE},
    {"polynomial", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .help = signal_help.POLYNOMIAL},
    {"piecewise", TS_VALUE_MAPS, .section = &piece_section, .least = 1, .most = TS_ANY_NUMBER,
     .help = signal_help.PIECEWISE},
    {"table", TS_VALUE_MAP, .section = &table_section, .help = signal_help.TABLE},
    {"ramp", TS_VALUE_MAP, .section = &ramp_section, .help = signal_help.RAMP},
    {"sum", TS_VALUE_SUMMANDS, .least = 1, .most = TS_ANY_NUMBER, .help = signal_help.SUM},
    {"periodic", TS_VALUE_MAP, .section = &periodic_section, .help = signal_help.PERIODIC},
    {"impulse", TS_VALUE_MAP, .section = &impulse_section, .help = signal_help.IMPULSE},
};
static const ts_rule signal_rules[] = {
    {TS_RULE_EXACTLY_ONE,
     {"constant", "sine", "polynomial", "piecewise", "table", "ramp", "sum", "periodic", "impulse"}},
};
const ts_section ts_signal_section = {"a signal", "SIGNAL", TS_KEYS(signal_keys), TS_RULES(signal_rules)};
