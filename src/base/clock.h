// Wall time.
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

double ts_clock_seconds(void); // monotonic, from an arbitrary origin

#endif
