// Memory of the command. Nothing useful is left to do when it runs out, so that ends the program.
#ifndef TS_CLI_ALLOCATION_H
#define TS_CLI_ALLOCATION_H

#include <stddef.h>

void *cli_zeros(size_t count, size_t size);              // never NULL; release with free()
void *cli_grow(void *memory, size_t count, size_t size); // realloc() of count elements; never NULL
_Noreturn void cli_out_of_memory(void);                  // for what allocates by other means

#endif
