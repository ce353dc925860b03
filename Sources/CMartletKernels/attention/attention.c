#include "martlet_attention.h"

#include <assert.h>
#include <string.h>

#include "attention_types.h"

/// Scratch memory for exactly these keys.
static ptrdiff_t scratch_count(const mk_attention *attention) {
  ptrdiff_t count = mk_attention_layout(attention, mk_gemm_panel_width()).count;
  if (attention->terms == 0) return count;
  return mk_max(count, mk_max(mk_attention_bf16_layout(attention).count, mk_attention_amx_layout(attention).count));
}

ptrdiff_t mk_attention_scratch_count(const mk_attention *attention) {
  // Fewer keys may form longer blocks: 384 are two of 192, 256 are one. The longest ones have MK_KEY_BLOCK keys.
  mk_attention fewer = *attention;
  ptrdiff_t count = scratch_count(attention);
  fewer.keys = mk_min(attention->keys, MK_KEY_BLOCK);
  count = mk_max(count, scratch_count(&fewer));
  fewer.keys = attention->keys / MK_KEY_BLOCK * MK_KEY_BLOCK;
  return fewer.keys > 0 ? mk_max(count, scratch_count(&fewer)) : count;
}

void mk_attention_f32(const mk_attention *attention, ptrdiff_t row0, ptrdiff_t row1, float *scratch) {
  assert(0 <= row0 && row0 <= row1 && row1 <= attention->queries);
  assert(attention->keys >= 0 && attention->depth >= 0 && attention->value_depth >= 0);
  if (row0 == row1 || attention->value_depth == 0) return;
  const ptrdiff_t size = mk_dtype_size(attention->output_dtype);
  if (attention->keys == 0) {
    for (ptrdiff_t row = row0; row < row1; row++)
      memset((char *)attention->output + row * attention->output_row_stride * size, 0, (size_t)(attention->value_depth * size));
    return;
  }
  const int is_single = attention->query_dtype == MK_F32 && attention->output_dtype == MK_F32;
  if (attention->terms != 0 && (row1 - row0 > 4 || !is_single)) {
    assert(attention->query_dtype == attention->key_dtype && attention->latest_keys == NULL);
#if MK_HAS_X86_LEVELS
    if (!attention->portable && mk_bf16_is_fast()) {
      mk_attention_amx(attention, row0, row1, scratch);
      return;
    }
#endif
    MK_CALL_LEVEL(mk_attention_bf16, attention, row0, row1, scratch);
    return;
  }
  MK_CALL_LEVEL(mk_attention_f32, attention, row0, row1, scratch);
}

ptrdiff_t mk_attention_partial_count(const mk_attention *attention) {
  // Three queries are computed as four.
  return 2 * MK_ATTENTION_ROWS + MK_ATTENTION_ROWS * attention->value_depth;
}

ptrdiff_t mk_attention_stretch_scratch_count(const mk_attention *attention) {
  return MK_ATTENTION_ROWS * (attention->depth + 16);
}

void mk_attention_stretch(const mk_attention *attention, ptrdiff_t key0, ptrdiff_t key1, float *partial, float *scratch) {
  assert(0 < attention->queries && attention->queries <= MK_ATTENTION_ROWS);
  assert(0 <= key0 && key0 <= key1 && key1 <= attention->keys && attention->depth >= 0 && attention->value_depth >= 0);
  MK_CALL_LEVEL(mk_attention_stretch, attention, key0, key1, partial, scratch);
}

void mk_attention_merge(const mk_attention *attention, const float *partials, ptrdiff_t count, ptrdiff_t stride) {
  assert(0 <= count && count <= MK_ATTENTION_STRETCHES);
  MK_CALL_LEVEL(mk_attention_merge, attention, partials, count, stride);
}

void mk_rotary_f32(const float *x, const float *cosines, const float *sines, ptrdiff_t pairs, int interleaved, float *y) {
  assert(pairs >= 0);
  MK_CALL_LEVEL(mk_rotary_f32, x, cosines, sines, pairs, interleaved, y);
}
