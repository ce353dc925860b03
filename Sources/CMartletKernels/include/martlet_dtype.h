/// Element types, shared with `DType` of the Swift module `MartletTensor` (same raw values).
#ifndef MARTLET_DTYPE_H
#define MARTLET_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#ifndef __clang__
#define _Nullable
#define _Nonnull
#endif

/// The type of one element. `MK_F16` and `MK_BF16` are stored as 16 bits, `MK_BOOL` as one byte that is 0 or 1 (any other value reads as
/// true), and complex types as (real, imaginary).
enum mk_dtype {
  MK_F32 = 0,
  MK_F64 = 1,
  MK_F16 = 2,
  MK_BF16 = 3,
  MK_I8 = 4,
  MK_I16 = 5,
  MK_I32 = 6,
  MK_I64 = 7,
  MK_U8 = 8,
  MK_U16 = 9,
  MK_U32 = 10,
  MK_U64 = 11,
  MK_BOOL = 12,
  MK_C64 = 13,
  MK_C128 = 14,
};

/// Bytes of one element of `dtype`; 0 if `dtype` is not an `mk_dtype`.
ptrdiff_t mk_dtype_size(int dtype);

#endif
