#include "martlet_quantized.h"

#include <assert.h>
#include <stdatomic.h>

#include "q8_types.h"

static int find_level(void) {
#if MK_HAS_X86_LEVELS
  uint32_t features = mk_cpu_features();
  const uint32_t tiles = MK_CPU_AMX_INT8 | MK_CPU_AVX512_VBMI;
  if (features & MK_CPU_AVX512_VNNI) return (features & tiles) == tiles && mk_request_amx() ? MK_Q8_AMX : MK_Q8_VNNI;
  if (mk_isa() >= MK_ISA_AVX512) return MK_Q8_AVX512;
  if (mk_isa() >= MK_ISA_AVX2) return MK_Q8_HAS_AVX_VNNI(features) ? MK_Q8_AVX_VNNI : MK_Q8_AVX2;
#elif MK_HAS_NEON_LEVEL
  const uint32_t features = mk_cpu_features();
  if (features & MK_CPU_ARM_I8MM) return MK_Q8_I8MM;
  if (features & MK_CPU_ARM_DOTPROD) return MK_Q8_DOTPROD;
  if (mk_isa() == MK_ISA_NEON) return MK_Q8_NEON;
#endif
  return MK_Q8_PORTABLE;
}

int mk_q8_level(void) {
  static _Atomic int known = -1;
  int level = atomic_load_explicit(&known, memory_order_relaxed);
  if (level < 0) {
    level = find_level();
    atomic_store_explicit(&known, level, memory_order_relaxed);
  }
  return level;
}

const char *mk_q8_level_name(void) {
  switch (mk_q8_level()) {
    case MK_Q8_AMX: return "amx-int8";
    case MK_Q8_VNNI: return "avx512-vnni";
    case MK_Q8_AVX512: return "avx512";
    case MK_Q8_AVX_VNNI: return "avx-vnni";
    case MK_Q8_AVX2: return "avx2";
    case MK_Q8_I8MM: return "neon-i8mm";
    case MK_Q8_DOTPROD: return "neon-dotprod";
    case MK_Q8_NEON: return "neon";
    default: return "portable";
  }
}

#if MK_HAS_X86_LEVELS
/// Only dense products have a variant for AMX tiles.
#define MK_CALL_Q8(name, tiled, ...)                        \
  switch (mk_q8_level()) {                                  \
    case MK_Q8_AMX: name##_##tiled(__VA_ARGS__); break;     \
    case MK_Q8_VNNI: name##_vnni(__VA_ARGS__); break;       \
    case MK_Q8_AVX512: name##_avx512(__VA_ARGS__); break;   \
    case MK_Q8_AVX_VNNI: name##_avxvnni(__VA_ARGS__); break; \
    case MK_Q8_AVX2: name##_avx2(__VA_ARGS__); break;       \
    default: name##_portable(__VA_ARGS__); break;           \
  }
#elif MK_HAS_NEON_LEVEL
#define MK_CALL_Q8(name, tiled, ...)                            \
  switch (mk_q8_level()) {                                      \
    case MK_Q8_I8MM: name##_i8mm(__VA_ARGS__); break;           \
    case MK_Q8_DOTPROD: name##_dotprod(__VA_ARGS__); break;     \
    case MK_Q8_NEON: name##_neon(__VA_ARGS__); break;           \
    default: name##_portable(__VA_ARGS__); break;               \
  }
#else
#define MK_CALL_Q8(name, tiled, ...) name##_portable(__VA_ARGS__)
#endif

ptrdiff_t mk_q8_conv2d_packed_bytes(ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                                    ptrdiff_t kernel_width) {
  ptrdiff_t columns = groups * mk_round_up(output_channels, MK_Q8_PANEL);
  return columns * (mk_q8_padded_steps(mk_q8_level(), kernel_height, kernel_width, input_channels) + (ptrdiff_t)sizeof(int32_t));
}

/// Order of the weights of a panel: [part of the panel][unit of steps of k][column of the part][step].
typedef struct panel_layout {
  ptrdiff_t unit, part, padded_k;
} panel_layout;

static panel_layout panel_layout_of(ptrdiff_t padded_k) {
  const int level = mk_q8_level();
  return (panel_layout){mk_q8_group(level), mk_q8_part(level), padded_k};
}

