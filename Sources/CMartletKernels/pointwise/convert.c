#include "martlet_convert.h"

#include <assert.h>
#include <string.h>

#include "../simd/loop.h"
#include "../simd/targets.h"
#include "martlet_cpu.h"
#include "martlet_pointwise.h"

typedef void (*conversion)(const void *source, void *destination, ptrdiff_t n);

/// The basic loops from which all other conversions are composed. Columns: name, source, destination, expression of `x`. Half-precision
/// destinations are `uint16_t` bits. Integer conversions serve signed and unsigned types where possible.
#define CONVERSIONS(X)                                                          \
  X(to_bool_8, uint8_t, uint8_t, x != 0)                                        \
  X(to_bool_16, uint16_t, uint8_t, x != 0)                                      \
  X(to_bool_32, uint32_t, uint8_t, x != 0)                                      \
  X(to_bool_64, uint64_t, uint8_t, x != 0)                                      \
  X(half_to_bool, uint16_t, uint8_t, (x & 0x7fff) != 0)                         \
  X(f32_to_bool, float, uint8_t, x != 0)                                        \
  X(f64_to_bool, double, uint8_t, x != 0)                                       \
  X(narrow_64_32, uint64_t, uint32_t, x)                                        \
  X(narrow_64_16, uint64_t, uint16_t, x)                                        \
  X(narrow_64_8, uint64_t, uint8_t, x)                                          \
  X(narrow_32_16, uint32_t, uint16_t, x)                                        \
  X(narrow_32_8, uint32_t, uint8_t, x)                                          \
  X(narrow_16_8, uint16_t, uint8_t, x)                                          \
  X(i8_to_i16, int8_t, int16_t, x)                                              \
  X(i8_to_i32, int8_t, int32_t, x)                                              \
  X(i8_to_i64, int8_t, int64_t, x)                                              \
  X(i16_to_i32, int16_t, int32_t, x)                                            \
  X(i16_to_i64, int16_t, int64_t, x)                                            \
  X(i32_to_i64, int32_t, int64_t, x)                                            \
  X(u8_to_u16, uint8_t, uint16_t, x)                                            \
  X(u8_to_u32, uint8_t, uint32_t, x)                                            \
  X(u8_to_u64, uint8_t, uint64_t, x)                                            \
  X(u16_to_u32, uint16_t, uint32_t, x)                                          \
  X(u16_to_u64, uint16_t, uint64_t, x)                                          \
  X(u32_to_u64, uint32_t, uint64_t, x)                                          \
  X(i8_to_f32, int8_t, float, x)                                                \
  X(i16_to_f32, int16_t, float, x)                                              \
  X(i32_to_f32, int32_t, float, x)                                              \
  X(i64_to_f32, int64_t, float, x)                                              \
  X(u8_to_f32, uint8_t, float, x)                                               \
  X(u16_to_f32, uint16_t, float, x)                                             \
  X(u32_to_f32, uint32_t, float, x)                                             \
  X(u64_to_f32, uint64_t, float, x)                                             \
  X(i8_to_f64, int8_t, double, x)                                               \
  X(i16_to_f64, int16_t, double, x)                                             \
  X(i32_to_f64, int32_t, double, x)                                             \
  X(i64_to_f64, int64_t, double, x)                                             \
  X(u8_to_f64, uint8_t, double, x)                                              \
  X(u16_to_f64, uint16_t, double, x)                                            \
  X(u32_to_f64, uint32_t, double, x)                                            \
  X(u64_to_f64, uint64_t, double, x)                                            \
  X(f32_to_i8, float, uint8_t, (uint32_t)MK_FN(truncate_f32_i32)(x))            \
  X(f32_to_i16, float, uint16_t, (uint32_t)MK_FN(truncate_f32_i32)(x))          \
  X(f32_to_i32, float, int32_t, MK_FN(truncate_f32_i32)(x))                     \
  X(f32_to_i64, float, int64_t, MK_FN(truncate_f32_i64)(x))                     \
  X(f32_to_u32, float, uint32_t, MK_FN(truncate_f32_u32)(x))                    \
  X(f32_to_u64, float, uint64_t, MK_FN(truncate_f32_u64)(x))                    \
  X(f64_to_i8, double, uint8_t, (uint32_t)MK_FN(truncate_f64_i32)(x))           \
  X(f64_to_i16, double, uint16_t, (uint32_t)MK_FN(truncate_f64_i32)(x))         \
  X(f64_to_i32, double, int32_t, MK_FN(truncate_f64_i32)(x))                    \
  X(f64_to_i64, double, int64_t, MK_FN(truncate_f64_i64)(x))                    \
  X(f64_to_u32, double, uint32_t, MK_FN(truncate_f64_u32)(x))                   \
  X(f64_to_u64, double, uint64_t, MK_FN(truncate_f64_u64)(x))                   \
  X(f32_to_f64, float, double, x)                                               \
  X(f64_to_f32, double, float, x)                                               \
  X(f64_to_f32_odd, double, float, MK_FN(odd_f32)(x))                           \
  X(f16_to_f32, uint16_t, float, MK_FN(from_f16)(x))                            \
  X(f32_to_f16, float, uint16_t, MK_FN(to_f16)(x))                              \
  X(bf16_to_f32, uint16_t, float, MK_FN(from_bf16)(x))                          \
  X(f32_to_bf16, float, uint16_t, MK_FN(to_bf16)(x))                            \
  X(round_f16, float, float, MK_FN(from_f16)(MK_FN(to_f16)(x)))                 \
  X(round_bf16, float, float, MK_FN(from_bf16)(MK_FN(to_bf16)(x)))

