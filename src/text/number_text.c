#include "text/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Whole numbers are common (zeros, counts) and quicker to write. -0 is not one of them: it has to keep its sign.
static bool is_short_whole(double value)
{
  return fabs(value) < 1e9 && value == trunc(value) && !(value == 0.0 && signbit(value));
}

size_t ts_number_text(double value, char text[static TS_NUMBER_TEXT_SIZE])
{
  if (isnan(value)) return (size_t)snprintf(text, TS_NUMBER_TEXT_SIZE, "nan"); // without the sign that printf shows
  if (is_short_whole(value)) return (size_t)snprintf(text, TS_NUMBER_TEXT_SIZE, "%ld", (long)value);
  for (int digits = 15; digits < 17; ++digits) {
    const int length = snprintf(text, TS_NUMBER_TEXT_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return (size_t)length;
  }
  return (size_t)snprintf(text, TS_NUMBER_TEXT_SIZE, "%.17g", value);
}

// Decimals that are enough, or -1. The quotient of a whole number and a power of ten that both are exact is what their
// decimal text reads back as.
static int short_decimals(double value)
{
  double power = 1.0;
  for (int decimals = 1; decimals <= 6; ++decimals) {
    power *= 10.0;
    const double whole = nearbyint(value * power);
    if (fabs(whole) < 1e15 && fabs(whole) >= 1.0 && whole / power == value) return decimals;
  }
  return -1;
}

size_t ts_number_text_quick(double value, char text[static TS_NUMBER_TEXT_SIZE])
{
  if (isnan(value) || is_short_whole(value)) return ts_number_text(value, text);
  const int decimals = short_decimals(value);
  if (decimals > 0) return (size_t)snprintf(text, TS_NUMBER_TEXT_SIZE, "%.*f", decimals, value);
  return (size_t)snprintf(text, TS_NUMBER_TEXT_SIZE, "%.17g", value);
}

size_t ts_number_text_brief(double value, char text[static TS_NUMBER_TEXT_SIZE])
{
  const int length = snprintf(text, TS_NUMBER_TEXT_SIZE, "%g", value);
  return strtod(text, NULL) == value ? (size_t)length : ts_number_text(value, text);
}

static const char *skip_digits(const char *text)
{
  while (*text >= '0' && *text <= '9') ++text;
  return text;
}

bool ts_text_is_number(const char *text, double *value)
{
  const char *digits = text + (*text == '-' || *text == '+'), *end = skip_digits(digits);
  long count = end - digits;
  if (*end == '.') {
    const char *fraction = end + 1;
    end = skip_digits(fraction);
    count += end - fraction;
  }
  if (count == 0) return false;
  if (*end == 'e' || *end == 'E') {
    const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
    end = skip_digits(exponent);
    if (end == exponent) return false;
  }
  if (*end != '\0') return false;
  *value = strtod(text, NULL);
  return isfinite(*value);
}
