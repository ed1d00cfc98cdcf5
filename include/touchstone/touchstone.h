/// Everything that Touchstone offers.
#ifndef TOUCHSTONE_H
#define TOUCHSTONE_H

#include "touchstone/api.h"
#include "touchstone/status.h"
#include "touchstone/suggest.h"
#include "touchstone/wildcard.h"
#include "touchstone/matrix.h"
#include "touchstone/problem.h"
#include "touchstone/certificate.h"
#include "touchstone/solver.h"
#include "touchstone/lowering.h"
#include "touchstone/builtin.h"
#include "touchstone/problem_file.h"
#include "touchstone/vector.h"
#include "touchstone/shape.h"
#include "touchstone/signal.h"
#include "touchstone/model.h"
#include "touchstone/sim.h"
#include "touchstone/watch.h"
#include "touchstone/dynamics.h"
#include "touchstone/extension.h"
#include "touchstone/record.h"
#include "touchstone/scene.h"
#include "touchstone/urdf.h"
#include "touchstone/study.h"
#include "touchstone/verify.h"
#include "touchstone/table.h"
#include "touchstone/convergence.h"
#include "touchstone/summary.h"

#endif
