// Compiling a hot function for several instruction sets, the best one chosen when the program is loaded. Results do not
// depend on the choice: contraction is off, and no sum is reordered.
#ifndef TS_BASE_HOT_H
#define TS_BASE_HOT_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TS_HOT __attribute__((target_clones("avx2", "default")))
#else
#define TS_HOT
#endif

// For what a hot function calls: inlined, so that it is compiled for the same instruction set.
#if defined(__GNUC__)
#define TS_INLINE static inline __attribute__((always_inline))
#else
#define TS_INLINE static inline
#endif

#endif
