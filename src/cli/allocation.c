#include "cli/allocation.h"

#include "cli/message.h"

#include <stdint.h>
#include <stdlib.h>

_Noreturn void cli_out_of_memory(void)
{
  cli_message("memory ran out");
  exit(CLI_REFUSED);
}

void *cli_zeros(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);
  if (!memory) cli_out_of_memory();
  return memory;
}

void *cli_grow(void *memory, size_t count, size_t size)
{
  if (count > SIZE_MAX / size) cli_out_of_memory();
  void *grown = realloc(memory, count * size);
  if (!grown) cli_out_of_memory();
  return grown;
}
