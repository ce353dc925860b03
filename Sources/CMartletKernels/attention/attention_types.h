/// What the files of `attention/` share.
#ifndef MARTLET_ATTENTION_TYPES_H
#define MARTLET_ATTENTION_TYPES_H

#include "../gemm/tile_types.h"
#include "martlet_attention.h"

#define MK_DECLARE_ATTENTION_LEVEL(level) \
  void mk_attention_f32_##level(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch);
MK_DECLARE_ATTENTION_LEVEL(portable)
MK_DECLARE_ATTENTION_LEVEL(avx2)
MK_DECLARE_ATTENTION_LEVEL(avx512)

/// Keys of one block: their packed form stays in the L2 cache.
#define MK_KEY_BLOCK 256
/// The distance of rows of scores: odd in cache lines.
#define MK_SCORE_STRIDE (MK_KEY_BLOCK + 16)
/// Rows of scores: at least those of a tile at any level.
#define MK_SCORE_ROWS 16

/// Keys of each block but the last: a multiple of the panel width `width`.
static inline ptrdiff_t mk_key_block(const mk_attention *a, ptrdiff_t width) {
  ptrdiff_t blocks = mk_divide_up(a->keys, MK_KEY_BLOCK);
  return mk_divide_up(mk_divide_up(a->keys, mk_max(blocks, 1)), width) * width;
}

/// Where the parts of the scratch memory begin, in floats.
typedef struct mk_attention_scratch {
  ptrdiff_t scores, keys, values, maxima, sums, count;
} mk_attention_scratch;

static inline mk_attention_scratch mk_attention_layout(const mk_attention *a, ptrdiff_t width) {
  ptrdiff_t block = mk_key_block(a, width), columns = mk_divide_up(a->value_depth, width) * width;
  mk_attention_scratch s;
  s.scores = 0;
  s.keys = s.scores + MK_SCORE_ROWS * MK_SCORE_STRIDE;
  s.values = s.keys + block * a->depth;
  s.maxima = s.values + block * columns;
  s.sums = s.maxima + a->queries;
  s.count = s.sums + a->queries;
  return s;
}

#endif
