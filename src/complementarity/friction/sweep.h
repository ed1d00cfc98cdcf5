// Nonlinear Gauss-Seidel sweeps over the contacts of a cone problem, each solved exactly with the others fixed.
#ifndef TS_COMPLEMENTARITY_FRICTION_SWEEP_H
#define TS_COMPLEMENTARITY_FRICTION_SWEEP_H

#include "complementarity/friction/cone_problem.h"
#include "complementarity/friction/one_contact.h"

typedef enum ts_sweep_order { TS_FORWARD, TS_ALTERNATING } ts_sweep_order;

// `count` sweeps on r, over-relaxed by `relaxation` (1: plain) where a contact does not open.
void ts_sweep(const ts_cone_problem *p, ts_one_contact *contacts, int count, ts_sweep_order order, double relaxation,
              double *r);

#endif
