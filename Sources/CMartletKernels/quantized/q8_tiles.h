/// The product with tiles, as template text after `q8_finish.h`: rows of the image that the taps meet are copied with their padding,
/// and tiles read their rows of A from there, in place: one run of bytes for each row of the kernel.
///
/// Weights: [group][panel][row of the kernel][4 bytes of the run][column of the panel][byte], runs padded to 64 bytes. Where runs are so
/// short that several fit, as those of a picture's three channels, the rows of the image are merged pixel by pixel, and so are the runs.

/// Slots whose results' places are kept at a time.
#define Q8_SLOTS 2048
/// Bytes of a panel that are asked for ahead of their use where nothing else is worth asking for.
#define Q8_AHEAD 8192

/// Where the rows of A lie that a block of pixels needs: row i's run for kernel row r is at `base + i * slot + offsets[r]`.
typedef struct MK_FN(q8_source) {
  const uint8_t *base;
  ptrdiff_t slot;
  const ptrdiff_t *offsets;
  ptrdiff_t kernel_rows, run;
} MK_FN(q8_source);

/// Memory to ask for while a tile is made, and cache lines of it for each step of 64 bytes.
typedef struct MK_FN(q8_fetch) {
  const int8_t *from;
  ptrdiff_t lines;
} MK_FN(q8_fetch);

/// Pixels of which the results are wanted, in ascending order.
typedef struct MK_FN(q8_block) {
  const mk_q8_conv2d *c;
  /// Number of the first one, counted over all images.
  ptrdiff_t first, count;
  /// Offsets of their results, first column of all, in elements, and the rows of A that make them.
  ptrdiff_t places[Q8_SLOTS];
  int16_t slots[Q8_SLOTS];
} MK_FN(q8_block);

/// A tile whose sums wait to be stored: that is done while the next one's are made, between the products where results
/// are bytes, so that the units for tiles and for vectors are both at work.
typedef struct MK_FN(q8_pending) {
  const MK_FN(q8_block) *block;
  /// Sums of the row in slot 0, as if all rows had some.
  const int32_t *sums, *column_sums;
  /// Number of the next pixel within the block, and pixels that wait.
  ptrdiff_t pixel, pixels;
  /// Number of the first column with and without padding, and columns.
  ptrdiff_t padded, column, columns;
  /// How results become bytes, and what the sums lack.
  int kind;
  MK_FN(q8_columns) requantization;
} MK_FN(q8_pending);

/// Stores rows of up to 16 columns, four at a time.
MK_INLINE void q8_store_narrow(const MK_FN(q8_pending) *t, const int16_t *slots, const ptrdiff_t *places, ptrdiff_t pixels, uint8_t *out,
                               const int kind) {
  MK_FN(q8_columns) c = t->requantization;
  c.scale[1] = c.scale[0];
  c.bias[1] = c.bias[0];
  c.terms[1] = c.terms[0];
  const __mmask16 mask = (__mmask16)((1u << t->columns) - 1);
  for (ptrdiff_t i = 0; i < pixels; i += 4) {
    __m512i v[4];
    for (int j = 0; j < 4; j++) v[j] = _mm512_loadu_si512(t->sums + slots[mk_min(i + j, pixels - 1)] * MK_Q8_PANEL);
    const __m512i bytes = q8_requantize(v, v + 2, &c, kind);
#define Q8_STORE_LANE(j) \
  if (i + j < pixels) _mm_mask_storeu_epi8(out + places[i + j], mask, _mm512_extracti32x4_epi32(bytes, j));
    Q8_STORE_LANE(0)
    Q8_STORE_LANE(1)
    Q8_STORE_LANE(2)
    Q8_STORE_LANE(3)
#undef Q8_STORE_LANE
  }
}

MK_INLINE void q8_store_wide(const MK_FN(q8_pending) *t, const int16_t *slots, const ptrdiff_t *places, ptrdiff_t pixels, uint8_t *out,
                             ptrdiff_t columns, const int kind) {
  const MK_FN(q8_columns) c = t->requantization;
  for (ptrdiff_t i = 0; i < pixels; i += 2) {
    const int pair = i + 1 < pixels;
    q8_store_pair(t->sums + slots[i] * MK_Q8_PANEL, t->sums + slots[pair ? i + 1 : i] * MK_Q8_PANEL, pair, &c, out + places[i],
                  out + places[pair ? i + 1 : i], columns, kind);
  }
}

