#include "../simd/tile_configuration.h"
#include "../simd/vector_includes.h"
#include "bf16_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AMX_BF16
#define MK_LEVEL 2
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_amx
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "bf16_vector.inc"
#include "tiles.inc"
#include "bf16_round.inc"
#include "bf16_plane.inc"
#include "gelu_table.inc"
#define MK_GELU vec_gelu_of_table
#include "bf16_store.inc"

MK_INLINE void bf16_begin(ptrdiff_t half) { tiles_configure(half); }

MK_INLINE void bf16_end(void) { _tile_release(); }

/// Splits pairs `pair0` ..< `pair1` of steps of a panel's block of binary16 numbers, counted over both halves of its columns.
MK_INLINE void bf16_split_pairs(const uint16_t *packed, uint16_t *lo, const ptrdiff_t pair0, const ptrdiff_t pair1) {
  const __m512i mask = _mm512_set1_epi32((int)0xffff0000), half = _mm512_set1_epi32(0x8000);
  _Pragma("clang loop unroll(full)") for (ptrdiff_t pair = pair0; pair < pair1; pair++) {
    const __m512 first = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(packed + pair * 32)));
    const __m512 second = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(packed + pair * 32 + 16)));
    const __m512i first_hi = _mm512_and_si512(_mm512_add_epi32((__m512i)first, half), mask);
    const __m512i second_hi = _mm512_and_si512(_mm512_add_epi32((__m512i)second, half), mask);
    const __m512i first_lo = (__m512i)_mm512_sub_ps(first, (__m512)first_hi), second_lo = (__m512i)_mm512_sub_ps(second, (__m512)second_hi);
    _mm512_store_si512(lo + pair * 32, _mm512_or_si512(second_lo, _mm512_srli_epi32(first_lo, 16)));
    _mm512_store_si512(lo + MK_BF16_BLOCK + pair * 32, _mm512_or_si512(second_hi, _mm512_srli_epi32(first_hi, 16)));
  }
}

/// A product of split factors, interleaved with part of the splitting of the next step's weights. A longer sequence of vector instructions
/// would delay the products that follow.
#define MK_SPLIT_PRODUCT(sums, a, b)                                                                                 \
  do {                                                                                                               \
    _tile_dpbf16ps(sums, a, b);                                                                                      \
    if (splits_next) bf16_split_pairs(packed, ahead, product * pairs / products, (product + 1) * pairs / products);  \
    product++;                                                                                                       \
  } while (0)