enum {
#define MK_X(name, From, To, expression) CONVERT_##name,
  CONVERSIONS(MK_X)
#undef MK_X
  CONVERSION_COUNT
};

#define MK_HAS_F16C 0
#define MK_FN(name) name##_portable
#include "convert.inc"
#undef MK_FN
#undef MK_HAS_F16C

#if MK_HAS_X86_LEVELS
#define MK_HAS_F16C 1
MK_BEGIN_AVX2
#define MK_FN(name) name##_avx2
#include "convert.inc"
#undef MK_FN
MK_END_AVX2
MK_BEGIN_AVX512
#define MK_FN(name) name##_avx512
#include "convert.inc"
#undef MK_FN
MK_END_AVX512
#undef MK_HAS_F16C
#endif

#if MK_HAS_NEON_LEVEL
#define MK_HAS_F16C 1
#define MK_FN(name) name##_neon
#include "convert.inc"
#undef MK_FN
#undef MK_HAS_F16C
#endif

static void run(int index, const void *source, void *destination, ptrdiff_t n) {
#if MK_HAS_X86_LEVELS
  static const conversion *const levels[] = {conversions_portable, conversions_avx2, conversions_avx512};
  levels[mk_isa()][index](source, destination, n);
#elif MK_HAS_NEON_LEVEL
  (mk_isa() == MK_ISA_NEON ? conversions_neon : conversions_portable)[index](source, destination, n);
#else
  conversions_portable[index](source, destination, n);
#endif
}

/// Elements converted at a time if intermediate values are needed.
enum { block_length = 512 };

typedef struct {
  _Alignas(64) unsigned char bytes[block_length * 16];
} block;

static int is_integer(int dtype) { return dtype >= MK_I8 && dtype <= MK_U64; }
static int is_signed(int dtype) { return dtype >= MK_I8 && dtype <= MK_I64; }
static int is_half(int dtype) { return dtype == MK_F16 || dtype == MK_BF16; }
static int is_complex(int dtype) { return dtype == MK_C64 || dtype == MK_C128; }