/// Offset of the first step of a column.
static ptrdiff_t column_place(const panel_layout *l, ptrdiff_t column) {
  return column / l->part * l->part * l->padded_k + column % l->part * l->unit;
}

/// The weights of one output channel.
typedef struct column_source {
  const int8_t *w;
  ptrdiff_t i_stride, y_stride, x_stride, input_channels, kernel_width;
} column_source;

/// Writes `k` weights unit by unit. Returns their sum.
static int32_t pack_column(const column_source *s, ptrdiff_t k, const panel_layout *layout, int8_t *packed) {
  enum { chunk = 1024 };
  const ptrdiff_t channels = s->input_channels;
  const int follows = s->i_stride == 1 && s->x_stride == channels && s->y_stride == channels * s->kernel_width;
  uint32_t sum = 0;
  for (ptrdiff_t k0 = 0; k0 < k; k0 += chunk) {
    const ptrdiff_t count = mk_min(chunk, k - k0);
    int8_t run[chunk] = {0};
    if (follows) {
      memcpy(run, s->w + k0, (size_t)count);
    } else {
      ptrdiff_t i = k0 % channels, x = k0 / channels % s->kernel_width, y = k0 / channels / s->kernel_width;
      for (ptrdiff_t n = 0; n < count;) {
        const int8_t *from = s->w + y * s->y_stride + x * s->x_stride + i * s->i_stride;
        const ptrdiff_t some = mk_min(channels - i, count - n);
        for (ptrdiff_t m = 0; m < some; m++) run[n + m] = from[m * s->i_stride];
        n += some;
        i = 0;
        if (++x == s->kernel_width) x = 0, y++;
      }
    }
    int32_t part = 0;
    for (ptrdiff_t n = 0; n < count; n++) part += run[n];
    sum += (uint32_t)part;
    if (layout->unit == 8) for (ptrdiff_t n = 0; n < count; n += 8) memcpy(packed + (k0 + n) * layout->part, run + n, 8);
    else if (layout->unit == 4) for (ptrdiff_t n = 0; n < count; n += 4) memcpy(packed + (k0 + n) * layout->part, run + n, 4);
    else for (ptrdiff_t n = 0; n < count; n += 2) memcpy(packed + (k0 + n) * layout->part, run + n, 2);
  }
  return (int32_t)sum;
}

#if MK_HAS_X86_LEVELS
/// As `pack_panel` for units of two steps, by transposing blocks of eight units of eight columns.
static void pack_pairs(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t k, const panel_layout *layout, int8_t *packed) {
  for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j += 8) {
    const int8_t *from = w + j * o_stride;
    int8_t *to = packed + column_place(layout, j);
    ptrdiff_t k0 = 0;
    for (; k0 + 16 <= k; k0 += 16) {
      __m128i v[8], t[8];
      for (int i = 0; i < 8; i++) v[i] = _mm_loadu_si128((const __m128i *)(from + i * o_stride + k0));
      for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
        t[2 * i + 1] = _mm_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
      }
      for (int i = 0; i < 2; i++)
        for (int half = 0; half < 2; half++) {
          v[4 * half + i] = _mm_unpacklo_epi32(t[4 * i + half], t[4 * i + 2 + half]);
          v[4 * half + 2 + i] = _mm_unpackhi_epi32(t[4 * i + half], t[4 * i + 2 + half]);
        }
      for (int i = 0; i < 4; i++) {
        int8_t *units = to + (k0 + 4 * i) * layout->part;
        _mm_storeu_si128((__m128i *)units, _mm_unpacklo_epi64(v[2 * i], v[2 * i + 1]));
        _mm_storeu_si128((__m128i *)(units + 2 * layout->part), _mm_unpackhi_epi64(v[2 * i], v[2 * i + 1]));
      }
    }
    for (; k0 < k; k0 += 2)
      for (int i = 0; i < 8; i++) memcpy(to + k0 * layout->part + 2 * i, from + i * o_stride + k0, (size_t)mk_min(2, k - k0));
  }
}
#endif

