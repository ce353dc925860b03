/// Scaled dot-product attention.
#ifndef MARTLET_ATTENTION_H
#define MARTLET_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

/// What makes 8-bit keys or values real: row j is (row - zero_points[j * zero_point_stride]) * scales[j * scale_stride].
typedef struct mk_attention_scaling {
  /// NULL for `scale` in all rows.
  const float *_Nullable scales;
  ptrdiff_t scale_stride;
  float scale;
  /// NULL for 0 in all rows.
  const int8_t *_Nullable zero_points;
  ptrdiff_t zero_point_stride;
} mk_attention_scaling;

/// output = softmax(scale * Q K^T + mask) V for one head of one batch element: Q is [queries, depth], K [keys, depth],
/// V [keys, value_depth], the output [queries, value_depth]. Elements of a row are contiguous; strides count elements.
///
/// Softmax is computed over blocks of keys with running maxima, so that no matrix of scores is stored. A query whose scores are all
/// -infinity, or that sees no key because of `causal`, gives NaN like a plain softmax, or 0 with `hidden_is_zero`. Without keys (`keys` =
/// 0) the output is 0. Results agree with the plain formula within the rounding of sums over `depth` and `keys` elements.
typedef struct mk_attention {
  const float *_Nonnull q;
  ptrdiff_t q_row_stride;
  const float *_Nonnull k;
  ptrdiff_t k_row_stride;
  const float *_Nonnull v;
  ptrdiff_t v_row_stride;
  /// Must not overlap the inputs.
  float *_Nonnull output;
  ptrdiff_t output_row_stride;
  /// [queries, keys], added to the scaled scores; -infinity hides a key. NULL for none; a row stride of 0 repeats one row.
  const float *_Nullable mask;
  ptrdiff_t mask_row_stride;
  ptrdiff_t queries, keys, depth, value_depth;
  float scale;
  /// Not 0: query i sees only keys j <= i + `causal_offset`. An offset of keys - queries aligns the last query with the last key.
  int causal;
  ptrdiff_t causal_offset;
  /// Not 0: a query whose scores are all -infinity has weights of 0 instead of NaN.
  int hidden_is_zero;
  /// Arithmetic of both products: 0 for single precision, otherwise an `mk_bf16_terms`. The softmax is always in single precision, and so
  /// are the products of up to four queries if all types are `MK_F32`.
  int terms;
  /// Not 0, with `terms`: use the portable C implementation of the products, see `mk_bf16_conv2d`.
  int portable;
  /// Element types of `q`, of `k` and `v`, and of `output`: `MK_F32`, `MK_F16` or `MK_BF16`, that of `k` and `v` also `MK_I8`. The pointers
  /// point at such elements. With `terms`, the types of queries and keys are equal, and there are no latest keys.
  int query_dtype, key_dtype, output_dtype;
  /// For `MK_I8`.
  mk_attention_scaling key_scaling, value_scaling;
  /// `latest_count` keys and values from row `latest_start` on are read here instead, in single precision, if `latest_keys` is not NULL.
  const float *_Nullable latest_keys;
  ptrdiff_t latest_key_stride;
  const float *_Nullable latest_values;
  ptrdiff_t latest_value_stride;
  ptrdiff_t latest_start, latest_count;
} mk_attention;

/// Scratch memory for a call of `mk_attention_f32` with as many keys or fewer, in floats. For speed, align it to 64 bytes.
ptrdiff_t mk_attention_scratch_count(const mk_attention *_Nonnull attention);

/// Computes the output of queries `row0` ..< `row1`. Calls on disjoint rows may run concurrently, each with its own scratch memory. Every
/// call packs all keys and values that count, so ranges of fewer than about 64 queries waste work.
void mk_attention_f32(const mk_attention *_Nonnull attention, ptrdiff_t row0, ptrdiff_t row1, float *_Nonnull scratch);

/// Most queries of a stretch, and most stretches that are merged.
#define MK_ATTENTION_ROWS 4
#define MK_ATTENTION_STRETCHES 64

/// Numbers of the result of a stretch, and of its scratch memory.
ptrdiff_t mk_attention_partial_count(const mk_attention *_Nonnull attention);
ptrdiff_t mk_attention_stretch_scratch_count(const mk_attention *_Nonnull attention);

/// Attention of up to `MK_ATTENTION_ROWS` queries to the keys `key0` ..< `key1` alone, read where they lie and in single precision: `partial`
/// gets maxima, sums and sums of values. Keys that `mask` hides from all queries are not read. Does not use `output`, `terms` and `portable`.
void mk_attention_stretch(const mk_attention *_Nonnull attention, ptrdiff_t key0, ptrdiff_t key1, float *_Nonnull partial,
                          float *_Nonnull scratch);

/// Computes the output from the results of `count` stretches, which lie `stride` numbers apart, in order.
void mk_attention_merge(const mk_attention *_Nonnull attention, const float *_Nonnull partials, ptrdiff_t count, ptrdiff_t stride);

/// Rotates `pairs` pairs (a, b) to (a cos - b sin, b cos + a sin). Interleaved, pairs are neighbours in `x` and `y`, and the tables have one
/// number for each; otherwise pair i has the elements i and `pairs` + i, and so have the tables for the results. `y` must not overlap the
/// others.
void mk_rotary_f32(const float *_Nonnull x, const float *_Nonnull cosines, const float *_Nonnull sines, ptrdiff_t pairs, int interleaved,
                   float *_Nonnull y);

#endif
