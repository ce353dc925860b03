#include "martlet_pointwise.h"

const char *mk_unary_name(int op) {
  static const char *const names[] = {
#define MK_X(upper, lower, has_i64) #lower,
    MK_UNARY_OPS(MK_X)
#undef MK_X
  };
  return op >= 0 && op < MK_UNARY_COUNT ? names[op] : NULL;
}

const char *mk_binary_name(int op) {
  static const char *const names[] = {
#define MK_X(upper, lower, has_float, has_i64) #lower,
    MK_BINARY_OPS(MK_X)
#undef MK_X
  };
  return op >= 0 && op < MK_BINARY_COUNT ? names[op] : NULL;
}

const char *mk_ternary_name(int op) {
  static const char *const names[] = {
#define MK_X(upper, lower, has_i64) #lower,
    MK_TERNARY_OPS(MK_X)
#undef MK_X
  };
  return op >= 0 && op < MK_TERNARY_COUNT ? names[op] : NULL;
}

int mk_unary_supported(int op, int dtype) {
  static const signed char has_i64[] = {
#define MK_X(upper, lower, has_i64) has_i64,
    MK_UNARY_OPS(MK_X)
#undef MK_X
  };
  if (op < 0 || op >= MK_UNARY_COUNT) return 0;
  if (dtype == MK_F32 || dtype == MK_F64) return op != MK_UNARY_BITWISE_NOT;
  return dtype == MK_I64 && has_i64[op];
}

int mk_binary_supported(int op, int dtype) {
  static const signed char has_float[] = {
#define MK_X(upper, lower, has_float, has_i64) has_float,
    MK_BINARY_OPS(MK_X)
#undef MK_X
  };
  static const signed char has_i64[] = {
#define MK_X(upper, lower, has_float, has_i64) has_i64,
    MK_BINARY_OPS(MK_X)
#undef MK_X
  };
  if (op < 0 || op >= MK_BINARY_COUNT) return 0;
  if (dtype == MK_F32 || dtype == MK_F64) return has_float[op];
  return (dtype == MK_I64 || dtype == MK_U64) && has_i64[op];
}

int mk_ternary_supported(int op, int dtype) {
  static const signed char has_i64[] = {
#define MK_X(upper, lower, has_i64) has_i64,
    MK_TERNARY_OPS(MK_X)
#undef MK_X
  };
  if (op < 0 || op >= MK_TERNARY_COUNT) return 0;
  if (dtype == MK_F32 || dtype == MK_F64) return 1;
  return dtype == MK_I64 && has_i64[op];
}
