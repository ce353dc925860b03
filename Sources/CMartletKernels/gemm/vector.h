/// Single-precision vectors of one instruction set, as template text: a file includes this once, between `MK_BEGIN_…` and
/// `MK_END_…` of `targets.h`, with `MK_LEVEL` (an `mk_isa_level`) and `MK_FN(name)` defined and `vector_includes.h` included before.
///
/// `vec` has `LANES` elements. Arithmetic is the compiler's (`a * b + c` contracts to FMA where the level has it). `a > b ? x : y`
/// selects lane by lane, with `b`'s side taken when a lane compares unordered.

#define MK_INLINE static inline __attribute__((always_inline))

#if MK_LEVEL == 2
#define LANES 16
#elif MK_LEVEL == 1 || MK_LEVEL == 3
// Two registers of NEON.
#define LANES 8
#else
#define LANES 4
#endif

typedef float vec __attribute__((ext_vector_type(LANES)));
typedef int32_t vec_bits __attribute__((ext_vector_type(LANES)));
typedef float vec_unaligned __attribute__((ext_vector_type(LANES), aligned(4), may_alias));
typedef uint16_t vec_halves __attribute__((ext_vector_type(LANES)));
typedef uint16_t vec_halves_unaligned __attribute__((ext_vector_type(LANES), aligned(2), may_alias));
typedef double vec_doubles_unaligned __attribute__((ext_vector_type(LANES), aligned(8), may_alias));

MK_INLINE vec vec_splat(float value) { return (vec)(value); }

MK_INLINE vec vec_load(const float *p) { return *(const vec_unaligned *)p; }

MK_INLINE void vec_store(float *p, vec v) { *(vec_unaligned *)p = v; }

/// The larger of `bound` and `v`; `v` when it is NaN.
MK_INLINE vec vec_at_least(vec bound, vec v) { return bound > v ? bound : v; }

/// The smaller of `bound` and `v`; `v` when it is NaN.
MK_INLINE vec vec_at_most(vec bound, vec v) { return bound < v ? bound : v; }

#if MK_LEVEL == 1
/// A mask whose first `count` lanes are set.
MK_INLINE __m256i vec_mask(ptrdiff_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

#if MK_LEVEL == 3
/// The first and the second register of a vector, and back.
MK_INLINE float32x4_t vec_low(vec v) { return (float32x4_t)__builtin_shufflevector(v, v, 0, 1, 2, 3); }
MK_INLINE float32x4_t vec_high(vec v) { return (float32x4_t)__builtin_shufflevector(v, v, 4, 5, 6, 7); }
MK_INLINE vec vec_of(float32x4_t low, float32x4_t high) { return (vec)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

/// The first `count` elements at `p`, 0 < `count` < 4.
MK_INLINE float32x4_t vec_load_part(const float *p, ptrdiff_t count) {
  float32x4_t v = vld1q_lane_f32(p, vdupq_n_f32(0), 0);
  if (count > 1) v = vld1q_lane_f32(p + 1, v, 1);
  if (count > 2) v = vld1q_lane_f32(p + 2, v, 2);
  return v;
}

/// Stores the first `count` elements, 0 < `count` < 4.
MK_INLINE void vec_store_part(float *p, float32x4_t v, ptrdiff_t count) {
  vst1q_lane_f32(p, v, 0);
  if (count > 1) vst1q_lane_f32(p + 1, v, 1);
  if (count > 2) vst1q_lane_f32(p + 2, v, 2);
}
#endif

/// The first `count` elements at `p`, 0 < `count` <= `LANES`, zero in the other lanes; reads nothing beyond them.
MK_INLINE vec vec_load_first(const float *p, ptrdiff_t count) {
#if MK_LEVEL == 2
  return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), p);
#elif MK_LEVEL == 1
  return (vec)_mm256_maskload_ps(p, vec_mask(count));
#elif MK_LEVEL == 3
  if (count == LANES) return vec_load(p);
  const float32x4_t zero = vdupq_n_f32(0);
  if (count < 4) return vec_of(vec_load_part(p, count), zero);
  return vec_of(vld1q_f32(p), count == 4 ? zero : vec_load_part(p + 4, count - 4));
#else
  vec v = (vec)(0.0f);
  v[0] = p[0];
  if (count > 1) v[1] = p[1];
  if (count > 2) v[2] = p[2];
  if (count > 3) v[3] = p[3];
  return v;
#endif
}

/// Stores the first `count` lanes, 0 < `count` <= `LANES`.
MK_INLINE void vec_store_first(float *p, vec v, ptrdiff_t count) {
#if MK_LEVEL == 2
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), (__m512)v);
#elif MK_LEVEL == 1
  _mm256_maskstore_ps(p, vec_mask(count), (__m256)v);
#elif MK_LEVEL == 3
  if (count == LANES) {
    vec_store(p, v);
  } else if (count < 4) {
    vec_store_part(p, vec_low(v), count);
  } else {
    vst1q_f32(p, vec_low(v));
    if (count > 4) vec_store_part(p + 4, vec_high(v), count - 4);
  }