/// The loop between two integer types of different sizes, indexed by log2 of the sizes.
static int integer_conversion(int src_dtype, int dst_dtype) {
  static const short narrow[4][4] = {
    {-1, -1, -1, -1},
    {CONVERT_narrow_16_8, -1, -1, -1},
    {CONVERT_narrow_32_8, CONVERT_narrow_32_16, -1, -1},
    {CONVERT_narrow_64_8, CONVERT_narrow_64_16, CONVERT_narrow_64_32, -1},
  };
  static const short widen_signed[4][4] = {
    {-1, CONVERT_i8_to_i16, CONVERT_i8_to_i32, CONVERT_i8_to_i64},
    {-1, -1, CONVERT_i16_to_i32, CONVERT_i16_to_i64},
    {-1, -1, -1, CONVERT_i32_to_i64},
    {-1, -1, -1, -1},
  };
  static const short widen_unsigned[4][4] = {
    {-1, CONVERT_u8_to_u16, CONVERT_u8_to_u32, CONVERT_u8_to_u64},
    {-1, -1, CONVERT_u16_to_u32, CONVERT_u16_to_u64},
    {-1, -1, -1, CONVERT_u32_to_u64},
    {-1, -1, -1, -1},
  };
  int from = (src_dtype - MK_I8) & 3, to = (dst_dtype - MK_I8) & 3;
  if (from > to) return narrow[from][to];
  return is_signed(src_dtype) ? widen_signed[from][to] : widen_unsigned[from][to];
}

/// The single loop from `src_dtype` to `dst_dtype`; -1 if there is none. Neither type is complex; the types differ, or are bool.
static int direct_conversion(int src_dtype, int dst_dtype) {
  static const short to_bool[] = {
    CONVERT_f32_to_bool, CONVERT_f64_to_bool, CONVERT_half_to_bool, CONVERT_half_to_bool, CONVERT_to_bool_8,
    CONVERT_to_bool_16,  CONVERT_to_bool_32,  CONVERT_to_bool_64,   CONVERT_to_bool_8,    CONVERT_to_bool_16,
    CONVERT_to_bool_32,  CONVERT_to_bool_64,  CONVERT_to_bool_8,
  };
  static const short f32_to_integer[] = {CONVERT_f32_to_i8, CONVERT_f32_to_i16, CONVERT_f32_to_i32, CONVERT_f32_to_i64,
                                         CONVERT_f32_to_i8, CONVERT_f32_to_i16, CONVERT_f32_to_u32, CONVERT_f32_to_u64};
  static const short f64_to_integer[] = {CONVERT_f64_to_i8, CONVERT_f64_to_i16, CONVERT_f64_to_i32, CONVERT_f64_to_i64,
                                         CONVERT_f64_to_i8, CONVERT_f64_to_i16, CONVERT_f64_to_u32, CONVERT_f64_to_u64};
  static const short integer_to_f32[] = {CONVERT_i8_to_f32, CONVERT_i16_to_f32, CONVERT_i32_to_f32, CONVERT_i64_to_f32,
                                         CONVERT_u8_to_f32, CONVERT_u16_to_f32, CONVERT_u32_to_f32, CONVERT_u64_to_f32};
  static const short integer_to_f64[] = {CONVERT_i8_to_f64, CONVERT_i16_to_f64, CONVERT_i32_to_f64, CONVERT_i64_to_f64,
                                         CONVERT_u8_to_f64, CONVERT_u16_to_f64, CONVERT_u32_to_f64, CONVERT_u64_to_f64};
  if (dst_dtype == MK_BOOL) return to_bool[src_dtype];
  if (src_dtype == MK_BOOL) return dst_dtype == MK_I8 || dst_dtype == MK_U8 ? CONVERT_to_bool_8 : -1;
  if (is_integer(src_dtype)) {
    if (is_integer(dst_dtype)) return integer_conversion(src_dtype, dst_dtype);
    if (dst_dtype == MK_F32) return integer_to_f32[src_dtype - MK_I8];
    if (dst_dtype == MK_F64) return integer_to_f64[src_dtype - MK_I8];
    return -1;
  }
  if (src_dtype == MK_F32) {
    if (is_integer(dst_dtype)) return f32_to_integer[dst_dtype - MK_I8];
    return dst_dtype == MK_F64 ? CONVERT_f32_to_f64 : dst_dtype == MK_F16 ? CONVERT_f32_to_f16 : CONVERT_f32_to_bf16;
  }
  if (src_dtype == MK_F64) {
    if (is_integer(dst_dtype)) return f64_to_integer[dst_dtype - MK_I8];
    return dst_dtype == MK_F32 ? CONVERT_f64_to_f32 : -1;
  }
  if (dst_dtype == MK_F32) return src_dtype == MK_F16 ? CONVERT_f16_to_f32 : CONVERT_bf16_to_f32;
  return -1;
}