static void MK_FN(q8_store_reals)(const MK_FN(q8_pending) *t, ptrdiff_t pixels) {
  const MK_FN(q8_block) *b = t->block;
  const mk_q8_epilogue *e = &b->c->epilogue;
  const float *scale = e->scale + t->padded, *bias = e->bias == NULL ? NULL : e->bias + t->padded;
  for (ptrdiff_t i = t->pixel; i < t->pixel + pixels; i++) {
    const ptrdiff_t m = b->first + i;
    const int32_t zero = e->row_zero_point == NULL ? b->c->input_zero_point : e->row_zero_point[m];
    const int32_t *from = t->sums + b->slots[i] * MK_Q8_PANEL;
    int32_t sums[MK_Q8_PANEL];
    for (int j = 0; j < 2; j++)
      _mm512_storeu_si512(sums + 16 * j, _mm512_add_epi32(_mm512_loadu_si512(from + 16 * j), t->requantization.terms[j]));
    q8_store_f32(sums, t->column_sums, zero, e->row_scale == NULL ? 1.0f : e->row_scale[m], scale, bias, e,
                 (float *)b->c->output + b->places[i] + t->column, t->columns);
  }
}

/// Stores the pixels that wait.
static void MK_FN(q8_store)(MK_FN(q8_pending) *t) {
  const MK_FN(q8_block) *b = t->block;
  const ptrdiff_t pixels = t->pixels, *places = b->places + t->pixel;
  const int16_t *slots = b->slots + t->pixel;
  if (b->c->epilogue.output == MK_Q8_TO_F32) {
    MK_FN(q8_store_reals)(t, pixels);
  } else {
    uint8_t *out = (uint8_t *)b->c->output + t->column;
    const int is_narrow = t->columns <= 16;
    switch (t->kind) {
#define Q8_CASE(kind)                                                                                    \
  case kind:                                                                                             \
    if (is_narrow) q8_store_narrow(t, slots, places, pixels, out, kind);                                 \
    else if (t->columns == MK_Q8_PANEL) q8_store_wide(t, slots, places, pixels, out, MK_Q8_PANEL, kind); \
    else q8_store_wide(t, slots, places, pixels, out, t->columns, kind);                                 \
    break;
      Q8_CASE(0)
      Q8_CASE(1)
      Q8_CASE(2)
      Q8_CASE(3)
      Q8_CASE(Q8_EVERYTHING)
#undef Q8_CASE
    }
  }
  t->pixels = 0;
}

/// Stores up to `most` pairs of pixels that wait, of whole panels; what depends on the columns is in registers.
#define Q8_STORE_PAIRS(most)                                                                                            \
  for (ptrdiff_t n = most; stores && n > 0 && next + 1 < end; n--, next += 2)                                           \
    q8_store_pair(waiting + slots[next] * MK_Q8_PANEL, waiting + slots[next + 1] * MK_Q8_PANEL, 1, &columns, out + places[next], \
                  out + places[next + 1], MK_Q8_PANEL, kind);

