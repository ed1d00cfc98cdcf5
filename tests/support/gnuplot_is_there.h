// Whether figures can be drawn here.
#ifndef TEST_SUPPORT_GNUPLOT_IS_THERE_H
#define TEST_SUPPORT_GNUPLOT_IS_THERE_H

#include <stdbool.h>

bool gnuplot_is_there(void); // says so when it is not

#endif
