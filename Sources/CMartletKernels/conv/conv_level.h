/// The dense convolution of one level, as template text after `gemm/tile.h`: the matrix micro-kernels run over the taps of the
/// kernel in place, so nothing is rearranged but rows that need zeros at their ends.

/// Floats of packed weights that stay in the L2 cache while rows pass by.
#define WEIGHT_BLOCK (256 * 1024)
/// With no more tiles than this to a panel, fetching the next one is worth it.
#define FETCHING_TILES 16
/// Taps of one tile; larger kernels go in several passes over the output.
#define MAX_TAPS 128

/// Where a group's input lies: the image itself or the strip.
typedef struct MK_FN(conv_source) {
  const float *rows;
  ptrdiff_t row_stride, pixel_stride;
  /// Input row and column that `rows` points at.
  ptrdiff_t first_row, first_column;
} MK_FN(conv_source);

/// Copies the input rows of output rows `y0` ..< `y1` with zeros to the left and right; rows outside the image are left out. Of an image
/// in planes, rows of all channels follow one another.
static void MK_FN(fill_strip)(const mk_conv2d *c, const float *image, ptrdiff_t y0, ptrdiff_t y1, float *strip) {
  ptrdiff_t channels = c->input_channels, pixels = mk_covered_pixels(c), first = y0 * c->stride_y - c->pad_top;
  ptrdiff_t left = mk_min(c->pad_left, pixels), inside = mk_max(0, mk_min(c->width, pixels - left)), right = pixels - left - inside;
  for (ptrdiff_t i = 0; i < mk_covered_rows(c, y1 - y0); i++) {
    ptrdiff_t row = first + i;
    if (row < 0 || row >= c->height) continue;
    float *to = strip + i * pixels * channels;
    const float *from = image + row * c->input_row_stride;
    for (ptrdiff_t channel = 0; mk_is_planar(c) && channel < channels; channel++, from += c->input_plane_stride, to += pixels) {
      memset(to, 0, (size_t)left * sizeof(float));
      memcpy(to + left, from, (size_t)inside * sizeof(float));
      memset(to + left + inside, 0, (size_t)right * sizeof(float));
    }
    if (mk_is_planar(c)) continue;
    memset(to, 0, (size_t)(left * channels) * sizeof(float));
    to += left * channels;
    if (c->input_pixel_stride == channels) {
      memcpy(to, from, (size_t)(inside * channels) * sizeof(float));
    } else {
      for (ptrdiff_t x = 0; x < inside; x++)
        memcpy(to + x * channels, from + x * c->input_pixel_stride, (size_t)channels * sizeof(float));
    }
    memset(to + inside * channels, 0, (size_t)(right * channels) * sizeof(float));
  }
}

/// The taps, or runs of them, that an output row meets.
typedef struct MK_FN(conv_taps) {
  /// First row of the kernel that meets the input; taps; taps of a row, and from one to the next in the input; steps of k of each.
  ptrdiff_t first_row, count, columns, column_step, k;
  /// Where the first tap lies from a pixel on.
  ptrdiff_t start;
  /// Where the first `MAX_TAPS` taps lie.
  ptrdiff_t offsets[MAX_TAPS];
} MK_FN(conv_taps);

/// Where taps `from` ..< `from + count` lie.
static void MK_FN(conv_offsets)(const mk_conv2d *c, const MK_FN(conv_source) *source, const MK_FN(conv_taps) *taps, ptrdiff_t from,
                                ptrdiff_t count, ptrdiff_t *offsets) {
  ptrdiff_t row = from / taps->columns, column = from % taps->columns;
  for (ptrdiff_t i = 0; i < count; i++) {
    offsets[i] = taps->start + row * c->dilation_y * source->row_stride + column * taps->column_step;
    if (++column == taps->columns) column = 0, row++;
  }
}