/// Up to 16, or with `tall` up to 32 rows by 16, or with `wide` 32 columns. Rows up to the next multiple of 16 must be readable; weights
/// beyond a run are zero. With `stores`, pairs of pixels that wait are stored between the products and between the tiles' sums, evenly: the
/// processor looks only so far ahead.
MK_INLINE void q8_tile_run(const MK_FN(q8_source) *s, ptrdiff_t row, const int8_t *b, const int tall, const int wide, const int is_unsigned,
                           const int stores, const int kind, const MK_FN(q8_fetch) *fetch, MK_FN(q8_pending) *pending,
                           int32_t *sums) {
  const ptrdiff_t slot = s->slot, rows = s->kernel_rows, run = s->run;
  const char *ahead = (const char *)fetch->from;
  const ptrdiff_t lines = fetch->lines;
  const MK_FN(q8_columns) columns = pending->requantization;
  const int32_t *waiting = pending->sums;
  const int16_t *slots = pending->block->slots;
  const ptrdiff_t *places = pending->block->places, end = pending->pixel + pending->pixels;
  ptrdiff_t next = pending->pixel;
  uint8_t *out = (uint8_t *)pending->block->c->output + pending->column;
  // Pairs for each product, and for each tile that is stored.
  const ptrdiff_t share = mk_divide_up(MK_Q8_TILE / 2, 4 * rows * (run / 64) + 3);
  _tile_zero(0);
  if (wide) _tile_zero(1);
  if (tall) _tile_zero(2);
  if (tall && wide) _tile_zero(3);
  for (ptrdiff_t r = 0; r < rows; r++) {
    const uint8_t *a = s->base + row * slot + s->offsets[r];
    for (ptrdiff_t k = 0; k < run; k += 64, b += 64 * MK_Q8_PANEL) {
      for (ptrdiff_t i = 0; i < lines; i++, ahead += 64) _mm_prefetch(ahead, _MM_HINT_T1);
      _tile_loadd(4, a + k, slot);
      _tile_loadd(6, b, 4 * MK_Q8_PANEL);
      if (is_unsigned) _tile_dpbusd(0, 4, 6);
      else _tile_dpbssd(0, 4, 6);
      Q8_STORE_PAIRS(share)
      if (wide) {
        _tile_loadd(7, b + 64, 4 * MK_Q8_PANEL);
        if (is_unsigned) _tile_dpbusd(1, 4, 7);
        else _tile_dpbssd(1, 4, 7);
        Q8_STORE_PAIRS(share)
      }
      if (tall) {
        _tile_loadd(5, a + k + 16 * slot, slot);
        if (is_unsigned) _tile_dpbusd(2, 5, 6);
        else _tile_dpbssd(2, 5, 6);
        Q8_STORE_PAIRS(share)
        if (wide) {
          if (is_unsigned) _tile_dpbusd(3, 5, 7);
          else _tile_dpbssd(3, 5, 7);
          Q8_STORE_PAIRS(share)
        }
      }
    }
  }
  _tile_stored(0, sums, 4 * MK_Q8_PANEL);
  Q8_STORE_PAIRS(share)
  if (wide) _tile_stored(1, sums + 16, 4 * MK_Q8_PANEL);
  Q8_STORE_PAIRS(share)
  if (tall) _tile_stored(2, sums + 16 * MK_Q8_PANEL, 4 * MK_Q8_PANEL);
  Q8_STORE_PAIRS(share)
  if (tall && wide) _tile_stored(3, sums + 16 * MK_Q8_PANEL + 16, 4 * MK_Q8_PANEL);
  pending->pixels = end - next;
  pending->pixel = next;
  if (pending->pixels > 0) MK_FN(q8_store)(pending);
}
#undef Q8_STORE_PAIRS

static void MK_FN(q8_tile)(const MK_FN(q8_source) *s, ptrdiff_t row, const int8_t *b, int tall, int wide, int is_unsigned,
                           const MK_FN(q8_fetch) *fetch, MK_FN(q8_pending) *pending, int32_t *sums) {
  const int stores = tall && wide && pending->pixels > 1 && pending->columns == MK_Q8_PANEL && !(pending->kind & Q8_LARGE) &&
                     pending->block->c->epilogue.output != MK_Q8_TO_F32;
  if (stores) {
    switch (pending->kind | (is_unsigned != 0) << 2) {
#define Q8_CASE(n) \
  case n: q8_tile_run(s, row, b, 1, 1, n >> 2, 1, n & 3, fetch, pending, sums); return;
      Q8_CASE(0) Q8_CASE(1) Q8_CASE(2) Q8_CASE(3) Q8_CASE(4) Q8_CASE(5) Q8_CASE(6) Q8_CASE(7)
#undef Q8_CASE
    }
  }
  switch (tall | wide << 1 | is_unsigned << 2) {
#define Q8_CASE(n) \
  case n: q8_tile_run(s, row, b, n & 1, n >> 1 & 1, n >> 2, 0, 0, fetch, pending, sums); break;
    Q8_CASE(0) Q8_CASE(1) Q8_CASE(2) Q8_CASE(3) Q8_CASE(4) Q8_CASE(5) Q8_CASE(6) Q8_CASE(7)
#undef Q8_CASE
  }
}

/// What all tiles of a call share.
typedef struct MK_FN(q8_call) {
  const mk_q8_conv2d *c;
  /// Panels of a group, bytes of a panel, and the columns' sums.
  ptrdiff_t panels, panel_bytes;
  const int32_t *column_sums;
  /// Sums of two tiles.
  int32_t *sums[2];
} MK_FN(q8_call);