#else
  p[0] = v[0];
  if (count > 1) p[1] = v[1];
  if (count > 2) p[2] = v[2];
  if (count > 3) p[3] = v[3];
#endif
}

MK_INLINE float vec_sum(vec v) {
#if MK_LEVEL == 2
  return _mm512_reduce_add_ps((__m512)v);
#elif MK_LEVEL == 3
  return vaddvq_f32(vaddq_f32(vec_low(v), vec_high(v)));
#else
  float sum = 0;
  for (int i = 0; i < LANES; i++) sum += v[i];
  return sum;
#endif
}

/// Asks for the cache line of `p`, for a read soon. `p` may be any address.
MK_INLINE void vec_prefetch(const float *p) { __builtin_prefetch(p, 0, 3); }

/// IEEE binary16 to single precision.
MK_INLINE vec vec_from_f16(vec_halves h) {
#if MK_LEVEL == 2
  return (vec)_mm512_cvtph_ps((__m256i)h);
#elif MK_LEVEL == 1
  return (vec)_mm256_cvtph_ps((__m128i)h);
#elif MK_LEVEL == 3
  const float16x8_t halves = (float16x8_t)h;
  return vec_of(vcvt_f32_f16(vget_low_f16(halves)), vcvt_f32_f16(vget_high_f16(halves)));
#else
  // Shifted into place, the value is off by 2^112 in the exponent; a product puts it right, subnormals included.
  vec_bits bits = __builtin_convertvector(h, vec_bits);
  vec_bits sign = (bits & 0x8000) << 16;
  vec magnitude = (vec)((bits & 0x7fff) << 13) * vec_splat(0x1p112f);
  vec_bits special = (vec_bits)magnitude | 0x7f800000;
  return (vec)(sign | ((bits & 0x7c00) == 0x7c00 ? special : (vec_bits)magnitude));
#endif
}

/// bfloat16 to single precision.
MK_INLINE vec vec_from_bf16(vec_halves h) {
#if MK_LEVEL == 2
  return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)h), 16);
#else
  return (vec)(__builtin_convertvector(h, vec_bits) << 16);
#endif
}

/// `LANES` elements of type `dtype` (`MK_F32`, `MK_F64`, `MK_F16`, `MK_BF16`) starting at element `index` of `p`.
MK_INLINE vec vec_load_as(const void *p, ptrdiff_t index, const int dtype) {
  switch (dtype) {
    case MK_F16: return vec_from_f16(*(const vec_halves_unaligned *)((const uint16_t *)p + index));
    case MK_BF16: return vec_from_bf16(*(const vec_halves_unaligned *)((const uint16_t *)p + index));
    case MK_F64: return __builtin_convertvector(*(const vec_doubles_unaligned *)((const double *)p + index), vec);
    default: return vec_load((const float *)p + index);
  }
}

/// Element `index` of `p` in single precision.
MK_INLINE float scalar_load_as(const void *p, ptrdiff_t index, const int dtype) {
  switch (dtype) {
    case MK_F16: return vec_from_f16((vec_halves)(((const uint16_t *)p)[index]))[0];
    case MK_BF16: return vec_from_bf16((vec_halves)(((const uint16_t *)p)[index]))[0];
    case MK_F64: return (float)((const double *)p)[index];
    default: return ((const float *)p)[index];
  }
}

/// The first `count` elements from `index` on, 0 < `count` <= `LANES`, zero in the other lanes.
MK_INLINE vec vec_load_first_as(const void *p, ptrdiff_t index, ptrdiff_t count, const int dtype) {
  if (count == LANES) return vec_load_as(p, index, dtype);
  if (dtype == MK_F32) return vec_load_first((const float *)p + index, count);
#if MK_LEVEL == 2
  if (dtype == MK_F16 || dtype == MK_BF16) {
    vec_halves halves = (vec_halves)_mm256_maskz_loadu_epi16((__mmask16)((1u << count) - 1), (const uint16_t *)p + index);
    return dtype == MK_F16 ? vec_from_f16(halves) : vec_from_bf16(halves);
  }
#endif
  float lanes[LANES] = {0};
  for (ptrdiff_t i = 0; i < count; i++) lanes[i] = scalar_load_as(p, index + i, dtype);
  return vec_load(lanes);
}

/// Single precision to IEEE binary16, to nearest with halves to even.
MK_INLINE vec_halves vec_to_f16(vec v) {
#if MK_LEVEL == 2
  return (vec_halves)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif MK_LEVEL == 1
  return (vec_halves)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  vec_bits sign = ((vec_bits)v >> 16) & 0x8000, bits = (vec_bits)v & 0x7fffffff;
  // Normal results: the exponent is moved and what is cut off is rounded, which may carry as far as infinity. The sum of a number
  // below 2^-14 and 1/2 has its subnormal result in the low bits.
  vec_bits normal = (bits - 0x38000000 + 0xfff + ((bits >> 13) & 1)) >> 13;
  vec_bits subnormal = (vec_bits)((vec)bits + vec_splat(0.5f)) - 0x3f000000;
  vec_bits special = bits > 0x7f800000 ? (0x7e00 | ((bits >> 13) & 0x3ff)) : (vec_bits)(0x7c00);
  vec_bits half = bits < 0x38800000 ? subnormal : bits < 0x47800000 ? normal : special;
  return __builtin_convertvector(sign | half, vec_halves);
#endif
}

