#include "../simd/vector_includes.h"
#include "bf16_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512_BF16
#define MK_LEVEL 2
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_avx512
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "bf16_vector.inc"
#include "bf16_round.inc"
#include "bf16_plane.inc"
#include "gelu_table.inc"
#define MK_GELU vec_gelu_of_table
#include "bf16_store.inc"

/// Packs 32 steps of 32 columns.
void mk_bf16_pack_block_avx512(const float *rows, int terms, uint16_t *packed) {
  // Interleaves the columns of the first and second step of a pair.
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

#define UNROLL _Pragma("clang loop unroll(full)")
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
/// With two vectors of columns they take 28 of 32 registers.
#define MOST_ROWS MK_BF16_VECTOR_SLOTS

/// Sums up the products of all taps.
MK_INLINE void bf16_sum(const mk_bf16_vector_tile *t, __m512 (*sums)[2], const int rows, const int vectors) {
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = _mm512_setzero_ps();
  const char *next = (const char *)t->next;
  const ptrdiff_t fetch_lines = t->fetch_lines;
  for (ptrdiff_t tap = 0; tap < t->taps; tap++) {
    const uint16_t *b = t->weights + tap * t->tap_weights;
    const uint16_t *const *a = t->rows;
    const ptrdiff_t offset = tap < MK_BF16_KNOWN_TAPS ? t->offsets[tap] : bf16_tap_offset(&t->conv->conv, t->layout, tap);
    const ptrdiff_t end = offset + t->steps;
    NO_UNROLL for (ptrdiff_t k = offset; k < end;) {
      // 32 steps of the first 16 columns precede those of the others.
      const ptrdiff_t last = mk_min(end, k + MK_BF16_STEPS);
      NO_UNROLL for (ptrdiff_t i = 0; i < fetch_lines; i++, next += 64) vec_prefetch_far(next);
      NO_UNROLL for (; k < last; k += 2, b += 32) {
        __m512bh columns[2];
        UNROLL for (int j = 0; j < vectors; j++) columns[j] = (__m512bh)_mm512_loadu_si512(b + j * (MK_BF16_BLOCK / 2));
        UNROLL for (int i = 0; i < rows; i++) {
          int32_t pair;
          memcpy(&pair, a[i] + k, 4);
          UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = _mm512_dpbf16_ps(sums[i][j], (__m512bh)_mm512_set1_epi32(pair), columns[j]);
        }
      }
      b += MK_BF16_BLOCK / 2;
    }
  }
}

#define MK_TILE(rows, vectors)                                                                        \
  MK_KERNEL static void bf16_tile_##rows##x##vectors(const mk_bf16_vector_tile *t) {                                         \
    __m512 sums[MOST_ROWS][2];                                                                          \
    bf16_sum(t, sums, rows, vectors);                                                                   \
    UNROLL for (int i = 0; i < rows; i++)                                                               \
      UNROLL for (int j = 0; j < vectors; j++) _mm512_storeu_ps(t->sums + i * MK_BF16_PANEL + 16 * j, sums[i][j]); \
  }
#define MK_TILES(rows) MK_TILE(rows, 1) MK_TILE(rows, 2)
MK_TILES(1) MK_TILES(2) MK_TILES(3) MK_TILES(4) MK_TILES(5) MK_TILES(6) MK_TILES(7)
MK_TILES(8) MK_TILES(9) MK_TILES(10) MK_TILES(11) MK_TILES(12) MK_TILES(13) MK_TILES(14)
typedef void vector_function(const mk_bf16_vector_tile *tile);
#define MK_ENTRY(rows) {bf16_tile_##rows##x1, bf16_tile_##rows##x2}
void mk_bf16_vector_sums(const mk_bf16_vector_tile *tile, ptrdiff_t slots, ptrdiff_t columns) {
  static vector_function *const functions[MOST_ROWS][2] = {
    MK_ENTRY(1), MK_ENTRY(2), MK_ENTRY(3),  MK_ENTRY(4),  MK_ENTRY(5),  MK_ENTRY(6),  MK_ENTRY(7),
    MK_ENTRY(8), MK_ENTRY(9), MK_ENTRY(10), MK_ENTRY(11), MK_ENTRY(12), MK_ENTRY(13), MK_ENTRY(14),
  };
  functions[slots - 1][columns > 16](tile);
}

/// A whole tile whose results are stored from registers: without activation, or clamped.
MK_INLINE void bf16_tile_stored(const mk_bf16_vector_tile *t, const int dtype, const int has_residual) {
  __m512 sums[MOST_ROWS][2];
  bf16_sum(t, sums, MOST_ROWS, 2);
  const mk_epilogue *e = &t->conv->conv.epilogue;
  const int clamps = e->activation == MK_ACTIVATION_CLAMP;
  const vec lo = vec_splat(clamps ? e->lo : -__builtin_inff()), hi = vec_splat(clamps ? e->hi : __builtin_inff()), alpha = vec_splat(e->alpha);
  const vec bias[2] = {e->bias == NULL ? vec_splat(0.0f) : vec_load(e->bias + t->column),
                       e->bias == NULL ? vec_splat(0.0f) : vec_load(e->bias + t->column + 16)};
  void *output = t->conv->conv.output;
  UNROLL for (int i = 0; i < MOST_ROWS; i++) {
    const ptrdiff_t out = t->places[i] + t->column;
    UNROLL for (int j = 0; j < 2; j++) {
      vec v = (vec)sums[i][j] * alpha + bias[j];
      if (has_residual) v += vec_load_as(e->residual, t->residual_places[i] + t->column + 16 * j, dtype);
      sums[i][j] = (__m512)vec_at_most(hi, vec_at_least(lo, v));
    }
    if (dtype == MK_BF16) {
      _mm512_storeu_si512((uint16_t *)output + out, bf16_hi(sums[i][0], sums[i][1]));
    } else {
      UNROLL for (int j = 0; j < 2; j++) vec_store_as(output, out + 16 * j, (vec)sums[i][j], dtype);
    }
  }
}
MK_KERNEL static void bf16_tile_f32(const mk_bf16_vector_tile *t) { bf16_tile_stored(t, MK_F32, 0); }
MK_KERNEL static void bf16_tile_bf16(const mk_bf16_vector_tile *t) { bf16_tile_stored(t, MK_BF16, 0); }
MK_KERNEL static void bf16_tile_f32_residual(const mk_bf16_vector_tile *t) { bf16_tile_stored(t, MK_F32, 1); }
MK_KERNEL static void bf16_tile_bf16_residual(const mk_bf16_vector_tile *t) { bf16_tile_stored(t, MK_BF16, 1); }

/// The function for whole tiles whose results are stored from registers; NULL if the epilogue wants another way.
static vector_function *bf16_storing_tile(const mk_bf16_conv2d *d) {
  const mk_epilogue *e = &d->conv.epilogue;
  if (e->activation != MK_ACTIVATION_NONE && e->activation != MK_ACTIVATION_CLAMP) return NULL;
  switch (d->output_dtype) {
    case MK_F32: return e->residual == NULL ? bf16_tile_f32 : bf16_tile_f32_residual;
    case MK_BF16: return e->residual == NULL ? bf16_tile_bf16 : bf16_tile_bf16_residual;
    default: return NULL;
  }
}

#define MK_STORES_TILES
#include "bf16_slots.inc"
MK_END_AVX512
#endif
