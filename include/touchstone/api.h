/// Version, and the mark that makes a symbol of the library visible from outside.
#ifndef TOUCHSTONE_API_H
#define TOUCHSTONE_API_H

#if defined(__GNUC__)
#define TS_API __attribute__((visibility("default")))
#else
#define TS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that is linked, "major.minor.patch" (static text).
TS_API const char *ts_version(void);

#ifdef __cplusplus
}
#endif

#endif
