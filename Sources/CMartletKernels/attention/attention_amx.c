#include "../simd/tile_configuration.h"
#include "../simd/vector_includes.h"
#include "attention_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AMX_BF16
#define MK_LEVEL 2
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_amx
#include "../simd/vector.inc"
#include "../convolution/bf16_vector.inc"
#include "../convolution/tiles.inc"

#define UNROLL _Pragma("clang loop unroll(full)")
/// Number of bfloat16 numbers in a tile.
#define TILE 512

/// Loads 32 elements from `index` on and rounds them to bfloat16. Elements from `count` on are zero.
MK_INLINE void round_32(const void *from, ptrdiff_t index, ptrdiff_t count, const int dtype, __m512i *hi, __m512i *lo) {
  __mmask32 mask = bf16_mask(mk_max(0, count));
  __m512 first = bf16_load(from, index, dtype, (__mmask16)mask), second = bf16_load(from, index + 16, dtype, (__mmask16)(mask >> 16));
  *hi = bf16_hi(first, second);
  *lo = bf16_lo(first, second, *hi);
}

/// Rounds rows `row0` ..< `row0 + rows` to the left side of products, with `steps` steps each.
MK_INLINE void round_rows(const void *from, ptrdiff_t row_stride, ptrdiff_t row0, ptrdiff_t rows, ptrdiff_t count, ptrdiff_t steps,
                          const int dtype, const int terms, uint16_t *plane, ptrdiff_t plane_row) {
  for (ptrdiff_t i = 0; i < rows; i++, plane += plane_row)
    for (ptrdiff_t s = 0; s < steps; s++) {
      __m512i hi, lo;
      round_32(from, (row0 + i) * row_stride + s * 32, count - s * 32, dtype, &hi, &lo);
      _mm512_storeu_si512(plane + s * 32, hi);
      if (terms == MK_BF16_SPLIT) _mm512_storeu_si512(plane + (steps + s) * 32, lo);
    }
}

/// Packs the transpose of keys `key0` ..< `key0 + keys` as a right side: [16 keys][32 steps of the depth][hi, lo] tiles.
MK_INLINE void pack_keys(const mk_attention *a, ptrdiff_t key0, ptrdiff_t keys, ptrdiff_t steps, const int dtype, const int terms,
                         uint16_t *packed) {
  for (ptrdiff_t j = 0; j < keys; j += 16)
    for (ptrdiff_t s = 0; s < steps; s++) {
      vec hi[16], lo[16];
      UNROLL for (int i = 0; i < 16; i++) {
        __m512i high = _mm512_setzero_si512(), low = high;
        if (j + i < keys) round_32(a->k, (key0 + j + i) * a->k_row_stride + s * 32, a->depth - s * 32, dtype, &high, &low);
        hi[i] = (vec)high;
        lo[i] = (vec)low;
      }
      // The elements being transposed are pairs of steps.
      vec_transpose(hi);
      UNROLL for (int i = 0; i < 16; i++) _mm512_storeu_si512(packed + i * 32, (__m512i)hi[i]);
      packed += TILE;
      if (terms != MK_BF16_SPLIT) continue;
      vec_transpose(lo);
      UNROLL for (int i = 0; i < 16; i++) _mm512_storeu_si512(packed + i * 32, (__m512i)lo[i]);
      packed += TILE;
    }
}

/// Packs values `key0` ..< `key0 + keys` as a right side: [16 columns][32 keys][hi, lo] tiles, with zeros from `keys` on.
MK_INLINE void pack_values(const mk_attention *a, ptrdiff_t key0, ptrdiff_t keys, ptrdiff_t steps, const int dtype, const int terms,
                           uint16_t *packed) {
  // Interleaves the columns of the first and second key of a pair.
  static const uint16_t order[32] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                     8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i interleaving = _mm512_loadu_si512(order);
  for (ptrdiff_t c = 0; c < a->value_depth; c += 16) {
    const __mmask16 columns = (__mmask16)bf16_mask(a->value_depth - c);
    for (ptrdiff_t s = 0; s < steps; s++, packed += TILE * mk_bf16_parts(terms))
      for (int pair = 0; pair < 16; pair++) {
        const ptrdiff_t key = s * 32 + 2 * pair, at = (key0 + key) * a->v_row_stride + c;
        __m512 first = bf16_load(a->v, at, dtype, key < keys ? columns : 0);
        __m512 second = bf16_load(a->v, at + a->v_row_stride, dtype, key + 1 < keys ? columns : 0);
        __m512i hi = bf16_hi(first, second);
        _mm512_storeu_si512(packed + pair * 32, _mm512_permutexvar_epi16(interleaving, hi));
        if (terms == MK_BF16_SPLIT)
          _mm512_storeu_si512(packed + TILE + pair * 32, _mm512_permutexvar_epi16(interleaving, bf16_lo(first, second, hi)));
      }
  }
}

