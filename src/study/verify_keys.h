// The format of verifications as data.
#ifndef TS_STUDY_VERIFY_KEYS_H
#define TS_STUDY_VERIFY_KEYS_H

#include "schema/schema.h"

extern const ts_section ts_verify_section;

#endif
