// The format of scenes as data. The reader, the manual and the tests of bad scenes all work from these tables.
#ifndef TS_SCENE_SCHEMA_H
#define TS_SCENE_SCHEMA_H

#include "schema/schema.h"

extern const ts_section ts_scene_section, ts_signal_section, ts_urdf_section, ts_part_section;

// The sections that several keys lead to, in the order of the manual.
extern const ts_section *const ts_titled_sections[];
extern const int ts_titled_section_count;

#endif
