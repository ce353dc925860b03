/// Attention of one level, as template text after `gemm/vector_math.h` and `gemm/tile.h`.

/// Keys of the block at `key0` of `keys` keys that query `row` sees.
static inline ptrdiff_t MK_FN(visible)(const mk_attention *a, ptrdiff_t row, ptrdiff_t key0, ptrdiff_t keys) {
  return a->causal ? mk_max(0, mk_min(keys, row + a->causal_offset + 1 - key0)) : keys;
}

/// Turns `visible` scores into e^(score - maximum), followed by zeros up to `keys`, joining them to the row's maximum and sum so
/// far. Returns the factor for what was accumulated under the old maximum.
static float MK_FN(softmax_block)(float *scores, ptrdiff_t visible, ptrdiff_t keys, float *maximum, float *sum) {
  const float lowest = -__builtin_inff();
  vec highest = vec_splat(lowest);
  ptrdiff_t j = 0;
  for (; j + LANES <= visible; j += LANES) highest = vec_at_least(highest, vec_load(scores + j));
  float now = *maximum;
  for (; j < visible; j++) now = scores[j] > now ? scores[j] : now;
  for (int i = 0; i < LANES; i++) now = highest[i] > now ? highest[i] : now;
  // With no finite score yet every exponential is to be 0, not NaN.
  float shift = now == lowest ? 0.0f : now;
  vec total = vec_splat(0.0f);
  for (j = 0; j + LANES <= visible; j += LANES) {
    vec e = vec_exp_nonpositive(vec_load(scores + j) - shift);
    vec_store(scores + j, e);
    total += e;
  }
  if (j < visible) {
    vec e = vec_exp_nonpositive(vec_load_first(scores + j, visible - j) - shift);
    float lanes[LANES];
    vec_store(lanes, e);
    for (ptrdiff_t i = visible - j; i < LANES; i++) lanes[i] = 0;
    total += vec_load(lanes);
    vec_store_first(scores + j, e, visible - j);
  }
  for (j = visible; j < keys; j++) scores[j] = 0;
  float factor = *maximum == now ? 1.0f : vec_exp_nonpositive(vec_splat(*maximum - shift))[0];
  *maximum = now;
  *sum = *sum * factor + vec_sum(total);
  return factor;
}

static void MK_FN(scale_row)(float *row, ptrdiff_t count, float factor) {
  for (ptrdiff_t i = 0; i < count; i++) row[i] *= factor;
}

/// `count` <= 4 vectors of the output row: the sum of `weights[j]` times row j of V, added to the present values unless `first`.
MK_INLINE void add_values(const float *weights, const float *v, ptrdiff_t row_stride, ptrdiff_t keys, const int count, ptrdiff_t lanes,
                          int first, float *output) {
  vec sums[4];
  UNROLL for (int i = 0; i < count; i++) {
    sums[i] = vec_splat(0.0f);
    if (!first) sums[i] = lanes == LANES ? vec_load(output + i * LANES) : vec_load_first(output + i * LANES, lanes);
  }
  for (ptrdiff_t j = 0; j < keys; j++) {
    const float *row = v + j * row_stride;
    vec weight = vec_splat(weights[j]);
    UNROLL for (int i = 0; i < count; i++)
      sums[i] = weight * (lanes == LANES ? vec_load(row + i * LANES) : vec_load_first(row + i * LANES, lanes)) + sums[i];
  }
  UNROLL for (int i = 0; i < count; i++) {
    if (lanes == LANES) vec_store(output + i * LANES, sums[i]);
    else vec_store_first(output + i * LANES, sums[i], lanes);
  }
}