static void MK_FN(conv_find_taps)(const mk_conv2d *c, const MK_FN(conv_source) *source, ptrdiff_t y, MK_FN(conv_taps) *taps) {
  ptrdiff_t end;
  mk_tap_range(y, c->stride_y, c->pad_top, c->dilation_y, c->kernel_height, c->height, &taps->first_row, &end);
  if (mk_is_planar(c)) {
    // A row of the kernel in one plane makes one run.
    taps->columns = c->input_channels;
    taps->k = c->kernel_width;
    taps->column_step = mk_covered_pixels(c);
  } else if (c->dilation_x == 1 && source->pixel_stride == c->input_channels) {
    // Pixels that follow one another make one run of all columns of the kernel.
    taps->columns = 1;
    taps->k = c->kernel_width * c->input_channels;
    taps->column_step = 0;
  } else {
    taps->columns = c->kernel_width;
    taps->k = c->input_channels;
    taps->column_step = c->dilation_x * source->pixel_stride;
  }
  taps->count = (end - taps->first_row) * taps->columns;
  taps->start = (y * c->stride_y - c->pad_top - source->first_row + taps->first_row * c->dilation_y) * source->row_stride;
  MK_FN(conv_offsets)(c, source, taps, 0, mk_min(taps->count, MAX_TAPS), taps->offsets);
}

/// Runs one tile: `rows` pixels from (`y`, `x`) on, or twice `half` pixels at the starts of rows `y` and `y + 1`.
static void MK_FN(conv_tile)(const mk_conv2d *c, const MK_FN(conv_source) *source, const MK_FN(conv_taps) *taps, mk_tile *t,
                             ptrdiff_t image, ptrdiff_t y, ptrdiff_t x, ptrdiff_t rows, ptrdiff_t half, ptrdiff_t group, ptrdiff_t panel,
                             const float *weights) {
  ptrdiff_t column = panel * NR, channel = group * c->output_channels + column;
  t->a = source->rows + (x * c->stride_x - c->pad_left - source->first_column) * source->pixel_stride;
  t->a_row_stride = c->stride_x * source->pixel_stride;
  t->k = taps->k;
  t->c = c->output + image * c->output_image_stride + y * c->output_row_stride + x * c->output_pixel_stride + channel;
  t->columns = mk_min(c->output_channels - column, NR);
  t->bias = c->epilogue.bias == NULL ? NULL : c->epilogue.bias + channel;
  t->residual = NULL;
  if (c->epilogue.residual != NULL)
    t->residual = c->epilogue.residual + image * c->residual_image_stride + y * c->residual_row_stride +
                  x * c->residual_pixel_stride + channel;
  if (half) {
    t->a_gap = c->stride_y * source->row_stride - half * t->a_row_stride;
    t->c_gap = c->output_row_stride - half * c->output_pixel_stride;
    t->residual_gap = c->residual_row_stride - half * c->residual_pixel_stride;
  }
  const float *b = weights + taps->first_row * c->kernel_width * c->input_channels * NR;
  ptrdiff_t done = 0;
  do {
    ptrdiff_t count = mk_min(taps->count - done, MAX_TAPS), later[MAX_TAPS];
    if (done > 0) MK_FN(conv_offsets)(c, source, taps, done, count, later);
    t->tap_offsets = done > 0 ? later : taps->offsets;
    t->tap_count = count;
    t->b = b + done * taps->k * NR;
    t->load_c = done > 0;
    t->finish = done + count >= taps->count;
    if (half) MK_FN(mk_tiles).split[half][t->columns > LANES](t);
    else MK_FN(mk_tiles).tile[rows][t->columns > LANES](t);
    done += count;
  } while (done < taps->count);
}

/// Whether output rows `y` and `y + 1` meet the same taps.
static int MK_FN(rows_alike)(const mk_conv2d *c, ptrdiff_t y) {
  ptrdiff_t first[2], end[2];
  for (int i = 0; i < 2; i++)
    mk_tap_range(y + i, c->stride_y, c->pad_top, c->dilation_y, c->kernel_height, c->height, &first[i], &end[i]);
  return first[0] == first[1] && end[0] == end[1];
}

