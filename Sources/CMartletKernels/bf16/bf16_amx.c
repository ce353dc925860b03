#include "../gemm/vector_includes.h"
#include "bf16_types.h"

#if MK_HAS_X86_LEVELS
/// What LDTILECFG reads (Intel SDM volume 1, chapter 18).
typedef struct tile_configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_configuration;

MK_BEGIN_BF16_AMX
#define MK_LEVEL 2
#define MK_FN(name) name##_amx
#define MK_ACTIVATE mk_activate_avx512
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"

/// 32 numbers, the first 16 of them in `first`, as bfloat16.
MK_INLINE __m512i bf16_hi(__m512 first, __m512 second) { return (__m512i)_mm512_cvtne2ps_pbh(second, first); }

/// What is left of the numbers beside `hi`; zero where that is not finite.
MK_INLINE __m512i bf16_lo(__m512 first, __m512 second, __m512i hi) {
  __m512i wide_first = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(hi)), 16);
  __m512i wide_second = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(hi, 1)), 16);
  __m512i rest = bf16_hi(_mm512_sub_ps(first, (__m512)wide_first), _mm512_sub_ps(second, (__m512)wide_second));
  const __m512i exponent = _mm512_set1_epi16(0x7f80);
  return _mm512_maskz_mov_epi16(_mm512_cmpneq_epi16_mask(_mm512_and_si512(hi, exponent), exponent), rest);
}

/// Packs 32 steps of 32 columns.
void mk_bf16_pack_block_amx(const float *rows, int terms, uint16_t *packed) {
  // Columns of the first step of a pair and of the second, one after the other.
  static const uint16_t order[32] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                     8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i interleaving = _mm512_loadu_si512(order);
  uint16_t *hi_to = packed + (mk_bf16_parts(terms) - 1) * MK_BF16_STEPS * MK_BF16_PANEL;
  for (int half = 0; half < 2; half++)
    for (int pair = 0; pair < 16; pair++) {
      __m512 first = _mm512_loadu_ps(rows + 2 * pair * MK_BF16_PANEL + half * 16);
      __m512 second = _mm512_loadu_ps(rows + (2 * pair + 1) * MK_BF16_PANEL + half * 16);
      __m512i hi = bf16_hi(first, second);
      const ptrdiff_t at = half * 512 + pair * 32;
      _mm512_storeu_si512(hi_to + at, _mm512_permutexvar_epi16(interleaving, hi));
      if (terms == MK_BF16_SPLIT)
        _mm512_storeu_si512(packed + at, _mm512_permutexvar_epi16(interleaving, bf16_lo(first, second, hi)));
    }
}

/// 16 elements, zero in the lanes that are not in the mask.
MK_INLINE __m512 bf16_load(const void *from, ptrdiff_t index, const int dtype, __mmask16 mask) {
  if (dtype == MK_F32) return _mm512_maskz_loadu_ps(mask, (const float *)from + index);
  __m256i halves = _mm256_maskz_loadu_epi16(mask, (const uint16_t *)from + index);
  return dtype == MK_F16 ? _mm512_cvtph_ps(halves) : (__m512)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
}

/// A mask whose first `count` >= 0 bits are set.
MK_INLINE __mmask32 bf16_mask(ptrdiff_t count) { return count >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << count) - 1; }

/// Rounds `count` elements, followed by zeros up to `padded`. `lo` is used with two parts only.
MK_INLINE void bf16_round_run(const void *from, const int dtype, ptrdiff_t count, ptrdiff_t padded, const int terms, uint16_t *hi,
                              uint16_t *lo) {
  ptrdiff_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m512 first = (__m512)vec_load_as(from, i, dtype), second = (__m512)vec_load_as(from, i + 16, dtype);
    __m512i rounded = bf16_hi(first, second);
    _mm512_storeu_si512(hi + i, rounded);
    if (terms == MK_BF16_SPLIT) _mm512_storeu_si512(lo + i, bf16_lo(first, second, rounded));
  }
  for (; i < padded; i += 32) {
    __mmask32 read = bf16_mask(mk_max(0, count - i)), written = bf16_mask(padded - i);
    __m512 first = bf16_load(from, i, dtype, (__mmask16)read), second = bf16_load(from, i + 16, dtype, (__mmask16)(read >> 16));
    __m512i rounded = bf16_hi(first, second);
    _mm512_mask_storeu_epi16(hi + i, written, rounded);
    if (terms == MK_BF16_SPLIT) _mm512_mask_storeu_epi16(lo + i, written, bf16_lo(first, second, rounded));
  }
}

MK_INLINE void bf16_copy(uint16_t *to, const uint16_t *from, ptrdiff_t count) {
  for (; count > 32; count -= 32, to += 32, from += 32) _mm512_storeu_si512(to, _mm512_loadu_si512(from));
  __mmask32 mask = bf16_mask(count);
  _mm512_mask_storeu_epi16(to, mask, _mm512_maskz_loadu_epi16(mask, from));
}
#include "bf16_plane.h"

MK_INLINE void bf16_begin(ptrdiff_t half) {
  tile_configuration configuration = {.palette = 1};
  for (int i = 0; i < 8; i++) configuration.row_bytes[i] = 64, configuration.rows[i] = i >= 6 ? 16 : (uint8_t)half;
  _tile_loadconfig(&configuration);
}

MK_INLINE void bf16_end(void) { _tile_release(); }