/// Passes panels `panel0` ..< `panel1`, all of one group, by a block's rows of A: the first `direct_rows` from one source, the rest, if
/// any, from another.
static void MK_FN(q8_panels)(const MK_FN(q8_call) *call, const MK_FN(q8_block) *block, const MK_FN(q8_source) *direct, ptrdiff_t direct_rows,
                             const MK_FN(q8_source) *rest, ptrdiff_t panel0, ptrdiff_t panel1) {
  const mk_q8_conv2d *c = call->c;
  const ptrdiff_t group = panel0 / call->panels, rows = block->slots[block->count - 1] + 1;
  const ptrdiff_t tiles = mk_divide_up(rows, MK_Q8_TILE), steps = call->panel_bytes / (64 * MK_Q8_PANEL);
  MK_FN(q8_pending) pending = {.block = block};
  int turn = 0;
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const int8_t *weights = c->weights + panel * call->panel_bytes;
    const int32_t *column_sums = call->column_sums + panel * MK_Q8_PANEL;
    const ptrdiff_t column = (panel - group * call->panels) * MK_Q8_PANEL;
    const ptrdiff_t columns = mk_min(MK_Q8_PANEL, c->output_channels - column);
    // With few tiles, weights come from memory: the next panel is asked for a part at a time.
    const int waits = tiles <= 8;
    const ptrdiff_t lines = mk_divide_up(32, tiles);
    ptrdiff_t pixel = 0;
    for (ptrdiff_t row = 0, tile = 0; row < rows; row += MK_Q8_TILE, tile++) {
      const MK_FN(q8_source) *source = row < direct_rows ? direct : rest;
      MK_FN(q8_fetch) fetch = {weights, 0};
      if (waits) {
        fetch.lines = lines;
        fetch.from = tiles == 1 ? weights + Q8_AHEAD : weights + call->panel_bytes + tile * steps * lines * 64;
      }
      int32_t *sums = call->sums[turn];
      turn ^= 1;
      MK_FN(q8_tile)(source, row, weights, rows - row > 16, columns > 16, c->input_is_unsigned != 0, &fetch, &pending, sums);
      ptrdiff_t end = mk_min(pixel + MK_Q8_TILE, block->count);
      while (end > pixel && block->slots[end - 1] >= row + MK_Q8_TILE) end--;
      pending.sums = sums - row * MK_Q8_PANEL;
      pending.column_sums = column_sums;
      pending.pixel = pixel;
      pending.pixels = end - pixel;
      if (tile == 0) {
        const mk_q8_epilogue *e = &c->epilogue;
        pending.padded = panel * MK_Q8_PANEL;
        pending.column = group * c->output_channels + column;
        pending.columns = columns;
        // Rows with zero points of their own, and float32 results, take those off later.
        const int32_t zero = e->output == MK_Q8_TO_F32 ? 0 : c->input_zero_point;
        pending.requantization = q8_columns(e->scale + pending.padded, e->bias == NULL ? NULL : e->bias + pending.padded, e);
        for (int j = 0; j < 2; j++) {
          const __m512i term = e->sum_bias == NULL ? _mm512_setzero_si512() : _mm512_loadu_si512(e->sum_bias + pending.padded + 16 * j);
          const __m512i excess = _mm512_mullo_epi32(_mm512_set1_epi32(zero), _mm512_loadu_si512(column_sums + 16 * j));
          pending.requantization.terms[j] = _mm512_sub_epi32(term, excess);
        }
        pending.kind = q8_kind(&pending.requantization, e);
      }
      pixel = end;
    }
  }
  MK_FN(q8_store)(&pending);
}

/// Row `row` of the image with its padding, `columns` pixels.
MK_INLINE void q8_fill_row(const mk_q8_conv2d *c, const uint8_t *image, ptrdiff_t row, ptrdiff_t columns, uint8_t *to) {
  const ptrdiff_t channels = c->input_channels, pixel = c->input_pixel_stride, left = mk_min(c->pad_left, columns);
  const ptrdiff_t inside = mk_max(0, mk_min(c->width, columns - left));
  if (row < 0 || row >= c->height) {
    q8_fill(to, c->input_zero_point, columns * channels, c->input_is_unsigned);
    return;
  }
  const uint8_t *from = image + row * c->input_row_stride;
  q8_fill(to, c->input_zero_point, left * channels, c->input_is_unsigned);
  if (pixel == channels) memcpy(to + left * channels, from, (size_t)(inside * channels));
  else for (ptrdiff_t x = 0; x < inside; x++) q8_copy(to + (left + x) * channels, from + x * pixel, channels, c->input_is_unsigned);
  q8_fill(to + (left + inside) * channels, c->input_zero_point, (columns - left - inside) * channels, c->input_is_unsigned);
}