/// Output rows `y0` ..< `y1` of one image and group.
static void MK_FN(conv_rows)(const mk_conv2d *c, const MK_FN(conv_source) *source, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1,
                             ptrdiff_t group, ptrdiff_t panel0, ptrdiff_t panel1) {
  ptrdiff_t per_panel = c->kernel_height * c->kernel_width * c->input_channels * NR;
  ptrdiff_t panels = mk_divide_up(c->output_channels, NR), block = mk_max(1, WEIGHT_BLOCK / per_panel);
  const float *weights = c->weights + group * panels * per_panel;
  mk_epilogue epilogue = c->epilogue;
  epilogue.residual_row_stride = c->residual_pixel_stride;
  mk_tile t = {
    .a_k_stride = 1,
    .b_k_stride = NR,
    .prefetch = weights,
    .prefetch_step = 0,
    .c_row_stride = c->output_pixel_stride,
    .epilogue = &epilogue,
  };
  MK_FN(conv_taps) taps;
  ptrdiff_t tiles = mk_divide_up(c->output_width, MR), least = c->output_width / tiles, longer = c->output_width % tiles;
  int splits = 2 * c->output_width <= MR;
  // Where each panel serves a few tiles only, the next one is fetched meanwhile, shared out over them.
  ptrdiff_t shares = splits ? (y1 - y0) / 2 + 2 : (y1 - y0) * tiles;
  ptrdiff_t fetch_step = block == 1 && shares <= FETCHING_TILES ? NR / shares : 0;
  for (ptrdiff_t p0 = panel0; p0 < panel1; p0 += block) {
    ptrdiff_t p1 = mk_min(p0 + block, panel1);
    if (fetch_step > 0) {
      t.prefetch_step = p1 < panel1 ? fetch_step : 0;
      t.prefetch = weights + (p1 < panel1 ? p1 : p0) * per_panel;
    }
    for (ptrdiff_t y = y0; y < y1; y++) {
      MK_FN(conv_find_taps)(c, source, y, &taps);
      if (splits && y + 1 < y1 && MK_FN(rows_alike)(c, y)) {
        for (ptrdiff_t p = p0; p < p1; p++)
          MK_FN(conv_tile)(c, source, &taps, &t, image, y, 0, 2 * c->output_width, c->output_width, group, p, weights + p * per_panel);
        t.prefetch += per_panel / NR * t.prefetch_step;
        y++;
        continue;
      }
      ptrdiff_t x = 0;
      for (ptrdiff_t i = 0; i < tiles; i++) {
        ptrdiff_t rows = least + (i < longer);
        for (ptrdiff_t p = p0; p < p1; p++) MK_FN(conv_tile)(c, source, &taps, &t, image, y, x, rows, 0, group, p, weights + p * per_panel);
        t.prefetch += per_panel / NR * t.prefetch_step;
        x += rows;
      }
    }
  }
}

void MK_FN(mk_conv2d_f32)(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t panel0, ptrdiff_t panel1, float *scratch) {
  ptrdiff_t panels = mk_divide_up(c->output_channels, NR), band = mk_strip_rows(c);
  int strip = mk_needs_strip(c);
  for (ptrdiff_t row = row0; row < row1;) {
    ptrdiff_t image = row / c->output_height, y0 = row % c->output_height;
    ptrdiff_t y1 = mk_min(c->output_height, y0 + (row1 - row));
    if (strip) y1 = mk_min(y1, y0 + band);
    for (ptrdiff_t panel = panel0; panel < panel1;) {
      ptrdiff_t group = panel / panels, last = mk_min(panel1, (group + 1) * panels);
      const float *input = c->input + image * c->input_image_stride + group * c->input_channels;
      MK_FN(conv_source) source = {input, c->input_row_stride, c->input_pixel_stride, 0, 0};
      if (strip) {
        MK_FN(fill_strip)(c, input, y0, y1, scratch);
        source.rows = scratch;
        source.row_stride = mk_covered_pixels(c) * c->input_channels;
        source.pixel_stride = mk_is_planar(c) ? 1 : c->input_channels;
        source.first_row = y0 * c->stride_y - c->pad_top;
        source.first_column = -c->pad_left;
      }
      MK_FN(conv_rows)(c, &source, image, y0, y1, group, panel - group * panels, last - group * panels);
      panel = last;
    }
    row += y1 - y0;
  }
}