/// Multiplies the first `steps` steps of 16 (32 if `is_tall`) rows of a plane by 16 (32 if `is_wide`) columns of a right side that has
/// `packed_steps` steps.
MK_INLINE void multiply(const uint16_t *plane, ptrdiff_t plane_row, const uint16_t *b, ptrdiff_t packed_steps, ptrdiff_t steps,
                        const int terms, int is_tall, int is_wide, float *result, ptrdiff_t result_row) {
  const ptrdiff_t stride = plane_row * 2, result_stride = result_row * 4, parts = mk_bf16_parts(terms), lo = steps * 32;
  const uint16_t *lower = plane + 16 * plane_row, *right = b + packed_steps * parts * TILE;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (ptrdiff_t s = 0; s < steps; s++, plane += 32, lower += 32, b += parts * TILE, right += parts * TILE) {
    _tile_loadd(4, plane, stride);
    _tile_loadd(6, b, 64);
    _tile_dpbf16ps(0, 4, 6);
    if (is_tall) {
      _tile_loadd(5, lower, stride);
      _tile_dpbf16ps(2, 5, 6);
    }
    if (is_wide) {
      _tile_loadd(7, right, 64);
      _tile_dpbf16ps(1, 4, 7);
      if (is_tall) _tile_dpbf16ps(3, 5, 7);
    }
    if (terms != MK_BF16_SPLIT) continue;
    // lo hi, with the same right side
    _tile_loadd(4, plane + lo, stride);
    _tile_dpbf16ps(0, 4, 6);
    if (is_wide) _tile_dpbf16ps(1, 4, 7);
    if (is_tall) {
      _tile_loadd(5, lower + lo, stride);
      _tile_dpbf16ps(2, 5, 6);
      if (is_wide) _tile_dpbf16ps(3, 5, 7);
    }
    // hi lo
    _tile_loadd(4, plane, stride);
    _tile_loadd(6, b + TILE, 64);
    _tile_dpbf16ps(0, 4, 6);
    if (is_tall) {
      _tile_loadd(5, lower, stride);
      _tile_dpbf16ps(2, 5, 6);
    }
    if (is_wide) {
      _tile_loadd(7, right + TILE, 64);
      _tile_dpbf16ps(1, 4, 7);
      if (is_tall) _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, result, result_stride);
  if (is_wide) _tile_stored(1, result + 16, result_stride);
  if (is_tall) _tile_stored(2, result + 16 * result_row, result_stride);
  if (is_tall && is_wide) _tile_stored(3, result + 16 * result_row + 16, result_stride);
}

/// 2^x for x <= about 0, with a relative error of about 1e-7, or 1e-4 for `MK_BF16_PLAIN`; 0 below -126.
MK_INLINE __m512 power_of_two(__m512 x, const int terms) {
  // Avoid subnormal results, which are slow. NaN must be preserved.
  const __m512 least = _mm512_set1_ps(-126.0f);
  const __mmask16 is_normal = _mm512_cmp_ps_mask(x, least, _CMP_NLT_UQ);
  x = (__m512)vec_at_least((vec)least, (vec)x);
  const vec magic = vec_splat(0x1.8p23f);
  vec shifted = (vec)x + magic;
  vec n = shifted - magic;
  vec r = (vec)x - n, p;
  if (terms == MK_BF16_SPLIT) {
    p = vec_splat(0x1.5f0890p-10f);
    p = p * r + 0x1.3d1070p-7f;
    p = p * r + 0x1.c6af6cp-5f;
    p = p * r + 0x1.ebf906p-3f;
    p = p * r + 0x1.62e430p-1f;
    p = p * r + 1.0f;
  } else {
    p = vec_splat(0x1.c96d5ep-5f);
    p = p * r + 0x1.f0ecf8p-3f;
    p = p * r + 0x1.62e2d2p-1f;
    p = p * r + 0x1.fff61cp-1f;
  }
  return _mm512_maskz_scalef_ps(is_normal, (__m512)p, (__m512)n);
}

/// Replaces the first `visible` of a row's `keys` scores by weights 2^(scale score + mask - maximum) in bfloat16, followed by zeros, and
/// updates the row's maximum and sum. `scale` and `mask_scale` include the factor for base 2. Returns the factor that adjusts results
/// accumulated with the old maximum.
MK_INLINE float soften(float *scores, const float *mask, float scale, float mask_scale, ptrdiff_t visible, ptrdiff_t steps,
                       const int terms, uint16_t *weights, float *maximum, float *sum) {
  const __m512 lowest = _mm512_set1_ps(-__builtin_inff()), factor = _mm512_set1_ps(scale), mask_factor = _mm512_set1_ps(mask_scale);
  vec highest = (vec)lowest;
  for (ptrdiff_t j = 0; j < visible; j += 16) {
    const __mmask16 lanes = (__mmask16)bf16_mask(visible - j);
    __m512 s = _mm512_mul_ps(_mm512_loadu_ps(scores + j), factor);
    if (mask != NULL) s = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, mask + j), mask_factor, s);
    s = _mm512_mask_mov_ps(lowest, lanes, s);
    if (mask != NULL) _mm512_storeu_ps(scores + j, s);
    highest = vec_at_least(highest, (vec)s);
  }
  float now = *maximum;
  const float block = _mm512_reduce_max_ps((__m512)highest);
  now = block > now ? block : now;
  // Without a finite score so far, weights must be 0, not NaN.
  const float shift = now == -__builtin_inff() ? 0.0f : now;
  const __m512 shifts = _mm512_set1_ps(-shift), rest = mask != NULL ? _mm512_set1_ps(1.0f) : factor;
  __m512 total = _mm512_setzero_ps();
  for (ptrdiff_t s = 0; s < steps; s++, weights += 32) {
    __m512 e[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    UNROLL for (int half = 0; half < 2; half++) {
      const ptrdiff_t j = s * 32 + half * 16;
      if (j >= visible) continue;
      const __mmask16 lanes = (__mmask16)bf16_mask(visible - j);
      e[half] = power_of_two(_mm512_fmadd_ps(_mm512_loadu_ps(scores + j), rest, shifts), terms);
      if (lanes != 0xffff) e[half] = _mm512_maskz_mov_ps(lanes, e[half]);
      total = _mm512_add_ps(total, e[half]);
    }
    __m512i hi = bf16_hi(e[0], e[1]);
    _mm512_storeu_si512(weights, hi);
    if (terms == MK_BF16_SPLIT) _mm512_storeu_si512(weights + steps * 32, bf16_lo(e[0], e[1], hi));
  }
  const float decay = *maximum == now ? 1.0f : _mm512_cvtss_f32(power_of_two(_mm512_set1_ps(*maximum - shift), MK_BF16_SPLIT));
  *maximum = now;
  *sum = *sum * decay + _mm512_reduce_add_ps(total);
  return decay;
}