/// Contiguous conversion of real types.
static void convert_real(int src_dtype, const void *src, int dst_dtype, void *dst, ptrdiff_t n) {
  ptrdiff_t src_size = mk_dtype_size(src_dtype), dst_size = mk_dtype_size(dst_dtype);
  int same_bits = src_dtype == dst_dtype || (is_integer(src_dtype) && is_integer(dst_dtype) && src_size == dst_size);
  if (same_bits && dst_dtype != MK_BOOL) {
    if (src != dst) memcpy(dst, src, (size_t)(n * src_size));
    return;
  }
  int direct = direct_conversion(src_dtype, dst_dtype);
  if (direct >= 0) {
    run(direct, src, dst, n);
    return;
  }
  // Bool is read as uint8 0 or 1. All other conversions go through float32, which represents every half-precision value.
  int middle = src_dtype == MK_BOOL ? MK_U8 : MK_F32;
  int first = src_dtype == MK_F64 ? CONVERT_f64_to_f32_odd : direct_conversion(src_dtype, middle);
  block values;
  for (ptrdiff_t done = 0; done < n; done += block_length) {
    ptrdiff_t count = n - done < block_length ? n - done : block_length;
    run(first, (const char *)src + done * src_size, values.bytes, count);
    convert_real(middle, values.bytes, dst_dtype, (char *)dst + done * dst_size, count);
  }
}

#define MOVE_LOOPS(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

/// `dst[i * dst_stride] = src[i * src_stride]` for elements of `size` bytes.
static void move_strided(ptrdiff_t size, const void *src, ptrdiff_t src_stride, void *dst, ptrdiff_t dst_stride, ptrdiff_t n) {
  switch (size) {
#define MK_X(bytes, T)                                                                          \
  case bytes: {                                                                                 \
    typedef T anywhere __attribute__((aligned(1)));                                             \
    const anywhere *from = src;                                                                 \
    T *to = dst;                                                                                \
    for (ptrdiff_t i = 0; i < n; i++) to[i * dst_stride] = from[i * src_stride];                \
    break;                                                                                      \
  }
    MOVE_LOOPS(MK_X)
#undef MK_X
    default:
      for (ptrdiff_t i = 0; i < n; i++)
        memcpy((char *)dst + i * dst_stride * size, (const char *)src + i * src_stride * size, (size_t)size);
  }
}