/// Packs a whole panel whose columns are contiguous runs of `k` weights, `o_stride` apart, by transposing blocks of four by four groups of
/// four weights. Writes no padding.
static void pack_panel(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t k, const panel_layout *layout, int8_t *packed, int32_t *sums) {
#if MK_HAS_X86_LEVELS
  if (mk_q8_level() == MK_Q8_VNNI || mk_q8_level() == MK_Q8_AMX) {
    mk_q8_pack_panel_vnni(w, o_stride, k, packed, sums);
    return;
  }
#endif
  typedef int32_t quad __attribute__((ext_vector_type(4)));
  for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) {
    int32_t sum = 0;
    for (ptrdiff_t n = 0; n < k; n++) sum += w[j * o_stride + n];
    sums[j] = sum;
  }
#if MK_HAS_X86_LEVELS
  if (layout->unit == 2) {
    pack_pairs(w, o_stride, k, layout, packed);
    return;
  }
#endif
  ptrdiff_t k0 = 0;
  for (; layout->unit == 4 && k0 + 16 <= k; k0 += 16) {
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j += 4) {
      quad a, b, c, d;
      const int8_t *from = w + j * o_stride + k0;
      memcpy(&a, from, 16);
      memcpy(&b, from + o_stride, 16);
      memcpy(&c, from + 2 * o_stride, 16);
      memcpy(&d, from + 3 * o_stride, 16);
      const quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      const quad rows[4] = {
        __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
        __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
      for (int i = 0; i < 4; i++) memcpy(packed + (k0 + 4 * i) * layout->part + column_place(layout, j), &rows[i], 16);
    }
  }
  for (; layout->unit == 8 && k0 + 8 <= k; k0 += 8)
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) memcpy(packed + k0 * layout->part + column_place(layout, j), w + j * o_stride + k0, 8);
  for (; k0 < k; k0 += layout->unit)
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++)
      memcpy(packed + k0 * layout->part + column_place(layout, j), w + j * o_stride + k0, (size_t)mk_min(layout->unit, k - k0));
}

/// Packs the weights of one output channel if `merged` rows of the kernel form one run, in the order columns, rows of the run, input
/// channels. Returns their sum.
static int32_t pack_merged(const column_source *s, ptrdiff_t kernel_height, ptrdiff_t merged, int8_t *packed) {
  const ptrdiff_t channels = s->input_channels;
  uint32_t sum = 0;
  for (ptrdiff_t y = 0; y < kernel_height; y++)
    for (ptrdiff_t x = 0; x < s->kernel_width; x++)
      for (ptrdiff_t i = 0; i < channels; i++) {
        const int8_t value = s->w[y * s->y_stride + x * s->x_stride + i * s->i_stride];
        const ptrdiff_t step = y / merged * 64 + (x * merged + y % merged) * channels + i;
        packed[step / 4 * 4 * MK_Q8_PANEL + step % 4] = value;
        sum += (uint32_t)value;
      }
  return (int32_t)sum;
}

void mk_q8_conv2d_pack_weights(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                               ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                               ptrdiff_t kernel_width, int8_t *packed) {
  assert(groups > 0 && output_channels >= 0 && input_channels >= 0 && kernel_height > 0 && kernel_width > 0);
  const ptrdiff_t padded_k = mk_q8_padded_steps(mk_q8_level(), kernel_height, kernel_width, input_channels);
  const ptrdiff_t merged = mk_q8_level() == MK_Q8_AMX ? mk_q8_merged_rows(kernel_height, kernel_width, input_channels) : 1;
  // Number of runs, and steps of each.
  const ptrdiff_t row = kernel_width * input_channels, padded_row = mk_q8_run(mk_q8_level(), row);
  const int is_split = mk_q8_level() == MK_Q8_AMX ? row % 64 != 0 : row != padded_row;
  const ptrdiff_t runs = is_split ? kernel_height : 1, steps = kernel_height * row / runs;
  const ptrdiff_t run_steps = mk_q8_level() == MK_Q8_AMX ? padded_k / runs : padded_row;
  const ptrdiff_t panels = mk_divide_up(output_channels, MK_Q8_PANEL);
  int32_t *sums = (int32_t *)(void *)(packed + groups * panels * padded_k * MK_Q8_PANEL);
  const panel_layout layout = panel_layout_of(padded_k);
  // The stride of an axis of one position is irrelevant.
  const int follows = runs == 1 && (i_stride == 1 || input_channels == 1) && (x_stride == input_channels || kernel_width == 1) &&
                      (y_stride == input_channels * kernel_width || kernel_height == 1);
  for (ptrdiff_t group = 0; group < groups; group++)
    for (ptrdiff_t panel = 0; panel < panels; panel++, packed += padded_k * MK_Q8_PANEL, sums += MK_Q8_PANEL) {
      const int whole = follows && (panel + 1) * MK_Q8_PANEL <= output_channels;
      if (!whole || steps != padded_k) memset(packed, 0, (size_t)(padded_k * MK_Q8_PANEL));
      if (whole) {
        pack_panel(w + (group * output_channels + panel * MK_Q8_PANEL) * o_stride, o_stride, steps, &layout,
                   packed, sums);
        continue;
      }
      for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) {
        sums[j] = 0;
        const ptrdiff_t channel = panel * MK_Q8_PANEL + j;
        if (channel >= output_channels) continue;
        const int8_t *from = w + (group * output_channels + channel) * o_stride;
        uint32_t sum = 0;
        if (merged > 1) {
          const column_source source = {from, i_stride, y_stride, x_stride, input_channels, kernel_width};
          sums[j] = pack_merged(&source, kernel_height, merged, packed + 4 * j);
          continue;
        }
        for (ptrdiff_t run = 0; run < runs; run++) {
          const column_source source = {from + run * y_stride, i_stride, y_stride, x_stride, input_channels, kernel_width};
          int8_t *to = packed + run * run_steps * layout.part + column_place(&layout, j);
          sum += (uint32_t)pack_column(&source, steps, &layout, to);
        }
        sums[j] = (int32_t)sum;
      }
    }
}

