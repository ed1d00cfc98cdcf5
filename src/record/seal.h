// A checksum behind the end of an HDF5 file, which HDF5 does not look at. libhdf5 finds most damage by checksums of its
// own, but loses track of the file when it does (it stays open, and a complaint is printed when the program ends).
// A file whose seal is broken is therefore never shown to it. A file that another program has rewritten has no seal.
#ifndef TS_RECORD_SEAL_H
#define TS_RECORD_SEAL_H

#include <stdint.h>

typedef enum ts_seal { TS_SEAL_INTACT, TS_SEAL_BROKEN, TS_SEAL_MISSING, TS_SEAL_UNREADABLE } ts_seal;

// `bytes` is how long the file says it is without the seal; one that stands elsewhere is broken. Files are read as a
// whole only where there is a seal in its place, and what is not stored of sparse ones is not read.
ts_seal ts_seal_check(const char *path, uint64_t bytes);
int ts_seal_write(const char *path); // behind what is there; 0, or errno

#endif
