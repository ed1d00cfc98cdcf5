// Keys that lead to the same things in many maps: signals, and orientations (schema/orientation_keys.h).
#ifndef TS_DOCUMENT_COMMON_KEYS_H
#define TS_DOCUMENT_COMMON_KEYS_H

#include "schema/orientation_keys.h"

extern const ts_section ts_signal_section;

#endif