MK_INLINE void attend(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, const int dtype, const int terms, float *scratch) {
  const mk_attention_amx_scratch at = mk_attention_amx_layout(a);
  float *scores = scratch + at.scores, *results = scratch + at.results, *totals = scratch + at.totals;
  float *maxima = scratch + at.maxima, *sums = scratch + at.sums, *factors = scratch + at.factors;
  uint16_t *keys_packed = (uint16_t *)(void *)(scratch + at.keys), *values_packed = (uint16_t *)(void *)(scratch + at.values);
  uint16_t *queries = (uint16_t *)(void *)(scratch + at.queries), *weights = (uint16_t *)(void *)(scratch + at.weights);
  const ptrdiff_t count = row1 - row0, block = mk_key_block(a, MK_BF16_PANEL), parts = mk_bf16_parts(terms);
  const int is_whole = a->keys <= block;
  const float log2_e = 0x1.715476p0f, scale = a->scale * log2_e;
  for (ptrdiff_t i = 0; i < count; i++) maxima[i] = -__builtin_inff(), sums[i] = 0;
  // Skip keys that no query of the range sees.
  const ptrdiff_t end = a->causal ? mk_min(a->keys, row1 + a->causal_offset) : a->keys;
  tiles_configure(16);
  for (ptrdiff_t key0 = 0; key0 < mk_max(end, 1); key0 += block) {
    const ptrdiff_t keys = mk_min(block, a->keys - key0), steps = mk_divide_up(keys, 32);
    pack_keys(a, key0, keys, at.depth_steps, dtype, terms, keys_packed);
    pack_values(a, key0, keys, steps, dtype, terms, values_packed);
    for (ptrdiff_t row = row0; row < row1; row += MK_BF16_QUERIES) {
      const ptrdiff_t rows = mk_min(MK_BF16_QUERIES, row1 - row), first = row - row0;
      const ptrdiff_t most = a->causal ? mk_max(0, mk_min(keys, row + rows + a->causal_offset - key0)) : keys;
      // Skip blocks that no query sees. The first block is always processed, because it initialises the sums.
      if (most == 0 && key0 > 0) continue;
      const ptrdiff_t seen_steps = mk_max(1, mk_divide_up(most, 32));
      round_rows(a->q, a->q_row_stride, row, rows, a->depth, at.depth_steps, dtype, terms, queries, at.query_row);
      for (ptrdiff_t j = 0; j < most; j += 32)
        multiply(queries, at.query_row, keys_packed + j / 16 * at.depth_steps * parts * TILE, at.depth_steps, at.depth_steps, terms,
                 rows > 16, keys - j > 16, scores + j, MK_SCORE_STRIDE);
      for (ptrdiff_t i = 0; i < rows; i++) {
        const ptrdiff_t visible = a->causal ? mk_max(0, mk_min(most, row + i + 1 + a->causal_offset - key0)) : most;
        const float *mask = a->mask == NULL ? NULL : a->mask + (row + i) * a->mask_row_stride + key0;
        factors[i] = soften(scores + i * MK_SCORE_STRIDE, mask, scale, log2_e, visible, seen_steps, terms, weights + i * at.weight_row,
                            &maxima[first + i], &sums[first + i]);
      }
      for (ptrdiff_t c = 0; c < a->value_depth; c += 32) {
        const uint16_t *right = values_packed + c / 16 * steps * parts * TILE;
        const ptrdiff_t columns = mk_min(32, a->value_depth - c);
        multiply(weights, at.weight_row, right, steps, seen_steps, terms, rows > 16, columns > 16, results, MK_BF16_PANEL);
        for (ptrdiff_t i = 0; i < rows; i++)
          for (ptrdiff_t j = 0; j < columns; j += 16) {
            const ptrdiff_t lanes = mk_min(16, columns - j);
            vec v = vec_load(results + i * MK_BF16_PANEL + j);
            if (is_whole) {
              // The sum is 0 only if there is no finite score: the maximum contributes 1.
              const float sum = sums[first + i], factor = sum == 0 && a->hidden_is_zero ? 0.0f : 1.0f / sum;
              vec_store_first_as(a->output, (row + i) * a->output_row_stride + c + j, v * factor, lanes, a->output_dtype);
            } else {
              float *total = totals + (first + i) * at.columns + c + j;
              vec_store(total, key0 == 0 ? v : vec_load(total) * factors[i] + v);
            }
          }
      }
    }
  }
  _tile_release();
  for (ptrdiff_t i = 0; i < count && !is_whole; i++) {
    const float factor = sums[i] == 0 && a->hidden_is_zero ? 0.0f : 1.0f / sums[i];
    for (ptrdiff_t c = 0; c < a->value_depth; c += 16)
      vec_store_first_as(a->output, (row0 + i) * a->output_row_stride + c, vec_load(totals + i * at.columns + c) * factor,
                         mk_min(16, a->value_depth - c), a->output_dtype);
  }
}

void mk_attention_amx(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch) {
  switch (a->key_dtype * 4 + a->terms) {
    case MK_F32 * 4 + MK_BF16_PLAIN: attend(a, row0, row1, MK_F32, MK_BF16_PLAIN, scratch); break;
    case MK_F32 * 4 + MK_BF16_SPLIT: attend(a, row0, row1, MK_F32, MK_BF16_SPLIT, scratch); break;
    case MK_F16 * 4 + MK_BF16_PLAIN: attend(a, row0, row1, MK_F16, MK_BF16_PLAIN, scratch); break;
    case MK_F16 * 4 + MK_BF16_SPLIT: attend(a, row0, row1, MK_F16, MK_BF16_SPLIT, scratch); break;
    case MK_BF16 * 4 + MK_BF16_PLAIN: attend(a, row0, row1, MK_BF16, MK_BF16_PLAIN, scratch); break;
    case MK_BF16 * 4 + MK_BF16_SPLIT: attend(a, row0, row1, MK_BF16, MK_BF16_SPLIT, scratch); break;
    default: assert(0 && "element types of no attention"); break;
  }
}
MK_END_AVX512
#endif
