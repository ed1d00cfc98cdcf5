// Functions whose Sobol' indices are known in closed form.
#ifndef TEST_SUPPORT_SENSITIVITY_MODELS_H
#define TEST_SUPPORT_SENSITIVITY_MODELS_H

#include "base/random.h"
#include "touchstone/vector.h"

#include <math.h>

enum { MODEL_MOST_PARAMETERS = 8 };

typedef struct sensitivity_model {
  int parameters;
  double low, high; // all parameters are uniform in between
  double (*value)(const double *x);
  double first[MODEL_MOST_PARAMETERS], total[MODEL_MOST_PARAMETERS];
} sensitivity_model;

// Ishigami and Homma (1990) with a = 7, b = 0.1 on [-pi, pi].
static inline double ishigami_value(const double *x)
{
  return sin(x[0]) + 7.0 * pow(sin(x[1]), 2.0) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
}

static inline sensitivity_model ishigami_model(void)
{
  const double a = 7.0, b = 0.1, p4 = pow(TS_PI, 4.0), p8 = p4 * p4;
  const double v1 = 0.5 * pow(1.0 + b * p4 / 5.0, 2.0), v2 = a * a / 8.0, v13 = b * b * p8 * (1.0 / 18.0 - 1.0 / 50.0);
  const double v = v1 + v2 + v13;
  return (sensitivity_model){.parameters = 3,
                             .low = -TS_PI,
                             .high = TS_PI,
                             .value = ishigami_value,
                             .first = {v1 / v, v2 / v, 0.0},
                             .total = {(v1 + v13) / v, v2 / v, v13 / v}};
}

// Sobol's g: the product of (|4 x - 2| + a)/(1 + a) on [0, 1].
static const double G_FACTORS[MODEL_MOST_PARAMETERS] = {0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0};

static inline double g_value(const double *x)
{
  double product = 1.0;
  for (int i = 0; i < MODEL_MOST_PARAMETERS; ++i)
    product *= (fabs(4.0 * x[i] - 2.0) + G_FACTORS[i]) / (1.0 + G_FACTORS[i]);
  return product;
}

static inline sensitivity_model g_model(void)
{
  sensitivity_model m = {.parameters = MODEL_MOST_PARAMETERS, .low = 0.0, .high = 1.0, .value = g_value};
  double all = 1.0, part[MODEL_MOST_PARAMETERS];
  for (int i = 0; i < m.parameters; ++i) {
    part[i] = 1.0 / (3.0 * (1.0 + G_FACTORS[i]) * (1.0 + G_FACTORS[i]));
    all *= 1.0 + part[i];
  }
  for (int i = 0; i < m.parameters; ++i) {
    m.first[i] = part[i] / (all - 1.0);
    m.total[i] = part[i] * all / (1.0 + part[i]) / (all - 1.0);
  }
  return m;
}

// 1000 + 1 x_0 + 2 x_1 + 3 x_2 on [0, 1]: shares 1/14, 4/14 and 9/14, and no interactions.
static inline double linear_value(const double *x)
{
  return 1000.0 + x[0] + 2.0 * x[1] + 3.0 * x[2];
}

static inline sensitivity_model linear_model(void)
{
  return (sensitivity_model){.parameters = 3,
                             .low = 0.0,
                             .high = 1.0,
                             .value = linear_value,
                             .first = {1.0 / 14.0, 4.0 / 14.0, 9.0 / 14.0},
                             .total = {1.0 / 14.0, 4.0 / 14.0, 9.0 / 14.0}};
}

static inline void draw_parameters(const sensitivity_model *model, ts_random *random, double *x)
{
  for (int i = 0; i < model->parameters; ++i) x[i] = ts_random_uniform(random, model->low, model->high);
}

#endif
