/// Declarations shared by the files of `attention/`.
#ifndef MARTLET_ATTENTION_TYPES_H
#define MARTLET_ATTENTION_TYPES_H

#include "../convolution/bf16_types.h"
#include "../linear_algebra/tile_types.h"
#include "martlet_attention.h"

#define MK_DECLARE_ATTENTION_LEVEL(level)                                                               \
  void mk_attention_f32_##level(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch);  \
  void mk_attention_stretch_##level(const mk_attention *a, ptrdiff_t key0, ptrdiff_t key1, float *partial, float *q);                   \
  void mk_attention_merge_##level(const mk_attention *a, const float *partials, ptrdiff_t count, ptrdiff_t stride);                      \
  void mk_rotary_f32_##level(const float *restrict x, const float *cosines, const float *sines, ptrdiff_t pairs, int interleaved, float *restrict y); \
  void mk_attention_bf16_##level(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch);
MK_DECLARE_ATTENTION_LEVEL(portable)
MK_DECLARE_ATTENTION_LEVEL(avx2)
MK_DECLARE_ATTENTION_LEVEL(avx512)
MK_DECLARE_ATTENTION_LEVEL(neon)
/// Attention with both products on AMX tiles.
void mk_attention_amx(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch);

/// Keys per block, chosen so that their packed form stays in the L2 cache.
#define MK_KEY_BLOCK 256
/// Distance between rows of scores: an odd number of cache lines.
#define MK_SCORE_STRIDE (MK_KEY_BLOCK + 16)
/// Rows of scores: at least the rows of a tile at any level.
#define MK_SCORE_ROWS 16

/// Keys per block, except for the last block: a multiple of the panel width `width`.
static inline ptrdiff_t mk_key_block(const mk_attention *a, ptrdiff_t width) {
  ptrdiff_t blocks = mk_divide_up(a->keys, MK_KEY_BLOCK);
  return mk_divide_up(mk_divide_up(a->keys, mk_max(blocks, 1)), width) * width;
}

/// Offsets of the parts of the scratch memory, in floats.
typedef struct mk_attention_scratch {
  ptrdiff_t scores, keys, values, queries, wide, maxima, sums, results, count;
} mk_attention_scratch;

/// True if keys and values cannot be packed from where they lie.
static inline int mk_attention_widens(const mk_attention *a) { return a->key_dtype == MK_I8 || a->latest_keys != NULL; }

/// True if tiles of queries are copied, as float32 numbers, instead of read in place.
static inline int mk_attention_copies_queries(const mk_attention *a) { return a->query_dtype != MK_F32 || mk_shares_sets(a->q_row_stride); }

static inline mk_attention_scratch mk_attention_layout(const mk_attention *a, ptrdiff_t width) {
  ptrdiff_t block = mk_key_block(a, width), columns = mk_divide_up(a->value_depth, width) * width;
  mk_attention_scratch s;
  s.scores = 0;
  s.keys = s.scores + MK_SCORE_ROWS * MK_SCORE_STRIDE;
  s.values = s.keys + block * a->depth;
  // A tile of queries, if copied, and the sums of all queries, if the output has another type.
  s.queries = s.values + block * columns;
  s.wide = s.queries + (mk_attention_copies_queries(a) ? MK_SCORE_ROWS * mk_gemm_copied_stride(a->depth) : 0);
  // A block of keys, then of values, in single precision.
  s.maxima = s.wide + (mk_attention_widens(a) ? block * mk_max(a->depth, a->value_depth) : 0);
  s.sums = s.maxima + a->queries;
  s.results = s.sums + a->queries;
  s.count = s.results + (a->output_dtype == MK_F32 ? 0 : a->queries * a->value_depth);
  return s;
}

/// Number of queries processed together in bfloat16.
#define MK_BF16_QUERIES 32

/// A product of `rows` rows and a packed right-hand side, or the description for packing it.
static inline mk_bf16_conv2d mk_attention_product(const mk_attention *a, const void *left, int dtype, ptrdiff_t row_stride, ptrdiff_t rows,
                                                  ptrdiff_t inner, ptrdiff_t columns, float *result, ptrdiff_t result_row_stride) {
  mk_bf16_conv2d d = {.terms = a->terms, .input_dtype = dtype, .input_channel_stride = 1, .portable = a->portable};
  d.conv.input = left;
  d.conv.input_row_stride = row_stride;
  d.conv.height = d.conv.output_height = rows;
  d.conv.width = d.conv.output_width = 1;
  d.conv.output = result;
  d.conv.output_row_stride = result_row_stride;
  d.conv.input_channels = inner;
  d.conv.output_channels = columns;
  d.conv.groups = d.conv.kernel_height = d.conv.kernel_width = 1;
  d.conv.stride_y = d.conv.stride_x = d.conv.dilation_y = d.conv.dilation_x = 1;
  d.conv.epilogue.alpha = 1;
  return d;
}

