/// Scaled dot-product attention in single precision.
#ifndef MARTLET_ATTENTION_H
#define MARTLET_ATTENTION_H

#include <stddef.h>

#include "martlet_dtype.h"

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
  /// Element types of `q`, `k` and `v`, and of `output`: `MK_F32`, `MK_F16` or `MK_BF16`. The pointers point at such elements.
  int input_dtype, output_dtype;
} mk_attention;

/// Scratch memory for a call of `mk_attention_f32` with as many keys or fewer, in floats. For speed, align it to 64 bytes.
ptrdiff_t mk_attention_scratch_count(const mk_attention *_Nonnull attention);

/// Computes the output of queries `row0` ..< `row1`. Calls on disjoint rows may run concurrently, each with its own scratch memory. Every
/// call packs all keys and values, so ranges of fewer than about 64 queries waste work. Up to four queries are computed without packing.
void mk_attention_f32(const mk_attention *_Nonnull attention, ptrdiff_t row0, ptrdiff_t row1, float *_Nonnull scratch);

/// Rotates `pairs` pairs (a, b) to (a cos - b sin, b cos + a sin). Interleaved, pairs are neighbours in `x` and `y`, and the tables have one
/// number for each; otherwise pair i has the elements i and `pairs` + i, and so have the tables for the results. `y` must not overlap the
/// others.
void mk_rotary_f32(const float *_Nonnull x, const float *_Nonnull cosines, const float *_Nonnull sines, ptrdiff_t pairs, int interleaved,
                   float *_Nonnull y);

#endif
