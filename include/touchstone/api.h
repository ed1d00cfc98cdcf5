/// Version, and the mark that makes a symbol of the library visible from outside.
///
/// What holds for all functions unless they say otherwise: pointers must not be NULL, but for `error`, `user` and what
/// the ..._destroy() functions release; an index counts from 0 and stays below the count of what it counts. A mistake in
/// these is TS_INVALID with a sentence where a function returns a ts_status, and nothing has been changed; where it
/// returns something else, the sentence goes to standard error and the program is stopped by abort(), in every build.
/// Lengths of arrays cannot be checked. An object that was destroyed must not be used.
#ifndef TOUCHSTONE_API_H
#define TOUCHSTONE_API_H

#if defined(__GNUC__)
#define TS_API __attribute__((visibility("default")))
#else
#define TS_API
#endif

/// Arguments of a function that writes as printf does: which the format is, and which comes first.
#if defined(__GNUC__)
#define TS_PRINTF(format_, first) __attribute__((format(printf, format_, first)))
#else
#define TS_PRINTF(format_, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A set of extensions, see extension.h.
typedef struct ts_extensions ts_extensions;

/// The version of the library that is linked, "major.minor.patch" (static text).
TS_API const char *ts_version(void);

#ifdef __cplusplus
}
#endif

#endif