ptrdiff_t mk_q8_conv2d_scratch_bytes(const mk_q8_conv2d *c, ptrdiff_t pixels) {
  if (mk_q8_level() == MK_Q8_AMX) {
    const mk_q8_plane plane = mk_q8_plane_of(c, pixels);
    if (plane.rows > 0) return plane.bytes;
  }
  const ptrdiff_t element = mk_q8_element(mk_q8_level());
  const ptrdiff_t k = mk_q8_gathered_steps(c);
  const ptrdiff_t part = mk_q8_wide_bytes(mk_q8_level(), k), term = mk_q8_level() == MK_Q8_AVX2 ? sizeof(int32_t) : 0;
  if (mk_q8_unit(mk_q8_level()) > 1) {
    const mk_q8_copy copy = mk_q8_copy_of(c, element, pixels);
    if (copy.rows > 0) return copy.bytes + part + copy.rows * c->output_width * term;
  }
  const ptrdiff_t row = mk_q8_level() == MK_Q8_AMX ? mk_q8_padded_steps(MK_Q8_AMX, c->kernel_height, c->kernel_width, c->input_channels)
                                                   : mk_q8_row_pitch(k, element) * element;
  // The last gathered row may be followed by a vector.
  const ptrdiff_t rows = mk_q8_block_rows(row, pixels);
  return rows * (row + term) + 64 + part + mk_q8_pair_bytes(c);
}

static void check(const mk_q8_conv2d *c) {
  assert(c->output_height > 0 && c->output_width > 0 && c->kernel_height > 0 && c->kernel_width > 0 && c->input_channels > 0);
  assert(c->stride_y > 0 && c->stride_x > 0 && c->dilation_y > 0 && c->dilation_x > 0 && c->pad_top >= 0 && c->pad_left >= 0);
  assert(c->epilogue.activation >= MK_ACTIVATION_NONE && c->epilogue.activation <= MK_ACTIVATION_ELU);
  (void)c;
}

void mk_q8_conv2d_run(const mk_q8_conv2d *conv, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch) {
  check(conv);
  assert(0 <= pixel0 && pixel0 <= pixel1 && 0 <= panel0 && panel0 <= panel1);
  MK_CALL_Q8(mk_q8_conv2d, amx, conv, pixel0, pixel1, panel0, panel1, scratch);
}

/// Columns of a part of a panel of transformed weights; 0 if the level has no such kernel.
static ptrdiff_t winograd_part(void) { return mk_q8_unit(mk_q8_level()) == 2 ? mk_q8_part(mk_q8_level()) : 0; }

int mk_q8_winograd_is_supported(ptrdiff_t input_channels) {
  return winograd_part() > 0 && input_channels <= MK_Q8_WINOGRAD_CHANNELS;
}