/// One tile of sums: AMX tiles 0 and 1 hold the first slots, 2 and 3 the others. Each step also prefetches the data used next, splits
/// weights of the following step, and stores some rows of the previous tile, because the vector units are idle otherwise.
MK_INLINE void bf16_tile_run(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const uint16_t *a, ptrdiff_t half, const int is_tall,
                             const int is_wide, const int terms, const ptrdiff_t *offsets, const mk_bf16_panel *p, float *sums,
                             MK_FN(bf16_pending) *before) {
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t stride = l->slot * 2, lower = half * l->slot, lo = l->lo, block = MK_BF16_BLOCK;
  const ptrdiff_t taps = l->taps, steps = taps * (l->steps / MK_BF16_STEPS), pairs = is_wide ? 32 : 16;
  // At least eight rows at a time: a call costs about as much as a few rows.
  const ptrdiff_t rows = mk_max(8, mk_divide_up(before->slots, mk_max(1, steps)));
  const uint16_t *next = p->next, *b = p->packed, *packed = p->packed;
  const int splits = terms == MK_BF16_SPLIT_HALVES && p->is_new;
  ptrdiff_t step = 0;
  _tile_zero(0);
  if (is_wide) _tile_zero(1);
  if (is_tall) _tile_zero(2);
  if (is_tall && is_wide) _tile_zero(3);
  if (splits && steps > 0) bf16_split_pairs(packed, p->split, 0, pairs);
  for (ptrdiff_t tap = 0; tap < taps; tap++) {
    const uint16_t *from = a + (tap < MK_BF16_KNOWN_TAPS ? offsets[tap] : bf16_tap_offset(c, l, tap));
    for (ptrdiff_t k = 0; k < l->steps; k += MK_BF16_STEPS, from += MK_BF16_STEPS) {
      for (ptrdiff_t i = 0; i < p->fetch_lines; i++, next += 32) _mm_prefetch((const char *)next, _MM_HINT_T1);
      if (terms != MK_BF16_PLAIN) {
        const int splits_next = splits && step + 1 < steps;
        const ptrdiff_t products = 3 * (1 + is_tall) * (1 + is_wide);
        ptrdiff_t product = 0;
        uint16_t *ahead = NULL;
        if (terms == MK_BF16_SPLIT_HALVES) {
          b = p->split + (step++ & p->kept) * 2 * block;
          ahead = p->split + (step & p->kept) * 2 * block;
          packed += block;
        }
        // hi lo
        _tile_loadd(4, from, stride);
        _tile_loadd(6, b, 64);
        MK_SPLIT_PRODUCT(0, 4, 6);
        if (is_tall) {
          _tile_loadd(5, from + lower, stride);
          MK_SPLIT_PRODUCT(2, 5, 6);
        }
        if (is_wide) {
          _tile_loadd(7, b + 512, 64);
          MK_SPLIT_PRODUCT(1, 4, 7);
          if (is_tall) MK_SPLIT_PRODUCT(3, 5, 7);
        }
        // hi hi
        _tile_loadd(6, b + block, 64);
        MK_SPLIT_PRODUCT(0, 4, 6);
        if (is_tall) MK_SPLIT_PRODUCT(2, 5, 6);
        if (is_wide) {
          _tile_loadd(7, b + block + 512, 64);
          MK_SPLIT_PRODUCT(1, 4, 7);
          if (is_tall) MK_SPLIT_PRODUCT(3, 5, 7);
        }
        // lo hi
        _tile_loadd(4, from + lo, stride);
        MK_SPLIT_PRODUCT(0, 4, 6);
        if (is_wide) MK_SPLIT_PRODUCT(1, 4, 7);
        if (is_tall) {
          _tile_loadd(5, from + lower + lo, stride);
          MK_SPLIT_PRODUCT(2, 5, 6);
          if (is_wide) MK_SPLIT_PRODUCT(3, 5, 7);
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
      bf16_finish(d, before, rows);
    }
  }
  _tile_stored(0, sums, 4 * MK_BF16_PANEL);
  if (is_wide) _tile_stored(1, sums + 16, 4 * MK_BF16_PANEL);
  if (is_tall) _tile_stored(2, sums + half * MK_BF16_PANEL, 4 * MK_BF16_PANEL);
  if (is_tall && is_wide) _tile_stored(3, sums + half * MK_BF16_PANEL + 16, 4 * MK_BF16_PANEL);
}

/// `half` slots, or twice as many if `is_tall`, by one panel.
MK_INLINE void bf16_tile(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const uint16_t *a, ptrdiff_t half, int is_tall,
                         ptrdiff_t columns, const ptrdiff_t *offsets, const mk_bf16_panel *p, float *sums,
                         MK_FN(bf16_pending) *before) {
#define MK_TILE(is_tall, is_wide, terms)                                            \
  case is_tall + 2 * is_wide + 4 * terms:                                            \
    bf16_tile_run(d, l, a, half, is_tall, is_wide, terms, offsets, p, sums, before);  \
    break;
#define MK_TILES(terms) MK_TILE(0, 0, terms) MK_TILE(1, 0, terms) MK_TILE(0, 1, terms) MK_TILE(1, 1, terms)
  switch ((is_tall ? 1 : 0) + (columns > 16 ? 2 : 0) + 4 * d->terms) {
    MK_TILES(MK_BF16_PLAIN)
    MK_TILES(MK_BF16_SPLIT)
    MK_TILES(MK_BF16_SPLIT_HALVES)
    default: assert(0 && "terms that there are no tiles for"); break;
  }
#undef MK_TILES
#undef MK_TILE
}
#undef MK_SPLIT_PRODUCT
#include "bf16.inc"
MK_END_AVX512
#endif
