#include "../simd/vector_includes.h"
#include "bf16_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"

/// Packs 32 steps of 32 columns.
void mk_bf16_pack_block_portable(const float *rows, int terms, uint16_t *packed) {
  const ptrdiff_t group = mk_bf16_group(terms);
  for (int part = 0; part < mk_bf16_parts(terms); part++)
    for (int half = 0; half < 2; half++)
      for (ptrdiff_t first = 0; first < MK_BF16_STEPS; first += group)
        for (int column = 0; column < 16; column++)
          for (ptrdiff_t step = first; step < first + group; step++) {
            float value = rows[step * MK_BF16_PANEL + half * 16 + column];
            uint16_t hi = mk_bf16_round(value);
            *packed++ = part == mk_bf16_parts(terms) - 1 ? hi : mk_bf16_rest(value, hi);
          }
}

/// Rounds `count` elements, multiplied by `factors` if not NULL, and appends zeros up to `padded`. `lo` is written with two parts only.
MK_INLINE void bf16_round_run(const void *from, const int dtype, const float *factors, ptrdiff_t count, ptrdiff_t padded, const int terms,
                              uint16_t *hi, uint16_t *lo) {
  for (ptrdiff_t i = 0; i < padded; i++) {
    float value = i < count ? scalar_load_as(from, i, dtype) : 0.0f;
    if (factors != NULL && i < count) value *= factors[i];
    hi[i] = mk_bf16_round(value);
    if (terms == MK_BF16_SPLIT) lo[i] = mk_bf16_rest(value, hi[i]);
  }
}

#include "bf16_plane.inc"
#define MK_GELU vec_gelu
#include "bf16_store.inc"

MK_INLINE void bf16_begin(ptrdiff_t half) { (void)half; }
MK_INLINE void bf16_end(void) {}

/// The product of two bfloat16 numbers.
static float product(uint16_t a, uint16_t b) { return mk_bf16_value(a) * mk_bf16_value(b); }

/// The parts of a weight in a panel's block; the first part is 0 if there is only one.
static void weight(const uint16_t *block, int terms, ptrdiff_t step, ptrdiff_t column, uint16_t *lo, uint16_t *hi) {
  if (terms == MK_BF16_SPLIT_HALVES) {
    const float value = scalar_load_as(block, (column / 16 * MK_BF16_STEPS + step) * 16 + column % 16, MK_F16);
    *hi = mk_bf16_half_hi(value);
    *lo = mk_bf16_round(value - mk_bf16_value(*hi));
    return;
  }
  const ptrdiff_t group = mk_bf16_group(terms);
  const uint16_t *first = block + (column / 16) * 512 + (step / group * 16 + column % 16) * group + step % group;
  *lo = terms == MK_BF16_SPLIT ? first[0] : 0;
  *hi = first[(mk_bf16_parts(terms) - 1) * MK_BF16_BLOCK];
}

/// `half` slots, or twice as many if `is_tall`, by one panel.
MK_INLINE void bf16_tile(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const uint16_t *a, ptrdiff_t half, int is_tall,
                         ptrdiff_t columns, const ptrdiff_t *offsets, const mk_bf16_panel *p, float *sums,
                         MK_FN(bf16_pending) *before) {
  (void)offsets, (void)before;
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t parts = mk_bf16_parts(d->terms), size = mk_bf16_packed_parts(d->terms) * MK_BF16_BLOCK;
  for (ptrdiff_t row = 0; row < (is_tall ? 2 * half : half); row++)
    for (ptrdiff_t column = 0; column < columns; column++) {
      const uint16_t *block = p->packed;
      float sum = 0;
      for (ptrdiff_t tap = 0; tap < l->taps; tap++) {
        const uint16_t *slot = a + row * l->slot + bf16_tap_offset(c, l, tap);
        for (ptrdiff_t k = 0; k < l->steps; k += MK_BF16_STEPS, block += size)
          for (ptrdiff_t i = 0; i < MK_BF16_STEPS; i++) {
            uint16_t lo, hi;
            weight(block, d->terms, i, column, &lo, &hi);
            if (parts == 2) {
              sum += product(slot[k + i], lo);
              sum += product(slot[l->lo + k + i], hi);
            }
            sum += product(slot[k + i], hi);
          }
      }
      sums[row * MK_BF16_PANEL + column] = sum;
    }
}
#include "bf16.inc"
