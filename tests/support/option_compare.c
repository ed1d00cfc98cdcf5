#include "option_compare.h"

#include <string.h>

// Texts of numbers read back as the same number. Options of a stepper that is not chosen have no value.
const char *option_difference(const ts_step_options *a, const ts_step_options *b)
{
  static ts_step_option option;
  for (int i = 0; i < ts_step_option_count(); ++i) {
    char first[64] = "", second[64] = "";
    option = ts_step_option_at(i);
    const ts_status status = ts_step_options_get(a, option.name, first, sizeof first, NULL);
    if (status != ts_step_options_get(b, option.name, second, sizeof second, NULL)) return option.name;
    if (strcmp(first, second) != 0) return option.name;
  }
  return NULL;
}