/// How rows are merged, pixel by pixel: so many at a time, in which order.
typedef struct MK_FN(q8_merge) {
  ptrdiff_t rows, channels, pixels;
  __m512i order;
} MK_FN(q8_merge);

MK_INLINE MK_FN(q8_merge) q8_merge_of(ptrdiff_t rows, ptrdiff_t channels) {
  MK_FN(q8_merge) merge = {rows, channels, mk_min(32 / channels, 64 / (rows * channels)), _mm512_setzero_si512()};
  uint8_t order[64] = {0};
  for (ptrdiff_t x = 0, n = 0; x < merge.pixels; x++)
    for (ptrdiff_t row = 0; row < rows; row++)
      for (ptrdiff_t i = 0; i < channels; i++) order[n++] = (uint8_t)(row * 32 + x * channels + i);
  merge.order = _mm512_loadu_si512(order);
  return merge;
}

/// Merges rows of `columns` pixels, `step` bytes apart. Reads up to 32 bytes beyond the rows.
MK_INLINE void q8_merge_rows(const MK_FN(q8_merge) *merge, const uint8_t *from, ptrdiff_t step, ptrdiff_t columns, uint8_t *to) {
  const ptrdiff_t rows = merge->rows, pixels = merge->pixels, bytes = pixels * merge->channels;
  const __m512i order = merge->order;
  // Rows that are not there are never picked.
  const uint8_t *second = from + step, *third = rows > 2 ? second + step : from, *fourth = rows > 3 ? third + step : from;
  ptrdiff_t at = 0;
#define Q8_PAIR(a, b) \
  _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(a + at))), _mm256_loadu_si256((const __m256i *)(b + at)), 1)
#define Q8_MERGED _mm512_permutex2var_epi8(Q8_PAIR(from, second), order, Q8_PAIR(third, fourth))
  // What is written beyond the pixels of one step, the next one overwrites.
  for (ptrdiff_t x = pixels; x < columns; x += pixels, at += bytes) _mm512_storeu_si512(to + at * rows, Q8_MERGED);
  _mm512_mask_storeu_epi8(to + at * rows, q8_mask((columns * merge->channels - at) * rows), Q8_MERGED);
#undef Q8_MERGED
#undef Q8_PAIR
}

/// Images in a block of `rows` output rows: where `rows` rows of padded input lie. Rows are kept by their number modulo the stride, so
/// that those of neighbouring output rows follow one another.
MK_INLINE void q8_fill_plane(const mk_q8_conv2d *c, const mk_q8_plane *p, const uint8_t *image, ptrdiff_t y0, ptrdiff_t rows,
                             uint8_t *plane) {
  const ptrdiff_t channels = c->input_channels, top = y0 * c->stride_y - c->pad_top, merged = p->merged;
  const ptrdiff_t columns = p->pitch / (channels * merged), needed = mk_q8_plane_rows(c, merged, rows), plain = columns * channels;
  uint8_t *before = plane + p->merged_bytes;
  MK_FN(q8_merge) merge = {0};
  if (merged > 1) {
    merge = q8_merge_of(merged, channels);
    for (ptrdiff_t r = 0; r < needed + (merged - 1) * c->dilation_y; r++) q8_fill_row(c, image, top + r, columns, before + r * plain);
  }
  // Some phases meet no run.
  uint64_t phases = c->stride_y > 64 ? ~UINT64_C(0) : 0;
  for (ptrdiff_t i = 0; phases != ~UINT64_C(0) && i < c->kernel_height; i += merged)
    phases |= UINT64_C(1) << (i * c->dilation_y % c->stride_y);
  for (ptrdiff_t r = 0; r < needed; r++) {
    const ptrdiff_t phase = r % c->stride_y;
    if (phase < 64 && (phases >> phase & 1) == 0) continue;
    uint8_t *to = plane + (phase * p->phase_rows + r / c->stride_y) * p->pitch;
    if (merged > 1) q8_merge_rows(&merge, before + r * plain, c->dilation_y * plain, columns, to);
    else q8_fill_row(c, image, top + r, columns, to);
  }
}

