// Which process of which machine somebody is, and whether it is still there.
#ifndef TS_STUDY_PROCESS_H
#define TS_STUDY_PROCESS_H

#include <stdbool.h>

enum { TS_PROCESS_HOST = 65, TS_PROCESS_MACHINE = 129 };

typedef struct ts_process {
  char host[TS_PROCESS_HOST];       // its name in letters that file names may have
  char machine[TS_PROCESS_MACHINE]; // where the number of a process means the same process: since when the system has
                                    // been running, and which of its tables of processes is meant (containers have
                                    // their own); "-" where the system does not tell
  long pid;
  unsigned long long start; // when it was started, by the system's own clock; 0 where the system does not tell. Numbers
                            // of processes come back
} ts_process;

ts_process ts_process_self(void);

// Whether numbers of processes mean the same for both.
bool ts_process_is_neighbour(const ts_process *a, const ts_process *b);

// Of a neighbour: whether it has ended for certain.
bool ts_process_has_ended(const ts_process *process);

#endif
