#include "cli/memory.h"

#include "cli/message.h"

#include <stdint.h>
#include <stdlib.h>

static _Noreturn void out_of_memory(void)
{
  cli_message("memory ran out");
  exit(CLI_REFUSED);
}

void *cli_zeros(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);
  if (!memory) out_of_memory();
  return memory;
}

void *cli_grow(void *memory, size_t count, size_t size)
{
  if (count > SIZE_MAX / size) out_of_memory();
  void *grown = realloc(memory, count * size);
  if (!grown) out_of_memory();
  return grown;
}