/// One tile of sums: tiles 0 and 1 are those of the first slots, 2 and 3 those of the others. With every step `fetch_lines` cache lines from
/// `next` on are asked for.
MK_INLINE void bf16_tile_run(const mk_conv2d *c, const mk_bf16_layout *l, const uint16_t *a, ptrdiff_t half, const int is_tall,
                             const int is_wide, const int is_split, const ptrdiff_t *offsets, const uint16_t *b, const uint16_t *next, ptrdiff_t fetch_lines,
                             float *sums) {
  const ptrdiff_t stride = l->slot * 2, lower = half * l->slot, lo = l->steps, block = MK_BF16_STEPS * MK_BF16_PANEL;
  const ptrdiff_t taps = l->gathers ? 1 : c->kernel_height * c->kernel_width;
  _tile_zero(0);
  if (is_wide) _tile_zero(1);
  if (is_tall) _tile_zero(2);
  if (is_tall && is_wide) _tile_zero(3);
  for (ptrdiff_t tap = 0; tap < taps; tap++) {
    const uint16_t *from = a + (tap < MK_BF16_KNOWN_TAPS ? offsets[tap] : bf16_tap_offset(c, l, tap));
    for (ptrdiff_t k = 0; k < l->steps; k += MK_BF16_STEPS, from += MK_BF16_STEPS) {
      for (ptrdiff_t i = 0; i < fetch_lines; i++, next += 32) _mm_prefetch((const char *)next, _MM_HINT_T1);
      if (is_split) {
        // hi lo
        _tile_loadd(4, from, stride);
        _tile_loadd(6, b, 64);
        _tile_dpbf16ps(0, 4, 6);
        if (is_tall) {
          _tile_loadd(5, from + lower, stride);
          _tile_dpbf16ps(2, 5, 6);
        }
        if (is_wide) {
          _tile_loadd(7, b + 512, 64);
          _tile_dpbf16ps(1, 4, 7);
          if (is_tall) _tile_dpbf16ps(3, 5, 7);
        }
        // hi hi
        _tile_loadd(6, b + block, 64);
        _tile_dpbf16ps(0, 4, 6);
        if (is_tall) _tile_dpbf16ps(2, 5, 6);
        if (is_wide) {
          _tile_loadd(7, b + block + 512, 64);
          _tile_dpbf16ps(1, 4, 7);
          if (is_tall) _tile_dpbf16ps(3, 5, 7);
        }
        // lo hi
        _tile_loadd(4, from + lo, stride);
        _tile_dpbf16ps(0, 4, 6);
        if (is_wide) _tile_dpbf16ps(1, 4, 7);
        if (is_tall) {
          _tile_loadd(5, from + lower + lo, stride);
          _tile_dpbf16ps(2, 5, 6);
          if (is_wide) _tile_dpbf16ps(3, 5, 7);
        }
        b += 2 * block;
      } else {
        _tile_loadd(4, from, stride);
        _tile_loadd(6, b, 64);
        _tile_dpbf16ps(0, 4, 6);
        if (is_wide) {
          _tile_loadd(7, b + 512, 64);
          _tile_dpbf16ps(1, 4, 7);
        }
        if (is_tall) {
          _tile_loadd(5, from + lower, stride);
          _tile_dpbf16ps(2, 5, 6);
          if (is_wide) _tile_dpbf16ps(3, 5, 7);
        }
        b += block;
      }
    }
  }
  _tile_stored(0, sums, 4 * MK_BF16_PANEL);
  if (is_wide) _tile_stored(1, sums + 16, 4 * MK_BF16_PANEL);
  if (is_tall) _tile_stored(2, sums + half * MK_BF16_PANEL, 4 * MK_BF16_PANEL);
  if (is_tall && is_wide) _tile_stored(3, sums + half * MK_BF16_PANEL + 16, 4 * MK_BF16_PANEL);
}

/// `half` or, if `is_tall`, twice as many slots by one panel.
MK_INLINE void bf16_tile(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const uint16_t *a, ptrdiff_t half, int is_tall,
                         ptrdiff_t columns, const ptrdiff_t *offsets, const uint16_t *b, const uint16_t *next, ptrdiff_t fetch_lines,
                             float *sums) {
  const mk_conv2d *c = &d->conv;
  switch ((is_tall ? 1 : 0) + (columns > 16 ? 2 : 0) + (d->terms == MK_BF16_SPLIT ? 4 : 0)) {
    case 0: bf16_tile_run(c, l, a, half, 0, 0, 0, offsets, b, next, fetch_lines, sums); break;
    case 1: bf16_tile_run(c, l, a, half, 1, 0, 0, offsets, b, next, fetch_lines, sums); break;
    case 2: bf16_tile_run(c, l, a, half, 0, 1, 0, offsets, b, next, fetch_lines, sums); break;
    case 3: bf16_tile_run(c, l, a, half, 1, 1, 0, offsets, b, next, fetch_lines, sums); break;
    case 4: bf16_tile_run(c, l, a, half, 0, 0, 1, offsets, b, next, fetch_lines, sums); break;
    case 5: bf16_tile_run(c, l, a, half, 1, 0, 1, offsets, b, next, fetch_lines, sums); break;
    case 6: bf16_tile_run(c, l, a, half, 0, 1, 1, offsets, b, next, fetch_lines, sums); break;
    default: bf16_tile_run(c, l, a, half, 1, 1, 1, offsets, b, next, fetch_lines, sums); break;
  }
}
#include "bf16_level.h"
MK_END_BF16_AMX
#endif
