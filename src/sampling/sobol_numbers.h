// What Sobol's sequence is made of, a row for each dimension but the first.
#ifndef TS_SAMPLING_SOBOL_NUMBERS_H
#define TS_SAMPLING_SOBOL_NUMBERS_H

#include <stdint.h>

#define TS_SOBOL_DIMENSIONS 128

// The primitive polynomial x^s + a_1 x^(s-1) + .. + a_(s-1) x + 1, and m_1 .. m_s: m_j is odd and below 2^j.
typedef struct ts_sobol_numbers {
  uint8_t degree;       // s
  uint8_t coefficients; // a_1 .. a_(s-1) in binary, a_1 first
  uint16_t initial[10]; // m_1 .. m_s
} ts_sobol_numbers;

extern const ts_sobol_numbers ts_sobol_table[TS_SOBOL_DIMENSIONS - 1]; // of dimensions 1, 2, ..; dimension 0 needs none

#endif