ptrdiff_t mk_q8_winograd_packed_bytes(ptrdiff_t output_channels, ptrdiff_t input_channels) {
  return mk_round_up(output_channels, MK_Q8_PANEL) * mk_round_up(input_channels, 2) * 16 * (ptrdiff_t)sizeof(int16_t);
}

/// Multiplies row `row` of 2 G by `count` columns (a, b, c).
static inline void winograd_row(int row, const int16_t *a, const int16_t *b, const int16_t *c, ptrdiff_t count, int16_t *to) {
  switch (row) {
    case 0: for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(2 * a[i]); break;
    case 1: for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(a[i] + b[i] + c[i]); break;
    case 2: for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(a[i] - b[i] + c[i]); break;
    default: for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(2 * c[i]); break;
  }
}

void mk_q8_winograd_pack_weights(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                                 ptrdiff_t output_channels, ptrdiff_t input_channels, int8_t *packed) {
  const ptrdiff_t part = winograd_part(), pairs = mk_divide_up(input_channels, 2), lanes = 2 * part, pitch = pairs * lanes;
  int16_t *to = (int16_t *)(void *)packed;
  assert(0 < part && part <= MK_Q8_PANEL);
  // Two input channels of all output channels of a part make whole cache lines of each of the 16 places.
  int16_t g[3][3][2 * MK_Q8_PANEL], rows[4][3][2 * MK_Q8_PANEL];
  for (ptrdiff_t o = 0; o < mk_round_up(output_channels, MK_Q8_PANEL); o += part)
    for (ptrdiff_t i = 0; i < 2 * pairs; i += 2) {
      const ptrdiff_t columns = mk_min(part, output_channels - o), channels = mk_min(2, input_channels - i);
      if (columns < part || channels < 2) memset(g, 0, sizeof g);
      for (ptrdiff_t column = 0; column < columns; column++)
        for (ptrdiff_t channel = 0; channel < channels; channel++) {
          const int8_t *from = w + (o + column) * o_stride + (i + channel) * i_stride;
          for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++) g[y][x][2 * column + channel] = from[y * y_stride + x * x_stride];
        }
      // 2 G g, then 4 G g G'.
      for (int y = 0; y < 4; y++)
        for (int x = 0; x < 3; x++) winograd_row(y, g[0][x], g[1][x], g[2][x], lanes, rows[y][x]);
      for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
          winograd_row(x, rows[y][0], rows[y][1], rows[y][2], lanes, to + (16 * (o / part) + 4 * y + x) * pitch + i * part);
    }
}

ptrdiff_t mk_q8_winograd_scratch_bytes(const mk_q8_conv2d *c, ptrdiff_t tiles) {
  const ptrdiff_t most = mk_min(tiles, mk_q8_winograd_tiles(c->input_channels));
  return 16 * most * (mk_q8_winograd_pitch(c->input_channels) * (ptrdiff_t)sizeof(int16_t) + MK_Q8_PANEL * (ptrdiff_t)sizeof(int32_t));
}

void mk_q8_winograd_run(const mk_q8_conv2d *conv, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch) {
  check(conv);
  assert(conv->groups == 1 && conv->kernel_height == 3 && conv->kernel_width == 3 && conv->stride_y == 1 && conv->stride_x == 1);
  assert(conv->dilation_y == 1 && conv->dilation_x == 1 && conv->epilogue.row_scale == NULL);
  assert(mk_q8_winograd_is_supported(conv->input_channels));
#if MK_HAS_X86_LEVELS
  if (mk_q8_level() == MK_Q8_AVX2) mk_q8_winograd_avx2(conv, tile0, tile1, panel0, panel1, scratch);
  else mk_q8_winograd_avx512(conv, tile0, tile1, panel0, panel1, scratch);
#else
  (void)tile0, (void)tile1, (void)panel0, (void)panel1, (void)scratch;
#endif
}

/// 1 if depthwise weights that are bytes are interleaved for dot products, four rows of the kernel at a time.
static int depthwise_interleaves(void) { return mk_q8_level() == MK_Q8_VNNI || mk_q8_level() == MK_Q8_AMX; }

/// Number of channels of a block of depthwise weights that are bytes.
static ptrdiff_t depthwise_block(void) { return depthwise_interleaves() ? 64 : MK_Q8_DEPTHWISE_BLOCK; }