/// A convolution whose tiles read padded rows in place.
static void MK_FN(q8_conv2d_planes)(const MK_FN(q8_call) *call, const mk_q8_plane *p, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0,
                                    ptrdiff_t panel1, uint8_t *plane) {
  const mk_q8_conv2d *c = call->c;
  const ptrdiff_t width = c->output_width, height = c->output_height, merged = p->merged;
  const ptrdiff_t slot = c->stride_x * c->input_channels * merged, runs = mk_divide_up(c->kernel_height, merged);
  ptrdiff_t offsets[MK_Q8_PLANE_KERNEL];
  for (ptrdiff_t i = 0; i < runs; i++) {
    const ptrdiff_t row = i * merged * c->dilation_y;
    offsets[i] = (row % c->stride_y * p->phase_rows + row / c->stride_y) * p->pitch;
  }
  const MK_FN(q8_source) source = {plane, slot, offsets, runs, mk_round_up(merged * c->kernel_width * c->input_channels, 64)};
  MK_FN(q8_block) block;
  block.c = c;
  for (ptrdiff_t first = pixel0; first < pixel1;) {
    const ptrdiff_t line = first / width, image = line / height, y0 = line - image * height;
    const ptrdiff_t rows = mk_min(mk_min(p->rows, height - y0), mk_divide_up(pixel1 - line * width, width));
    block.first = first;
    block.count = 0;
    for (ptrdiff_t y = 0; y < rows; y++) {
      const ptrdiff_t x0 = mk_max(0, first - (line + y) * width), x1 = mk_min(width, pixel1 - (line + y) * width);
      const ptrdiff_t place = image * c->output_image_stride + (y0 + y) * c->output_row_stride + x0 * c->output_pixel_stride;
      // Through pointers of their own, the loop is done in vectors.
      ptrdiff_t *places = block.places + block.count;
      int16_t *slots = block.slots + block.count;
      const ptrdiff_t slot0 = y * p->slots + x0, step = c->output_pixel_stride, count = x1 - x0;
      for (ptrdiff_t x = 0; x < count; x++) {
        places[x] = place + x * step;
        slots[x] = (int16_t)(slot0 + x);
      }
      block.count += count;
    }
    for (ptrdiff_t panel = panel0; panel < panel1;) {
      const ptrdiff_t group = panel / call->panels, last = mk_min(panel1, (group + 1) * call->panels);
      const uint8_t *input = (const uint8_t *)c->input + image * c->input_image_stride + group * c->input_channels;
      q8_fill_plane(c, p, input, y0, rows, plane);
      MK_FN(q8_panels)(call, &block, &source, PTRDIFF_MAX, &source, panel, last);
      panel = last;
    }
    first += block.count;
  }
}

/// Gathers the inputs of an output pixel in the order of merged runs.
MK_INLINE void q8_gather_merged(const mk_q8_conv2d *c, const uint8_t *image, ptrdiff_t y, ptrdiff_t x, ptrdiff_t merged, uint8_t *to) {
  // Two rows at least fit 64 bytes.
  uint8_t plain[MK_Q8_PLANE_KERNEL * 32];
  const ptrdiff_t channels = c->input_channels, width = c->kernel_width;
  q8_gather(c, image, y, x, width * channels, plain);
  for (ptrdiff_t i = 0; i < c->kernel_height; i++)
    for (ptrdiff_t j = 0; j < width; j++)
      memcpy(to + i / merged * 64 + (j * merged + i % merged) * channels, plain + (i * width + j) * channels, (size_t)channels);
}