/// Converts one block if a complex type is involved. `dst` is contiguous and must not be `src`.
static void convert_complex_block(int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t n) {
  int part = src_dtype == MK_C64 ? MK_F32 : src_dtype == MK_C128 ? MK_F64 : src_dtype;
  ptrdiff_t part_size = mk_dtype_size(part);
  ptrdiff_t part_stride = is_complex(src_dtype) ? 2 * src_stride : src_stride;
  if (!is_complex(dst_dtype)) {
    mk_convert(part, src, part_stride, dst_dtype, dst, n);
    if (dst_dtype != MK_BOOL) return;
    unsigned char imaginary[block_length];
    mk_convert(part, (const char *)src + part_size, part_stride, MK_BOOL, imaginary, n);
    for (ptrdiff_t i = 0; i < n; i++) ((unsigned char *)dst)[i] |= imaginary[i];
    return;
  }
  int dst_part = dst_dtype == MK_C64 ? MK_F32 : MK_F64;
  ptrdiff_t dst_part_size = mk_dtype_size(dst_part);
  block values;
  mk_convert(part, src, part_stride, dst_part, values.bytes, n);
  move_strided(dst_part_size, values.bytes, 1, dst, 2, n);
  if (is_complex(src_dtype))
    mk_convert(part, (const char *)src + part_size, part_stride, dst_part, values.bytes, n);
  else
    memset(values.bytes, 0, (size_t)(n * dst_part_size));
  move_strided(dst_part_size, values.bytes, 1, (char *)dst + dst_part_size, 2, n);
}

void mk_convert_strided_dst(
    int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t dst_stride, ptrdiff_t n) {
  assert(mk_dtype_size(src_dtype) != 0 && mk_dtype_size(dst_dtype) != 0);
  assert(n >= 0 && (n <= 1 || dst_stride != 0));
  if (n == 0) return;
  ptrdiff_t src_size = mk_dtype_size(src_dtype), dst_size = mk_dtype_size(dst_dtype);
  if (n == 1) src_stride = dst_stride = 1;
  int involves_complex = is_complex(src_dtype) || is_complex(dst_dtype);
  if (src_stride == 1 && dst_stride == 1) {
    if (!involves_complex) {
      convert_real(src_dtype, src, dst_dtype, dst, n);
      return;
    }
    if (src_dtype == dst_dtype) {
      if (src != dst) memcpy(dst, src, (size_t)(n * src_size));
      return;
    }
  } else if (src_dtype == dst_dtype && src_dtype != MK_BOOL) {
    move_strided(src_size, src, src_stride, dst, dst_stride, n);
    return;
  }
  block gathered, converted;
  if (src_stride == 0) {
    // A single value is converted once and copied.
    if (involves_complex)
      convert_complex_block(src_dtype, src, 1, dst_dtype, converted.bytes, 1);
    else
      convert_real(src_dtype, src, dst_dtype, converted.bytes, 1);
    move_strided(dst_size, converted.bytes, 0, dst, dst_stride, n);
    return;
  }
  for (ptrdiff_t done = 0; done < n; done += block_length) {
    ptrdiff_t count = n - done < block_length ? n - done : block_length;
    const char *from = (const char *)src + done * src_stride * src_size;
    char *to = (char *)dst + done * dst_stride * dst_size;
    // A complex block is also staged if `dst == src`.
    void *result = dst_stride == 1 && !involves_complex ? (void *)to : converted.bytes;
    if (involves_complex) {
      convert_complex_block(src_dtype, from, src_stride, dst_dtype, result, count);
    } else {
      const void *contiguous = from;
      if (src_stride != 1) {
        move_strided(src_size, from, src_stride, gathered.bytes, 1, count);
        contiguous = gathered.bytes;
      }
      convert_real(src_dtype, contiguous, dst_dtype, result, count);
    }
    if (result != to) move_strided(dst_size, result, 1, to, dst_stride, count);
  }
}

void mk_convert(int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t n) {
  mk_convert_strided_dst(src_dtype, src, src_stride, dst_dtype, dst, 1, n);
}

void mk_block_convert(int src_dtype, const void *src, int dst_dtype, void *dst, ptrdiff_t n) {
  mk_convert_strided_dst(src_dtype, src, 1, dst_dtype, dst, 1, n);
}

void mk_round_f32(int dtype, ptrdiff_t n, const float *x, float *y) {
  assert(is_half(dtype) && n >= 0);
  run(dtype == MK_F16 ? CONVERT_round_f16 : CONVERT_round_bf16, x, y, n);
}