/// Number of these weights, which precede the sums.
static ptrdiff_t depthwise_count(ptrdiff_t channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width) {
  return mk_round_up(channels, depthwise_block()) * (depthwise_interleaves() ? mk_round_up(kernel_height, 4) : kernel_height) * kernel_width;
}

ptrdiff_t mk_q8_depthwise2d_packed_bytes(ptrdiff_t channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width) {
  const ptrdiff_t pairs = mk_q8_depthwise_pairs(mk_q8_level(), kernel_height, kernel_width);
  if (pairs > 0) return mk_round_up(channels, pairs) * mk_round_up(kernel_height * kernel_width, 2) * (ptrdiff_t)sizeof(int16_t);
  return depthwise_count(channels, kernel_height, kernel_width) +
         mk_round_up(channels, depthwise_block()) * (ptrdiff_t)sizeof(int32_t);
}

/// Packs depthwise weights for `q8_depthwise_pairs.inc`.
static void pack_depthwise_pairs(const int8_t *w, ptrdiff_t c_stride, ptrdiff_t y_stride, ptrdiff_t x_stride, ptrdiff_t channels,
                                 ptrdiff_t kernel_height, ptrdiff_t kernel_width, int16_t *packed) {
  const ptrdiff_t block = mk_q8_depthwise_pairs(mk_q8_level(), kernel_height, kernel_width);
  const ptrdiff_t taps = kernel_height * kernel_width, pairs = mk_divide_up(taps, 2), count = mk_min(block, channels);
  for (ptrdiff_t first = 0; first < channels; first += block, packed += pairs * 2 * block)
    for (ptrdiff_t j = 0; j < count; j++) {
      // The last block ends with the last channel.
      const int8_t *from = w + (mk_min(first, channels - count) + j) * c_stride;
      int16_t *to = packed + j % 8 / 4 * block + (j / 8 * 4 + j % 4) * 2;
      ptrdiff_t tap = 0;
      for (ptrdiff_t y = 0; y < kernel_height; y++)
        for (ptrdiff_t x = 0; x < kernel_width; x++, tap++) to[tap / 2 * 2 * block + tap % 2] = from[y * y_stride + x * x_stride];
    }
}

/// Offset of a channel's weight of the first kernel row within a column of a block of 64 channels (see `q8_depthwise_vnni.inc` for the order).
static ptrdiff_t depthwise_place(ptrdiff_t channel) { return channel % 16 / 4 * 64 + (channel / 16 * 4 + channel % 4) * 4; }

void mk_q8_depthwise2d_pack_weights(const int8_t *w, ptrdiff_t c_stride, ptrdiff_t y_stride, ptrdiff_t x_stride, ptrdiff_t channels,
                                    ptrdiff_t kernel_height, ptrdiff_t kernel_width, int8_t *packed) {
  const ptrdiff_t padded = mk_round_up(channels, MK_Q8_DEPTHWISE_BLOCK);
  const int interleaves = depthwise_interleaves();
  memset(packed, 0, (size_t)mk_q8_depthwise2d_packed_bytes(channels, kernel_height, kernel_width));
  if (mk_q8_depthwise_pairs(mk_q8_level(), kernel_height, kernel_width) > 0) {
    pack_depthwise_pairs(w, c_stride, y_stride, x_stride, channels, kernel_height, kernel_width, (int16_t *)(void *)packed);
    return;
  }
  int32_t *sums = (int32_t *)(void *)(packed + depthwise_count(channels, kernel_height, kernel_width));
  // Four rows of 64 channels are 256 bytes.
  const ptrdiff_t column_bytes = mk_divide_up(kernel_height, 4) * 256;
  for (ptrdiff_t c = 0; c < channels; c++) {
    // If 32 channels or fewer are left, they occupy both halves of the vectors.
    const int is_twice = mk_round_up(channels, 64) - channels >= 32 && c / 64 == (channels - 1) / 64;
    const ptrdiff_t first = depthwise_place(c % 64), second = is_twice ? depthwise_place(c % 64 + 32) : first;
    int8_t *block = packed + c / 64 * kernel_width * column_bytes;
    int32_t sum = 0;
    for (ptrdiff_t y = 0; y < kernel_height; y++)
      for (ptrdiff_t x = 0; x < kernel_width; x++) {
        const int8_t value = w[c * c_stride + y * y_stride + x * x_stride];
        sum += value;
        if (interleaves) {
          int8_t *row = block + x * column_bytes + y / 4 * 256 + y % 4;
          row[first] = value;
          row[second] = value;
        } else {
          packed[(y * kernel_width + x) * padded + c] = value;
        }
      }
    sums[c] = sum;
  }
}

