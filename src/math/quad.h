// Four numbers at a time. The compiler maps the type on whatever vector registers the target has.
#ifndef TS_MATH_QUAD_H
#define TS_MATH_QUAD_H

// Unaligned, and allowed to alias the doubles it is loaded from.
typedef double ts_quad __attribute__((vector_size(32), aligned(8), may_alias));

// The quad that starts at a pointer to double, as an lvalue. (A function would pass vectors by value, whose calling
// convention depends on the target.)
#define TS_QUAD(pointer)       (*(ts_quad *)(pointer))
#define TS_CONST_QUAD(pointer) (*(const ts_quad *)(pointer))

#endif