/// Products of one query with `LANES` keys (of which `keys` exist), all in registers.
MK_INLINE vec key_products(const float *q, const float *k, ptrdiff_t row_stride, ptrdiff_t depth, ptrdiff_t keys) {
  vec sums[LANES];
  UNROLL for (int i = 0; i < LANES; i++) sums[i] = vec_splat(0.0f);
  ptrdiff_t d = 0;
  if (keys == LANES) {
    for (; d + LANES <= depth; d += LANES) {
      vec query = vec_load(q + d);
      UNROLL for (int i = 0; i < LANES; i++) sums[i] = query * vec_load(k + i * row_stride + d) + sums[i];
    }
  } else {
    for (ptrdiff_t i = 0; i < keys; i++)
      for (ptrdiff_t c = 0; c + LANES <= depth; c += LANES) sums[i] = vec_load(q + c) * vec_load(k + i * row_stride + c) + sums[i];
    d = depth / LANES * LANES;
  }
  if (d < depth) {
    vec query = vec_load_first(q + d, depth - d);
    for (ptrdiff_t i = 0; i < keys; i++) sums[i] = query * vec_load_first(k + i * row_stride + d, depth - d) + sums[i];
  }
  vec_transpose(sums);
  vec total = vec_splat(0.0f);
  UNROLL for (int i = 0; i < LANES; i++) total += sums[i];
  return total;
}

/// The block of keys at `key0` for one query, with K and V in place.
static void MK_FN(attend_in_place)(const mk_attention *a, ptrdiff_t row, ptrdiff_t key0, ptrdiff_t keys, float *scores, float *maximum,
                                   float *sum) {
  ptrdiff_t visible = MK_FN(visible)(a, row, key0, keys);
  if (visible == 0 && key0 > 0) return;
  const float *q = a->q + row * a->q_row_stride, *k = a->k + key0 * a->k_row_stride;
  const float *mask = a->mask == NULL ? NULL : a->mask + row * a->mask_row_stride + key0;
  for (ptrdiff_t j = 0; j < visible; j += LANES) {
    ptrdiff_t count = mk_min(LANES, visible - j);
    vec s = key_products(q, k + j * a->k_row_stride, a->k_row_stride, a->depth, count) * a->scale;
    if (mask != NULL) s += vec_load_first(mask + j, count);
    vec_store(scores + j, s);
  }
  float factor = MK_FN(softmax_block)(scores, visible, visible, maximum, sum);
  float *output = a->output + row * a->output_row_stride;
  int first = key0 == 0;
  if (!first && factor != 1.0f) MK_FN(scale_row)(output, a->value_depth, factor);
  const float *v = a->v + key0 * a->v_row_stride;
  ptrdiff_t c = 0;
  for (; c + 4 * LANES <= a->value_depth; c += 4 * LANES) add_values(scores, v + c, a->v_row_stride, visible, 4, LANES, first, output + c);
  for (; c < a->value_depth; c += LANES)
    add_values(scores, v + c, a->v_row_stride, visible, 1, mk_min(LANES, a->value_depth - c), first, output + c);
}

/// The block of keys at `key0` for `rows` <= `MR` queries from `row` on, with K and V packed.
static void MK_FN(attend_tile)(const mk_attention *a, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t key0, ptrdiff_t keys, const float *packed_k,
                               const float *packed_v, float *scores, float *maxima, float *sums) {
  static const ptrdiff_t no_offset = 0;
  // The last query sees most.
  ptrdiff_t visible = MK_FN(visible)(a, row + rows - 1, key0, keys);
  if (visible == 0 && key0 > 0) return;
  mk_epilogue scaled = {.alpha = a->scale, .residual_row_stride = a->mask_row_stride};
  mk_tile t = {
    .a = a->q + row * a->q_row_stride,
    .a_row_stride = a->q_row_stride,
    .a_k_stride = 1,
    .tap_offsets = &no_offset,
    .tap_count = 1,
    .k = a->depth,
    .b_k_stride = NR,
    .prefetch = packed_k,
    .c_row_stride = MK_SCORE_STRIDE,
    .finish = 1,
    .epilogue = &scaled,
  };
  for (ptrdiff_t j = 0; j < visible; j += NR) {
    t.b = packed_k + j * a->depth;
    t.c = scores + j;
    t.columns = mk_min(NR, keys - j);
    t.residual = a->mask == NULL ? NULL : a->mask + row * a->mask_row_stride + key0 + j;
    MK_FN(mk_tiles).tile[rows][t.columns > LANES](&t);
  }
  float *output = a->output + row * a->output_row_stride;
  for (ptrdiff_t i = 0; i < rows; i++) {
    ptrdiff_t seen = MK_FN(visible)(a, row + i, key0, keys);
    float factor = MK_FN(softmax_block)(scores + i * MK_SCORE_STRIDE, seen, visible, &maxima[i], &sums[i]);
    if (key0 > 0 && factor != 1.0f) MK_FN(scale_row)(output + i * a->output_row_stride, a->value_depth, factor);
  }
  t.a = scores;
  t.a_row_stride = MK_SCORE_STRIDE;
  t.k = visible;
  t.c_row_stride = a->output_row_stride;
  t.load_c = key0 > 0;
  t.finish = 0;
  t.residual = NULL;
  for (ptrdiff_t c = 0; c < a->value_depth; c += NR) {
    t.b = packed_v + c * keys;
    t.c = output + c;
    t.columns = mk_min(NR, a->value_depth - c);
    MK_FN(mk_tiles).tile[rows][t.columns > LANES](&t);
  }
}