void mk_q8_depthwise2d_run(const mk_q8_conv2d *conv, ptrdiff_t row0, ptrdiff_t row1) {
  check(conv);
  assert(conv->input_channels == 1 && conv->output_channels == 1 && conv->kernel_height <= 16 && 0 <= row0 && row0 <= row1);
  MK_CALL_Q8(mk_q8_depthwise2d, vnni, conv, row0, row1);
}

ptrdiff_t mk_q4_packed_bytes(ptrdiff_t k, ptrdiff_t n, ptrdiff_t block) {
  const ptrdiff_t steps = mk_divide_up(block, 8), blocks = mk_divide_up(k, block), columns = mk_round_up(n, MK_Q8_PANEL);
  return columns * (blocks * (steps * 4 + (ptrdiff_t)sizeof(float)) + (ptrdiff_t)sizeof(float));
}

void mk_q4_pack_weights(const int8_t *w, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t block, const float *scales,
                        ptrdiff_t s_stride, uint8_t *packed) {
  assert(block > 0 && (block % 8 == 0 || block >= k));
  const ptrdiff_t steps = mk_divide_up(block, 8), blocks = mk_divide_up(k, block), panels = mk_divide_up(n, MK_Q8_PANEL);
  uint8_t *out = packed;
  float *sums = (float *)(void *)(packed + mk_q4_packed_bytes(k, n, block)) - panels * MK_Q8_PANEL;
  for (ptrdiff_t panel = 0; panel < panels; panel++) {
    float *panel_sums = sums + panel * MK_Q8_PANEL;
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) panel_sums[j] = 0;
    for (ptrdiff_t b = 0; b < blocks; b++) {
      // Weights are stored with an offset of 8.
      memset(out, 0x88, (size_t)(steps * 4 * MK_Q8_PANEL));
      float *block_scales = (float *)(void *)(out + steps * 4 * MK_Q8_PANEL);
      for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) {
        const ptrdiff_t row = panel * MK_Q8_PANEL + j;
        block_scales[j] = row < n ? scales[row * s_stride + b] : 0.0f;
        if (row >= n) continue;
        int32_t sum = 0;
        for (ptrdiff_t i = 0; i < block && b * block + i < k; i++) {
          const int8_t value = w[row * n_stride + b * block + i];
          sum += value;
          uint8_t *byte = out + (i / 8 * MK_Q8_PANEL + j) * 4 + i % 4;
          const unsigned stored = (unsigned)(value + 8) & 15;
          *byte = (uint8_t)(i % 8 < 4 ? (*byte & 0xf0) | stored : (*byte & 0x0f) | stored << 4);
        }
        panel_sums[j] += (float)sum * block_scales[j];
      }
      out += steps * 4 * MK_Q8_PANEL + MK_Q8_PANEL * (ptrdiff_t)sizeof(float);
    }
  }
}

void mk_q4_linear_run(const mk_q4_linear *linear, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(0 <= m0 && m0 <= m1 && 0 <= panel0 && panel0 <= panel1 && linear->k > 0);
  MK_CALL_Q8(mk_q4_linear, vnni, linear, m0, m1, panel0, panel1);
}

int mk_q4_reads_in_place(void) {
#if MK_HAS_X86_LEVELS
  return 1;
#else
  // The levels of arm64 have dot products for packed panels only.
  return mk_q8_level() == MK_Q8_PORTABLE;
#endif
}

ptrdiff_t mk_q4_arranged_bytes(ptrdiff_t k) { return mk_divide_up(k, 128) * MK_Q4_CHUNK_BYTES; }

void mk_q4_arrange_row(const int8_t *a, ptrdiff_t k, uint8_t *arranged) {
  assert(k % 32 == 0);
  for (ptrdiff_t first = 0; first < k; first += 128, arranged += MK_Q4_CHUNK_BYTES) {
    const ptrdiff_t count = mk_min(k - first, 128);
    if (count < 128) memset(arranged, 0, MK_Q4_CHUNK_BYTES);
    for (ptrdiff_t i = 0; i < count / 2; i++) {
      arranged[i] = (uint8_t)a[first + 2 * i];
      arranged[64 + i] = (uint8_t)a[first + 2 * i + 1];
    }
    for (ptrdiff_t i = 0; i < count / 8; i++) {
      const int8_t *eight = a + first + 8 * i;
      const int32_t sum = -8 * (eight[0] + eight[1] + eight[2] + eight[3] + eight[4] + eight[5] + eight[6] + eight[7]);
      memcpy(arranged + 128 + 4 * i, &sum, sizeof sum);
    }
  }
}