/// Single precision to bfloat16, to nearest with halves to even. Subnormal results are zero where the processor rounds (`MK_ROUNDS_BF16`).
MK_INLINE vec_halves vec_to_bf16(vec v) {
#if MK_LEVEL == 2 && defined(MK_ROUNDS_BF16)
  return (vec_halves)_mm512_cvtneps_pbh((__m512)v);
#else
  vec_bits bits = (vec_bits)v, rounded = bits + 0x7fff + ((bits >> 16) & 1);
  vec_bits high = (bits & INT32_MAX) > 0x7f800000 ? (bits | 0x400000) : rounded;
  return __builtin_convertvector(high >> 16, vec_halves);
#endif
}

/// Stores `LANES` elements as type `dtype` (`MK_F32`, `MK_F16`, `MK_BF16`) from element `index` of `p` on.
MK_INLINE void vec_store_as(void *p, ptrdiff_t index, vec v, const int dtype) {
  switch (dtype) {
    case MK_F16: *(vec_halves_unaligned *)((uint16_t *)p + index) = vec_to_f16(v); break;
    case MK_BF16: *(vec_halves_unaligned *)((uint16_t *)p + index) = vec_to_bf16(v); break;
    default: vec_store((float *)p + index, v); break;
  }
}

/// Stores the first `count` lanes, 0 < `count` <= `LANES`.
MK_INLINE void vec_store_first_as(void *p, ptrdiff_t index, vec v, ptrdiff_t count, const int dtype) {
  if (dtype != MK_F16 && dtype != MK_BF16) {
    vec_store_first((float *)p + index, v, count);
    return;
  }
  vec_halves halves = dtype == MK_F16 ? vec_to_f16(v) : vec_to_bf16(v);
#if MK_LEVEL == 2
  _mm256_mask_storeu_epi16((uint16_t *)p + index, (__mmask16)((1u << count) - 1), (__m256i)halves);
#else
  for (ptrdiff_t i = 0; i < count; i++) ((uint16_t *)p)[index + i] = halves[i];
#endif
}

/// Shuffles by patterns that instruction sets have: in every four lanes the first or last two elements, or the first or last pair, of
/// both vectors by turns; and of all fours of lanes those with even or odd numbers.
#if LANES == 16
#define MK_LOW_ELEMENTS(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define MK_HIGH_ELEMENTS(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define MK_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define MK_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define MK_EVEN_FOURS(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define MK_ODD_FOURS(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif LANES == 8
#define MK_LOW_ELEMENTS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define MK_HIGH_ELEMENTS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define MK_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define MK_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define MK_EVEN_FOURS(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define MK_ODD_FOURS(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define MK_LOW_ELEMENTS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define MK_HIGH_ELEMENTS(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define MK_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define MK_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

/// Transposes the square of `LANES` rows in place: squares of four in every four lanes, then the fours themselves.
MK_INLINE void vec_transpose(vec r[LANES]) {
  vec t[LANES];
  _Pragma("clang loop unroll(full)") for (int i = 0; i < LANES; i += 2) {
    t[i] = MK_LOW_ELEMENTS(r[i], r[i + 1]);
    t[i + 1] = MK_HIGH_ELEMENTS(r[i], r[i + 1]);
  }
  _Pragma("clang loop unroll(full)") for (int i = 0; i < LANES; i += 4) {
    r[i] = MK_LOW_PAIRS(t[i], t[i + 2]);
    r[i + 1] = MK_HIGH_PAIRS(t[i], t[i + 2]);
    r[i + 2] = MK_LOW_PAIRS(t[i + 1], t[i + 3]);
    r[i + 3] = MK_HIGH_PAIRS(t[i + 1], t[i + 3]);
  }
#if LANES == 8
  _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; i++) {
    vec low = r[i], high = r[i + 4];
    r[i] = MK_EVEN_FOURS(low, high);
    r[i + 4] = MK_ODD_FOURS(low, high);
  }
#elif LANES == 16
  _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; i++) {
    vec even[2] = {MK_EVEN_FOURS(r[i], r[i + 4]), MK_EVEN_FOURS(r[i + 8], r[i + 12])};
    vec odd[2] = {MK_ODD_FOURS(r[i], r[i + 4]), MK_ODD_FOURS(r[i + 8], r[i + 12])};
    r[i] = MK_EVEN_FOURS(even[0], even[1]);
    r[i + 4] = MK_EVEN_FOURS(odd[0], odd[1]);
    r[i + 8] = MK_ODD_FOURS(even[0], even[1]);
    r[i + 12] = MK_ODD_FOURS(odd[0], odd[1]);
  }
#endif
}