void MK_FN(mk_attention_f32)(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch) {
  mk_attention_scratch at = mk_attention_layout(a, NR);
  float *scores = scratch + at.scores, *packed_k = scratch + at.keys, *packed_v = scratch + at.values;
  float *maxima = scratch + at.maxima, *sums = scratch + at.sums;
  ptrdiff_t count = row1 - row0, block = mk_key_block(a, NR);
  for (ptrdiff_t i = 0; i < count; i++) {
    maxima[i] = -__builtin_inff();
    sums[i] = 0;
  }
  ptrdiff_t tiles = mk_divide_up(count, MR), least = count / tiles, longer = count % tiles;
  // Keys that no query of the range sees are left out.
  ptrdiff_t end = MK_FN(visible)(a, row1 - 1, 0, a->keys);
  for (ptrdiff_t key0 = 0; key0 < mk_max(end, 1); key0 += block) {
    ptrdiff_t keys = mk_min(block, a->keys - key0);
    if (count <= 4) {
      for (ptrdiff_t i = 0; i < count; i++) MK_FN(attend_in_place)(a, row0 + i, key0, keys, scores, &maxima[i], &sums[i]);
      continue;
    }
    for (ptrdiff_t j = 0; j < keys; j += NR)
      MK_FN(mk_pack_panel)(a->k + (key0 + j) * a->k_row_stride, MK_F32, 1, a->k_row_stride, a->depth, mk_min(NR, keys - j), NULL,
                           packed_k + j * a->depth);
    for (ptrdiff_t c = 0; c < a->value_depth; c += NR)
      MK_FN(mk_pack_panel)(a->v + key0 * a->v_row_stride + c, MK_F32, a->v_row_stride, 1, keys, mk_min(NR, a->value_depth - c), NULL,
                           packed_v + c * keys);
    for (ptrdiff_t i = 0, row = row0; i < tiles; i++) {
      ptrdiff_t rows = least + (i < longer);
      MK_FN(attend_tile)(a, row, rows, key0, keys, packed_k, packed_v, scores, &maxima[row - row0], &sums[row - row0]);
      row += rows;
    }
  }
  for (ptrdiff_t i = 0; i < count; i++) {
    // Only without a finite score is the sum 0: the greatest score adds 1.
    float factor = sums[i] == 0 && a->hidden_is_zero ? 0.0f : 1.0f / sums[i];
    MK_FN(scale_row)(a->output + (row0 + i) * a->output_row_stride, a->value_depth, factor);
  }
}