static void check_in_place(const mk_q4_in_place *product, ptrdiff_t n0, ptrdiff_t n1) {
  assert(product->block > 0 && product->block % 32 == 0 && product->k % product->block == 0);
  assert(product->scale_dtype == MK_F32 || product->scale_dtype == MK_BF16);
  assert(0 <= n0 && n0 <= n1 && n1 <= product->n);
  (void)product, (void)n0, (void)n1;
}

void mk_q4_in_place_run(const mk_q4_in_place *product, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1) {
  check_in_place(product, n0, n1);
  assert(0 <= m0 && m0 <= m1 && n0 % 4 == 0 && (n1 % 4 == 0 || n1 == product->n));
  MK_CALL_Q8(mk_q4_in_place, vnni, product, m0, m1, n0, n1);
}

/// The sum of both halves of `count` bytes, at most 2^23: while a program loads, at the memory's speed with the instructions that every processor has.
static int32_t sum_of_nibbles(const uint8_t *w, ptrdiff_t count) {
  int32_t sum = 0;
  ptrdiff_t i = 0;
#if MK_HAS_X86_LEVELS
  const __m128i low = _mm_set1_epi8(15);
  __m128i sums = _mm_setzero_si128();
  for (; i + 16 <= count; i += 16) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(w + i));
    const __m128i pairs = _mm_add_epi8(_mm_and_si128(bytes, low), _mm_and_si128(_mm_srli_epi16(bytes, 4), low));
    sums = _mm_add_epi64(sums, _mm_sad_epu8(pairs, _mm_setzero_si128()));
  }
  sum = _mm_cvtsi128_si32(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums)));
#elif MK_HAS_NEON_LEVEL
  uint32x4_t sums = vdupq_n_u32(0);
  for (; i + 16 <= count; i += 16) {
    const uint8x16_t bytes = vld1q_u8(w + i);
    sums = vpadalq_u16(sums, vpaddlq_u8(vaddq_u8(vandq_u8(bytes, vdupq_n_u8(15)), vshrq_n_u8(bytes, 4))));
  }
  sum = (int32_t)vaddvq_u32(sums);
#endif
  for (; i < count; i++) sum += (w[i] & 15) + (w[i] >> 4);
  return sum;
}

void mk_q4_column_sums(const mk_q4_in_place *product, ptrdiff_t n0, ptrdiff_t n1, float *sums) {
  check_in_place(product, n0, n1);
  const ptrdiff_t bytes = product->block / 2, blocks = product->k / product->block;
  for (ptrdiff_t n = n0; n < n1; n++) {
    const uint8_t *w = product->weights + n * (product->k / 2);
    float total = 0;
    for (ptrdiff_t b = 0; b < blocks; b++, w += bytes) {
      const int32_t sum = sum_of_nibbles(w, bytes) - 8 * (int32_t)product->block;
      const float part = (float)sum * mk_q4_scale_at(product, n * blocks + b);
      total = total + part;
    }
    sums[n - n0] = total;
  }
}

int mk_q8_reads_in_place(ptrdiff_t rows) {
#if MK_HAS_X86_LEVELS
  // Tiles multiply many rows faster than a matrix in place can be read.
  return mk_q8_level() != MK_Q8_AMX || rows <= 8;
#else
  return rows >= 0 && mk_q8_level() == MK_Q8_PORTABLE;
#endif
}

void mk_q8_in_place_run(const mk_q8_in_place *product, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1) {
  assert(product->k > 0 && product->k <= 60000 && 0 <= m0 && m0 <= m1 && 0 <= n0 && n0 <= n1 && n1 <= product->n);
  assert(n0 % 4 == 0 && (n1 % 4 == 0 || n1 == product->n));
  MK_CALL_Q8(mk_q8_in_place, vnni, product, m0, m1, n0, n1);
}