/// Scratch memory for products in bfloat16: `keys` and `values` are packed, `plane` holds left sides.
typedef struct mk_attention_bf16_scratch {
  ptrdiff_t scores, keys, values, plane, maxima, sums, results, count;
} mk_attention_bf16_scratch;

static inline mk_attention_bf16_scratch mk_attention_bf16_layout(const mk_attention *a) {
  ptrdiff_t block = mk_key_block(a, MK_BF16_PANEL);
  mk_bf16_conv2d queries = mk_attention_product(a, NULL, MK_F32, 0, MK_BF16_QUERIES, a->depth, block, NULL, 0);
  mk_bf16_conv2d weights = mk_attention_product(a, NULL, MK_F32, 0, MK_BF16_QUERIES, block, a->value_depth, NULL, 0);
  ptrdiff_t bytes = mk_max(mk_bf16_plane_bytes(&queries, MK_BF16_QUERIES), mk_bf16_plane_bytes(&weights, MK_BF16_QUERIES));
  mk_attention_bf16_scratch s;
  s.scores = 0;
  s.keys = s.scores + MK_BF16_QUERIES * MK_SCORE_STRIDE;
  s.values = s.keys + mk_bf16_packed_count(a->terms, 1, block, a->depth, 1, 1);
  s.plane = s.values + mk_bf16_packed_count(a->terms, 1, a->value_depth, block, 1, 1);
  s.maxima = s.plane + bytes / 4;
  s.sums = s.maxima + a->queries;
  s.results = s.sums + a->queries;
  s.count = s.results + (a->output_dtype == MK_F32 ? 0 : a->queries * a->value_depth);
  return s;
}

/// Offsets of the parts of the scratch memory for AMX tiles, in floats. A row of a plane has the high parts of all steps, followed by the
/// low parts.
typedef struct mk_attention_amx_scratch {
  ptrdiff_t scores, keys, values, queries, weights, results, maxima, sums, factors, totals, count;
  /// 32-number steps of a query and of a block of keys, and bfloat16 numbers per row of their planes.
  ptrdiff_t depth_steps, key_steps, query_row, weight_row;
  /// Columns of the result, padded to whole panels.
  ptrdiff_t columns;
} mk_attention_amx_scratch;

static inline mk_attention_amx_scratch mk_attention_amx_layout(const mk_attention *a) {
  ptrdiff_t block = mk_key_block(a, MK_BF16_PANEL), parts = mk_bf16_parts(a->terms);
  mk_attention_amx_scratch s;
  s.depth_steps = mk_divide_up(a->depth, MK_BF16_STEPS);
  s.key_steps = block / MK_BF16_STEPS;
  s.columns = mk_divide_up(a->value_depth, MK_BF16_PANEL) * MK_BF16_PANEL;
  // Rows are an odd number of cache lines apart.
  s.query_row = (s.depth_steps * parts | 1) * MK_BF16_STEPS;
  s.weight_row = (s.key_steps * parts | 1) * MK_BF16_STEPS;
  s.scores = 0;
  s.keys = s.scores + MK_BF16_QUERIES * MK_SCORE_STRIDE;
  s.values = s.keys + block * s.depth_steps * MK_BF16_STEPS * parts / 2;
  s.queries = s.values + block * s.columns * parts / 2;
  s.weights = s.queries + MK_BF16_QUERIES * s.query_row / 2;
  s.results = s.weights + MK_BF16_QUERIES * s.weight_row / 2;
  s.maxima = s.results + MK_BF16_QUERIES * MK_BF16_PANEL;
  s.sums = s.maxima + mk_divide_up(a->queries, 16) * 16;
  s.factors = s.sums + mk_divide_up(a->queries, 16) * 16;
  // Sums over the blocks of keys so far, if there are several blocks.
  s.totals = s.factors + MK_BF16_QUERIES;
  s.count = s.totals + (a->keys > block ? a->queries * s.columns : 0);
  return s;
}

#endif
