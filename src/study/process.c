#define _POSIX_C_SOURCE 200809L // gethostname, kill, readlink
#include "study/process.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void name_host(char host[static TS_PROCESS_HOST])
{
  if (gethostname(host, TS_PROCESS_HOST) != 0) strcpy(host, "unknown");
  host[TS_PROCESS_HOST - 1] = '\0'; // a name that is cut need not end
  for (char *at = host; *at; ++at)
    if (!isalnum((unsigned char)*at)) *at = '-';
  if (!host[0]) strcpy(host, "unknown");
}

// One word each.
static void name_machine(char machine[static TS_PROCESS_MACHINE])
{
  char boot[48] = "", table[48] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  const bool told = file && fscanf(file, "%47s", boot) == 1;
  if (file) fclose(file);
  const ssize_t length = readlink("/proc/self/ns/pid", table, sizeof table - 1);
  if (told && length > 0)
    snprintf(machine, TS_PROCESS_MACHINE, "%s/%.*s", boot, (int)length, table);
  else
    strcpy(machine, "-");
}

// State and start of a process as the system has them, fields 3 and 22; false where it does not tell. The name of the
// program, which comes before them, may hold anything, parentheses too.
static bool ask_system(long pid, char *condition, unsigned long long *start)
{
  char path[48], line[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  line[fread(line, 1, sizeof line - 1, file)] = '\0';
  fclose(file);
  const char *behind_name = strrchr(line, ')');
  return behind_name &&
         sscanf(behind_name, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                condition, start) == 2;
}

ts_process ts_process_self(void)
{
  ts_process self = {.pid = (long)getpid()};
  char condition;
  name_host(self.host);
  name_machine(self.machine);
  if (!ask_system(self.pid, &condition, &self.start)) self.start = 0;
  return self;
}

bool ts_process_is_neighbour(const ts_process *a, const ts_process *b)
{
  return strcmp(a->host, b->host) == 0 && strcmp(a->machine, b->machine) == 0;
}

bool ts_process_has_ended(const ts_process *process)
{
  char condition;
  unsigned long long start;
  if (kill((pid_t)process->pid, 0) != 0 && errno == ESRCH) return true;
  if (process->start == 0 || !ask_system(process->pid, &condition, &start)) return false;
  return start != process->start || condition == 'Z' || condition == 'X'; // dead, though nobody has asked how it ended
}
