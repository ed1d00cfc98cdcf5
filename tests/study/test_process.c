// Processes: who is there, who is not, and who only has the number of one that was.
#define _POSIX_C_SOURCE 200809L
#include "study/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void oneself_is_there(void **state)
{
  (void)state;
  const ts_process self = ts_process_self(), again = ts_process_self();
  assert_int_equal(self.pid, getpid());
  assert_true(self.start > 0 && self.start == again.start);
  assert_true(strlen(self.host) > 0 && strlen(self.machine) > 1);
  assert_true(ts_process_is_neighbour(&self, &again));
  assert_false(ts_process_has_ended(&self));
}

static void a_number_that_came_back_is_another_process(void **state)
{
  (void)state;
  ts_process other = ts_process_self();
  other.start -= 1;
  assert_true(ts_process_has_ended(&other));
  other.start = 0; // nobody knows
  assert_false(ts_process_has_ended(&other));
}

static void the_dead_have_ended_before_anybody_asks_how(void **state)
{
  (void)state;
  int pipe_ends[2];
  ts_process child;
  siginfo_t how;
  assert_int_equal(pipe(pipe_ends), 0);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    child = ts_process_self();
    if (write(pipe_ends[1], &child, sizeof child) != (ssize_t)sizeof child) _exit(1);
    for (;;) pause();
  }
  const ts_process self = ts_process_self();
  assert_int_equal(read(pipe_ends[0], &child, sizeof child), sizeof child);
  assert_true(child.pid == pid && ts_process_is_neighbour(&child, &self));
  assert_false(ts_process_has_ended(&child));
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT), 0); // a zombie
  assert_true(ts_process_has_ended(&child));
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_true(ts_process_has_ended(&child));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

static void other_machines_are_no_neighbours(void **state)
{
  (void)state;
  const ts_process self = ts_process_self();
  ts_process namesake = self, tenant = self;
  namesake.machine[0] = namesake.machine[0] == 'x' ? 'y' : 'x'; // restarted, or another container
  strcpy(tenant.host, "elsewhere");
  assert_false(ts_process_is_neighbour(&self, &namesake));
  assert_false(ts_process_is_neighbour(&self, &tenant));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oneself_is_there),
      cmocka_unit_test(a_number_that_came_back_is_another_process),
      cmocka_unit_test(the_dead_have_ended_before_anybody_asks_how),
      cmocka_unit_test(other_machines_are_no_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
