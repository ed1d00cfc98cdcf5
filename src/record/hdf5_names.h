// What is where in an HDF5 run; docs/formats/run.md describes it for users.
#ifndef TS_RECORD_HDF5_NAMES_H
#define TS_RECORD_HDF5_NAMES_H

enum { TS_RUN_FORMAT = 1 };

#define TS_HDF5_FORMAT        "touchstone_run" // attribute of the root: TS_RUN_FORMAT
#define TS_HDF5_VERSION       "version"
#define TS_HDF5_SPACE         "space"
#define TS_HDF5_STEP_SIZE     "step_size"
#define TS_HDF5_TOLERANCE     "tolerance"
#define TS_HDF5_METHOD        "method"
#define TS_HDF5_SOLVER        "solver"
#define TS_HDF5_SCENE         "scene"
#define TS_HDF5_CHECKPOINT    "checkpoint"
#define TS_HDF5_WATCHED       "watched"
#define TS_HDF5_INTERVAL      "interval" // contacts since the last recorded state
#define TS_HDF5_LIST_NAMES    "name"     // of parameters and results, in groups of their own
#define TS_HDF5_LIST_UNITS    "unit"
#define TS_HDF5_LIST_VALUES   "value"
#define TS_HDF5_BODIES        "bodies"
#define TS_HDF5_BODY_NAMES    "bodies/name"
#define TS_HDF5_BODY_KINDS    "bodies/kind"
#define TS_HDF5_BODY_POSES    "bodies/pose"
#define TS_HDF5_STATE_COLUMNS "states/columns"
#define TS_HDF5_JOINT_COLUMNS "joints/columns"
#define TS_HDF5_JOINT_NAMES   "joints/name"
#define TS_HDF5_JOINT_KINDS   "joints/measure" // what their coordinates are: none, angle, length
#define TS_HDF5_IMPACT_JOINTS "impacts/joints" // names that the numbers of the column joint stand for
#define TS_HDF5_VALUES        "values"         // of states and joints: all columns but t as one matrix
#define TS_HDF5_NAMES         "names"          // attribute of columns that hold numbers of names
#define TS_HDF5_UNIT          "unit"           // attribute of columns

// Words of ts_joint_measure in TS_HDF5_JOINT_KINDS.
#define TS_HDF5_MEASURES                                                                                               \
  {                                                                                                                    \
    "none", "angle", "length"                                                                                          \
  }

#endif