/// Any other convolution: inputs of a pixel are gathered, where they do not lie side by side already.
static void MK_FN(q8_conv2d_rows)(const MK_FN(q8_call) *call, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1,
                                  uint8_t *rows) {
  const mk_q8_conv2d *c = call->c;
  // All taps of a gathered row follow one another, each row of the kernel, or some merged, in a run of its own.
  const ptrdiff_t merged = mk_q8_merged_rows(c->kernel_height, c->kernel_width, c->input_channels);
  const ptrdiff_t run = mk_round_up(merged * c->kernel_width * c->input_channels, 64), padded_k = mk_divide_up(c->kernel_height, merged) * run;
  const ptrdiff_t block_rows = mk_q8_block_rows(padded_k, 1, pixel1 - pixel0), plane = c->output_height * c->output_width;
  static const ptrdiff_t none = 0;
  // Pixels that make plain rows of a matrix are read in place, as far as no tile reads beyond the last of them.
  const int flat = c->kernel_height == 1 && c->kernel_width == 1 && c->stride_y == 1 && c->stride_x == 1 && c->pad_top == 0 &&
                   c->pad_left == 0 && c->output_height == c->height && c->output_width == c->width &&
                   (c->height == 1 || c->input_row_stride == c->width * c->input_pixel_stride) &&
                   (c->images == 1 || c->input_image_stride == plane * c->input_pixel_stride);
  const MK_FN(q8_source) gathered = {rows, padded_k, &none, 1, padded_k};
  MK_FN(q8_block) block;
  block.c = c;
  for (ptrdiff_t i = 0; i < MK_Q8_BLOCK_ROWS; i++) block.slots[i] = (int16_t)i;
  for (ptrdiff_t first = pixel0; first < pixel1; first += block_rows) {
    const ptrdiff_t count = mk_min(block_rows, pixel1 - first);
    const ptrdiff_t image0 = first / plane, y0 = first % plane / c->output_width, x0 = first % c->output_width;
    block.first = first;
    block.count = count;
    for (ptrdiff_t i = 0, image = image0, y = y0, x = x0; i < count;) {
      const ptrdiff_t place = image * c->output_image_stride + y * c->output_row_stride, some = mk_min(count - i, c->output_width - x);
      for (ptrdiff_t j = 0; j < some; j++) block.places[i + j] = place + (x + j) * c->output_pixel_stride;
      i += some;
      x = 0;
      if (++y == c->output_height) y = 0, image++;
    }
    for (ptrdiff_t panel = panel0; panel < panel1;) {
      const ptrdiff_t group = panel / call->panels, last = mk_min(panel1, (group + 1) * call->panels);
      const uint8_t *input = (const uint8_t *)c->input + group * c->input_channels;
      ptrdiff_t in_place = 0;
      if (flat) {
        ptrdiff_t readable = (c->images * plane - 1) * c->input_pixel_stride + c->input_channels - padded_k;
        ptrdiff_t fitting = readable < 0 ? 0 : readable / c->input_pixel_stride + 1 - first;
        in_place = mk_max(0, mk_min(fitting, mk_round_up(count, MK_Q8_TILE))) / MK_Q8_TILE * MK_Q8_TILE;
      }
      const MK_FN(q8_source) direct = {input + first * c->input_pixel_stride, c->input_pixel_stride, &none, 1, padded_k};
      for (ptrdiff_t i = in_place; i < count; i++) {
        const ptrdiff_t pixel = first + i, image = pixel / plane;
        const ptrdiff_t y = pixel % plane / c->output_width, x = pixel % c->output_width;
        if (merged > 1) q8_gather_merged(c, input + image * c->input_image_stride, y, x, merged, rows + i * padded_k);
        else q8_gather(c, input + image * c->input_image_stride, y, x, run, rows + i * padded_k);
      }
      MK_FN(q8_panels)(call, &block, &direct, in_place, &gathered, panel, last);
      panel = last;
    }
  }
}

void MK_FN(mk_q8_conv2d)(const mk_q8_conv2d *c, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch) {
  const ptrdiff_t panels = mk_divide_up(c->output_channels, MK_Q8_PANEL);
  const ptrdiff_t panel_bytes = mk_q8_padded_steps(MK_Q8_AMX, c->kernel_height, c->kernel_width, c->input_channels) * MK_Q8_PANEL;
  int32_t sums[2][MK_Q8_TILE * MK_Q8_PANEL] __attribute__((aligned(64)));
  const MK_FN(q8_call) call = {
    c, panels, panel_bytes, (const int32_t *)(const void *)(c->weights + c->groups * panels * panel_bytes), {sums[0], sums[1]},
  };
  if (pixel0 >= pixel1 || panel0 >= panel1) return;
  const mk_tile_configuration configuration = mk_tile_configuration_of(16);
  _tile_loadconfig(&configuration);
  const mk_q8_plane plane = mk_q8_plane_of(c, pixel1 - pixel0);
  if (plane.rows > 0) MK_FN(q8_conv2d_planes)(&call, &plane, pixel0, pixel1, panel0, panel1, scratch);
  else MK_FN(q8_conv2d_rows)(&call, pixel0, pixel1, panel0, panel1, scratch);
  _tile_release();
}
