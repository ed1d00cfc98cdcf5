#include "study/verify_keys.h"

#include "touchstone/verify.h"

#include "study/study_keys.h"
#include "schema/key_list.h"

#include "base/require.h"

static const ts_key level_keys[] = {
    {"name", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "letters, digits, - and _"},
    {"when", TS_VALUE_TEXT, .above_zero = true,
     .help = "expression of parameters of the designs and of the scene that has to hold: the level simulates nothing"},
    {"scene", TS_VALUE_TEXT, .above_zero = true, .help = "scene file, instead of that of the verification"},
    {"set", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "values of the scene at this level, as `step.method=compliant`"},
    {"success", TS_VALUE_TEXT, .above_zero = true, .fallback = "success",
     .help = "result of the scene that is not 0 where a run succeeds"},
    {"share", TS_VALUE_NUMBER, .range = TS_RANGE_FRACTION, .fallback = "1", .help = "of a design's runs that have to succeed"},
    {"stop_after", TS_VALUE_INTEGER, .range = TS_RANGE_POSITIVE,
     .help = "failures after which a design is given up; left out: all runs are made"},
};
static const ts_rule level_rules[] = {{TS_RULE_AT_MOST_ONE, {"when", "scene"}},
                                      {TS_RULE_AT_MOST_ONE, {"when", "set"}},
                                      {TS_RULE_AT_MOST_ONE, {"when", "success"}},
                                      {TS_RULE_AT_MOST_ONE, {"when", "share"}},
                                      {TS_RULE_AT_MOST_ONE, {"when", "stop_after"}}};
static const ts_section level_section = {"a level", TS_KEYS(level_keys), TS_RULES(level_rules)};

static const ts_key verify_keys[] = {
    {"verify", TS_VALUE_INTEGER, .range = TS_RANGE_ONE, .required = true, .help = "version of the format"},
    {"name", TS_VALUE_TEXT, .help = "for titles"},
    {"scene", TS_VALUE_TEXT, .above_zero = true, .help = "scene file, beside this one, of levels that name none"},
    {"set", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "values of the scenes of all levels, as `--set` has them"},
    {"designs", TS_VALUE_MAP, .section = &ts_variations_section, .required = true, .help = "what is verified"},
    {"uncertain", TS_VALUE_MAP, .section = &ts_variations_section,
     .help = "what a design has to cope with: a run for each; left out: one run a design"},
    {"levels", TS_VALUE_MAPS, .section = &level_section, .least = 1, .most = 32, .required = true,
     .help = "in the order of their cost"},
    {"naive", TS_VALUE_INTEGER, .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "designs, of all, on which levels are measured without those before: what no order would cost"},
};
const ts_section ts_verify_section = {"a verification", TS_KEYS(verify_keys)};

static const ts_section *const titled[] = {&ts_variations_section};
static const ts_key_list verify_key_list = {&ts_verify_section, titled, TS_COUNT_OF(titled)};

int ts_verify_key_count(void)
{
  return ts_key_list_count(&verify_key_list);
}

ts_scene_key ts_verify_key_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_verify_key_count());
  return ts_key_list_at(&verify_key_list, i);
}
