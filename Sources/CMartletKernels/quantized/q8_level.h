/// The product of one level, as template text after its `q8_tile`: blocks of rows are gathered, then every panel passes by them.

/// The rows that tiles are made of.
typedef struct MK_FN(q8_block) {
  const mk_q8_conv2d *c;
  /// Offsets of the rows' results, first column of all, in elements.
  const ptrdiff_t *places;
  /// First row, counted over all images.
  ptrdiff_t first;
} MK_FN(q8_block);

/// A tile whose sums wait to be stored: that is done while the next one's are made.
typedef struct MK_FN(q8_pending) {
  const int32_t *sums, *column_sums;
  /// First row of the block, and rows; none wait if that is 0.
  ptrdiff_t row, rows;
  /// Number of the first column with and without padding, and columns.
  ptrdiff_t padded, column, columns;
} MK_FN(q8_pending);

static void MK_FN(q8_finish)(const MK_FN(q8_block) *b, MK_FN(q8_pending) *t) {
  const mk_q8_epilogue *e = &b->c->epilogue;
  const float *scale = e->scale + t->padded, *bias = e->bias == NULL ? NULL : e->bias + t->padded;
  const ptrdiff_t rows = t->rows;
  t->rows = 0;
  if (e->output != MK_Q8_TO_F32) {
    uint8_t *out = (uint8_t *)b->c->output + t->column;
    MK_FN(q8_store_ints)(t->sums, rows, scale, bias, e, out, b->places + t->row, t->columns);
    return;
  }
  for (ptrdiff_t i = 0; i < rows; i++) {
    ptrdiff_t m = b->first + t->row + i;
    int32_t zero = e->row_zero_point == NULL ? b->c->input_zero_point : e->row_zero_point[m];
    q8_store_f32(t->sums + i * MK_Q8_PANEL, t->column_sums, zero, e->row_scale == NULL ? 1.0f : e->row_scale[m], scale, bias, e,
                 (float *)b->c->output + b->places[t->row + i] + t->column, t->columns);
  }
}

void MK_FN(mk_q8_conv2d)(const mk_q8_conv2d *c, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch) {
  typedef MK_FN(q8_a) element;
  const ptrdiff_t k = mk_q8_steps(c), padded_k = mk_round_up(k, 64);
  const ptrdiff_t panels = mk_divide_up(c->output_channels, MK_Q8_PANEL), panel_bytes = padded_k * MK_Q8_PANEL;
  const int32_t *all_sums = (const int32_t *)(const void *)(c->weights + c->groups * panels * panel_bytes);
  const ptrdiff_t block_rows = mk_q8_block_rows(padded_k, sizeof(element), pixel1 - pixel0), plane = c->output_height * c->output_width;
  element *rows = scratch;
  const int excess = Q8_A == Q8_BIASED && !c->input_is_unsigned ? 128 : Q8_A == Q8_SIGNED && c->input_is_unsigned ? -128 : 0;
  int32_t sums[2][MK_Q8_TILE * MK_Q8_PANEL] __attribute__((aligned(64)));
  int32_t terms[MK_Q8_PANEL] __attribute__((aligned(64)));
  ptrdiff_t places[MK_Q8_BLOCK_ROWS];
  MK_FN(q8_pending) pending = {.rows = 0};
  int turn = 0;
  q8_begin();
  for (ptrdiff_t first = pixel0; first < pixel1; first += block_rows) {
    const ptrdiff_t count = mk_min(block_rows, pixel1 - first);
    const ptrdiff_t image0 = first / plane, y0 = first % plane / c->output_width, x0 = first % c->output_width;
    for (ptrdiff_t i = 0, image = image0, y = y0, x = x0; i < count; i++) {
      places[i] = image * c->output_image_stride + y * c->output_row_stride + x * c->output_pixel_stride;
      if (++x == c->output_width) {
        x = 0;
        if (++y == c->output_height) y = 0, image++;
      }
    }
    const MK_FN(q8_block) block = {c, places, first};
    for (ptrdiff_t panel = panel0; panel < panel1;) {
      const ptrdiff_t group = panel / panels, last = mk_min(panel1, (group + 1) * panels);
      const uint8_t *input = (const uint8_t *)c->input + group * c->input_channels;
      ptrdiff_t image = image0, y = y0, x = x0;
      for (ptrdiff_t i = 0; i < count; i++) {
        q8_gather(c, input + image * c->input_image_stride, y, x, k / c->kernel_height, rows + i * padded_k);
        if (++x == c->output_width) {
          x = 0;
          if (++y == c->output_height) y = 0, image++;
        }
      }
      for (; panel < last; panel++) {
        const int8_t *weights = c->weights + panel * panel_bytes;
        const int32_t *column_sums = all_sums + panel * MK_Q8_PANEL;
        const int32_t *bias = c->epilogue.sum_bias == NULL ? NULL : c->epilogue.sum_bias + panel * MK_Q8_PANEL;
        // Rows with zero points of their own, and float32 results, take those off later.
        const int32_t zero = (c->epilogue.output == MK_Q8_TO_F32 ? 0 : c->input_zero_point) + excess;
        for (int j = 0; j < MK_Q8_PANEL; j++)
          terms[j] = (int32_t)((bias == NULL ? 0 : (uint32_t)bias[j]) - (uint32_t)zero * (uint32_t)column_sums[j]);
        const ptrdiff_t column = (panel - group * panels) * MK_Q8_PANEL;
        const ptrdiff_t columns = mk_min(MK_Q8_PANEL, c->output_channels - column);
        for (ptrdiff_t i = 0; i < count; i += MK_Q8_TILE) {
          const ptrdiff_t tile_rows = mk_min(MK_Q8_TILE, count - i);
          int32_t *tile_sums = sums[turn];
          turn ^= 1;
          q8_tile(rows + i * padded_k, padded_k, tile_rows, weights, k, c->input_is_unsigned, count <= MK_Q8_TILE, terms, tile_sums);
          if (pending.rows > 0) MK_FN(q8_finish)(&block, &pending);
          pending = (MK_FN(q8_pending)){
            tile_sums, column_sums, i, tile_rows, panel * MK_Q8_PANEL, group * c->output_channels + column, columns,
          };
        }
      }
    }
    if (pending.rows > 0) MK_FN(q8_finish)(&block, &pending);
  }
  q8_end();
}
