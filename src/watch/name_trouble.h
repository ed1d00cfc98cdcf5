// Which part of a name is unknown, as a sentence with what was probably meant.
#ifndef TS_WATCH_NAME_TROUBLE_H
#define TS_WATCH_NAME_TROUBLE_H

#include "touchstone/model.h"

#include <stdbool.h>

typedef struct ts_name_trouble {
  char text[200]; // "" where nobody has said anything
} ts_name_trouble;

// Say it; always false.
__attribute__((format(printf, 2, 3))) bool ts_name_refuse(ts_name_trouble *trouble, const char *format, ...);

// "there is no body 'bal'; did you mean 'ball'?" `what` is also said where nothing is near.
bool ts_name_refuse_body(ts_name_trouble *trouble, const ts_model *model, const char *what, const char *name);

// "contacts have no 'fm'; did you mean 'fn'?", or all names that there are. Those that are "" do not exist.
bool ts_name_refuse_quantity(ts_name_trouble *trouble, const char *whose, const char *name, int count,
                             const char *(*name_at)(int i, const void *user), const void *user);

#endif
