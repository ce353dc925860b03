#include "../simd/vector_includes.h"
#include "bf16_types.h"

#if MK_HAS_NEON_LEVEL
MK_BEGIN_ARM_BF16
#define MK_LEVEL 3
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_neon
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"

/// Rounds `count` elements, multiplied by `factors` if not NULL, and appends zeros up to `padded`. `lo` is written with two parts only, which
/// are no faster than single precision here.
MK_INLINE void bf16_round_run(const void *from, const int dtype, const float *factors, ptrdiff_t count, ptrdiff_t padded, const int terms,
                              uint16_t *hi, uint16_t *lo) {
  ptrdiff_t i = 0;
  for (; terms == MK_BF16_PLAIN && i + LANES <= count; i += LANES) {
    vec v = vec_load_as(from, i, dtype);
    if (factors != NULL) v *= vec_load(factors + i);
    vec_store_as(hi, i, v, MK_BF16);
  }
  for (; i < padded; i++) {
    float value = i < count ? scalar_load_as(from, i, dtype) : 0.0f;
    if (factors != NULL && i < count) value *= factors[i];
    hi[i] = mk_bf16_round(value);
    if (terms == MK_BF16_SPLIT) lo[i] = mk_bf16_rest(value, hi[i]);
  }
}

#include "bf16_plane.inc"
#define MK_GELU vec_gelu
#include "bf16_store.inc"

#define UNROLL _Pragma("clang loop unroll(full)")
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
/// Rows of which sums by 16 columns fill half of the registers.
#define MOST_ROWS 4

/// Products of two rows by two columns, four steps at a time. An odd last row is its own neighbour.
MK_INLINE void bf16_rows(const int rows, const mk_bf16_vector_tile *t, ptrdiff_t first, ptrdiff_t last, ptrdiff_t half) {
  float32x4_t v[MOST_ROWS / 2][8];
  const uint16_t *a[MOST_ROWS];
  UNROLL for (int i = 0; i < rows; i++) a[i] = t->rows[mk_min(first + i, last)];
  UNROLL for (int i = 0; i < rows / 2; i++) UNROLL for (int j = 0; j < 8; j++) v[i][j] = vdupq_n_f32(0);
  for (ptrdiff_t tap = 0; tap < t->taps; tap++) {
    const uint16_t *b = t->weights + tap * t->tap_weights + half * (MK_BF16_BLOCK / 2);
    const ptrdiff_t offset = tap < MK_BF16_KNOWN_TAPS ? t->offsets[tap] : bf16_tap_offset(&t->conv->conv, t->layout, tap);
    const ptrdiff_t end = offset + t->steps;
    NO_UNROLL for (ptrdiff_t k = offset; k < end; b += MK_BF16_BLOCK / 2) {
      // 32 steps of the first 16 columns precede those of the others.
      const ptrdiff_t stop = mk_min(end, k + MK_BF16_STEPS);
      NO_UNROLL for (; k < stop; k += 8, b += 8 * 16) {
        bfloat16x8_t pairs[2][MOST_ROWS / 2];
        UNROLL for (int i = 0; i < rows / 2; i++) {
          const uint64x2_t x = vreinterpretq_u64_u16(vld1q_u16(a[2 * i] + k)), y = vreinterpretq_u64_u16(vld1q_u16(a[2 * i + 1] + k));
          pairs[0][i] = vreinterpretq_bf16_u64(vzip1q_u64(x, y));
          pairs[1][i] = vreinterpretq_bf16_u64(vzip2q_u64(x, y));
        }
        UNROLL for (int four = 0; four < 2; four++)
          UNROLL for (int j = 0; j < 8; j++) {
            const bfloat16x8_t columns = vreinterpretq_bf16_u16(vld1q_u16(b + four * 64 + 8 * j));
            UNROLL for (int i = 0; i < rows / 2; i++) v[i][j] = vbfmmlaq_f32(v[i][j], pairs[four][i], columns);
          }
      }
    }
  }
  UNROLL for (int i = 0; i < rows / 2; i++)
    UNROLL for (int j = 0; j < 4; j++) {
      const float64x2_t x = vreinterpretq_f64_f32(v[i][2 * j]), y = vreinterpretq_f64_f32(v[i][2 * j + 1]);
      float *to = t->sums + (first + 2 * i) * MK_BF16_PANEL + half * 16 + 4 * j;
      vst1q_f32(to, vreinterpretq_f32_f64(vzip1q_f64(x, y)));
      vst1q_f32(to + MK_BF16_PANEL, vreinterpretq_f32_f64(vzip2q_f64(x, y)));
    }
}

void mk_bf16_vector_sums(const mk_bf16_vector_tile *tile, ptrdiff_t slots, ptrdiff_t columns) {
  for (ptrdiff_t half = 0; half <= (columns > 16); half++)
    for (ptrdiff_t first = 0; first < slots; first += MOST_ROWS)
      if (slots - first > 2) bf16_rows(4, tile, first, slots - 1, half);
      else bf16_rows(2, tile, first, slots - 1, half);
}
#include "bf16_slots.inc"
MK_END_ARM_BF16
#endif
