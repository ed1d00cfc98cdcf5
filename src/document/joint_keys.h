// Keys of joints that joints of scenes and of robots have in common: what drives them, where they end, what they
// follow.
#ifndef TS_DOCUMENT_JOINT_KEYS_H
#define TS_DOCUMENT_JOINT_KEYS_H

#include "schema/schema.h"

extern const ts_section ts_motor_section, ts_limit_section, ts_gear_section;

#endif
