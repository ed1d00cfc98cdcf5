// Faces of the convex hull of points, for drawing polytopes.
#ifndef TS_CLI_HULL_H
#define TS_CLI_HULL_H

#include "touchstone/vector.h"

// Takes the corners of one face, in order around it, and its outward normal.
typedef void cli_hull_face(void *user, const ts_vec3 *corners, int count, ts_vec3 outward);

// Hand every face to `face`; faces in one plane are one. Points that span no volume have none.
void cli_hull(const ts_vec3 *points, int count, cli_hull_face *face, void *user);

#endif