/// The block of keys at `key0` for `rows` <= `MK_BF16_QUERIES` queries from `row` on, with K and V packed as bfloat16.
static void MK_FN(attend_bf16)(const mk_attention *a, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t key0, ptrdiff_t keys, float *packed_k,
                               float *packed_v, void *plane, float *scores, float *maxima, float *sums, float *output,
                               ptrdiff_t output_stride) {
  // The last query sees most.
  ptrdiff_t visible = MK_FN(visible)(a, row + rows - 1, key0, keys);
  if (visible == 0 && key0 > 0) return;
  const char *q = (const char *)a->q + row * a->q_row_stride * mk_dtype_size(a->input_dtype);
  mk_bf16_conv2d d = mk_attention_product(a, q, a->input_dtype, a->q_row_stride, rows, a->depth, keys, scores,
                                          MK_SCORE_STRIDE);
  d.conv.weights = packed_k;
  d.conv.epilogue.alpha = a->scale;
  if (a->mask != NULL) {
    d.conv.epilogue.residual = a->mask + row * a->mask_row_stride + key0;
    d.conv.residual_row_stride = a->mask_row_stride;
  }
  mk_bf16_prepare(&d, 0, 0, rows, 0, rows, plane);
  mk_bf16_conv2d_run(&d, 0, 0, rows, plane, 0, rows, 0, mk_divide_up(visible, MK_BF16_PANEL));
  for (ptrdiff_t i = 0; i < rows; i++) {
    ptrdiff_t seen = MK_FN(visible)(a, row + i, key0, keys);
    float factor = MK_FN(softmax_block)(scores + i * MK_SCORE_STRIDE, seen, keys, &maxima[i], &sums[i]);
    if (key0 > 0 && factor != 1.0f) MK_FN(scale_row)(output + i * output_stride, a->value_depth, factor);
  }
  d = mk_attention_product(a, scores, MK_F32, MK_SCORE_STRIDE, rows, keys, a->value_depth, output, output_stride);
  d.conv.weights = packed_v;
  if (key0 > 0) {
    d.conv.epilogue.residual = output;
    d.conv.residual_row_stride = output_stride;
  }
  mk_bf16_prepare(&d, 0, 0, rows, 0, rows, plane);
  mk_bf16_conv2d_run(&d, 0, 0, rows, plane, 0, rows, 0, mk_divide_up(a->value_depth, MK_BF16_PANEL));
}

void MK_FN(mk_attention_bf16)(const mk_attention *a, ptrdiff_t row0, ptrdiff_t row1, float *scratch) {
  mk_attention_bf16_scratch at = mk_attention_bf16_layout(a);
  float *scores = scratch + at.scores, *packed_k = scratch + at.keys, *packed_v = scratch + at.values;
  float *maxima = scratch + at.maxima, *sums = scratch + at.sums;
  ptrdiff_t count = row1 - row0, block = mk_key_block(a, MK_BF16_PANEL), size = mk_dtype_size(a->input_dtype);
  const char *k = (const char *)a->k, *v = (const char *)a->v;
  // Sums in single precision: the output itself, or memory of their own.
  const int is_direct = a->output_dtype == MK_F32;
  float *output = is_direct ? a->output + row0 * a->output_row_stride : scratch + at.results;
  const ptrdiff_t output_stride = is_direct ? a->output_row_stride : a->value_depth;
  for (ptrdiff_t i = 0; i < count; i++) {
    maxima[i] = -__builtin_inff();
    sums[i] = 0;
  }
  // Keys that no query of the range sees are left out.
  ptrdiff_t end = MK_FN(visible)(a, row1 - 1, 0, a->keys);
  for (ptrdiff_t key0 = 0; key0 < mk_max(end, 1); key0 += block) {
    ptrdiff_t keys = mk_min(block, a->keys - key0);
    mk_bf16_pack_weights(a->terms, k + key0 * a->k_row_stride * size, a->input_dtype, a->k_row_stride, 1, 0, 0, 1, keys, a->depth, 1, 1, 0,
                         mk_divide_up(keys, MK_BF16_PANEL), packed_k);
    mk_bf16_pack_weights(a->terms, v + key0 * a->v_row_stride * size, a->input_dtype, 1, a->v_row_stride, 0, 0, 1, a->value_depth, keys,
                         1, 1, 0,
                         mk_divide_up(a->value_depth, MK_BF16_PANEL), packed_v);
    for (ptrdiff_t row = row0; row < row1; row += MK_BF16_QUERIES) {
      ptrdiff_t rows = mk_min(MK_BF16_QUERIES, row1 - row);
      MK_FN(attend_bf16)(a, row, rows, key0, keys, packed_k, packed_v, scratch + at.plane, scores, &maxima[row - row0], &sums[row - row0],
                         output + (row - row0) * output_stride, output_stride);
    }
  }
  for (ptrdiff_t i = 0; i < count; i++) {
    float factor = sums[i] == 0 && a->hidden_is_zero ? 0.0f : 1.0f / sums[i];
    MK_FN(scale_row)(output + i * output_stride, a->value_depth, factor);
    for (ptrdiff_t c = 0; !is_direct && c < a->value_depth; c += LANES) {
      ptrdiff_t lanes = mk_min(LANES, a->value_depth - c);
      vec_store_first_as(a->output, (row0 + i) * a->output_row_stride + c, vec_load_first(output + i * output_stride + c, lanes), lanes,
                         a->output_dtype);
    }
  }
}
