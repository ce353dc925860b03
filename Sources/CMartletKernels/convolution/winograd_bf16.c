#include "../simd/vector_includes.h"
#include "bf16_types.h"
#include "winograd_types.h"

/// Side of a tile of results. Larger ones need factors that bfloat16 represents with errors of one per cent.
enum { m = 2, side = m + 2, places = side * side };
/// Most tiles of a call, and bytes of their transformed input: both stay in the L2 cache with a panel of weights.
enum { most_tiles = 4 * MK_BF16_VECTOR_SLOTS, input_bytes = 512 * 1024 };

static ptrdiff_t panel_size(ptrdiff_t input_channels) { return mk_bf16_padded(input_channels) * MK_BF16_PANEL; }

ptrdiff_t mk_winograd_bf16_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels) {
  return mk_divide_up(output_channels, MK_BF16_PANEL) * places * panel_size(input_channels) / 2;
}

ptrdiff_t mk_winograd_bf16_block_tiles(const mk_conv2d *c) {
  const ptrdiff_t tiles = mk_min(most_tiles, input_bytes / (2 * places * mk_max(1, c->input_channels)));
  return mk_max(MK_BF16_VECTOR_SLOTS, tiles / MK_BF16_VECTOR_SLOTS * MK_BF16_VECTOR_SLOTS);
}

/// Distances between the matrices of consecutive places: transformed input in bfloat16, and sums.
static ptrdiff_t input_stride(ptrdiff_t tiles, ptrdiff_t channels) { return mk_winograd_place_stride(tiles, mk_divide_up(channels, 2)) * 2; }
static ptrdiff_t sum_stride(ptrdiff_t tiles) { return mk_winograd_place_stride(tiles, MK_BF16_PANEL); }

ptrdiff_t mk_winograd_bf16_scratch_count(const mk_conv2d *c, ptrdiff_t tiles) {
  return places * (sum_stride(tiles) + input_stride(tiles, c->input_channels) / 2 + c->input_channels) + 16;
}

int mk_winograd_bf16_takes(ptrdiff_t input_channels) {
  return mk_bf16_unit() != MK_BF16_NO_UNIT && input_channels % MK_BF16_VECTOR_STEPS == 0;
}

// The pass over stored results of float32, packing and the transform of weights are those of the level without bfloat16.
#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512_BF16
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512bf16
#define mk_activate_avx512bf16 mk_activate_avx512
#define level_tiles mk_tiles_avx512
#define level_pack_panel mk_pack_panel_avx512
#define level_weights mk_winograd_weights_avx512
#define level_pack_block mk_bf16_pack_block_avx512
// Of whole blocks, transformed channels of even numbers come first.
#define level_channel(step, is_whole) ((is_whole) ? (step) % 16 * 2 + (step) / 16 : (step))
#elif MK_HAS_NEON_LEVEL
MK_BEGIN_ARM_BF16
#define MK_LEVEL 3
#define MK_FN(name) name##_neonbf16
#define mk_activate_neonbf16 mk_activate_neon
#define level_tiles mk_tiles_neon
#define level_pack_panel mk_pack_panel_neon
#define level_weights mk_winograd_weights_neon
#define level_pack_block mk_bf16_pack_block_portable
#define level_channel(step, is_whole) (step)
#endif

#ifdef MK_LEVEL
#define MK_ROUNDS_BF16
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#if MK_LEVEL == 2
#include "bf16_vector.inc"
#endif
#define NR MK_BF16_PANEL
#define UNROLL _Pragma("clang loop unroll(full)")
#include "winograd_transforms.inc"

/// [place][tile][channel] by [place][panel's block], to [place][tile][column].
static void products(ptrdiff_t tiles, ptrdiff_t channels, ptrdiff_t columns, const uint16_t *v, const uint16_t *weights, float *sums) {
  static const ptrdiff_t no_offset = 0;
  mk_bf16_vector_tile t = {.taps = 1, .steps = channels, .offsets = &no_offset};
  const ptrdiff_t v_stride = input_stride(tiles, channels), stride = sum_stride(tiles);
  for (ptrdiff_t place = 0; place < places; place++) {
    t.weights = weights + place * panel_size(channels);
    for (ptrdiff_t tile = 0; tile < tiles; tile += MK_BF16_VECTOR_SLOTS) {
      const ptrdiff_t rows = mk_min(MK_BF16_VECTOR_SLOTS, tiles - tile);
      for (ptrdiff_t i = 0; i < rows; i++) t.rows[i] = v + place * v_stride + (tile + i) * channels;
      t.sums = sums + place * stride + tile * MK_BF16_PANEL;
      mk_bf16_vector_sums(&t, rows, columns);
    }
  }
}

MK_INLINE void run(const mk_conv2d *c, const int input_dtype, const int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0,
                   ptrdiff_t panel1, float *scratch) {
  const ptrdiff_t tiles = tile1 - tile0, channels = c->input_channels;
  float *sums = scratch;
  uint16_t *v = (uint16_t *)(void *)(scratch + places * sum_stride(tiles));
  void *border = v + places * input_stride(tiles, channels);
  winograd_input(c, m, input_dtype, tile0, tile1, v, MK_BF16, input_stride(tiles, channels), border);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const uint16_t *weights = (const uint16_t *)(const void *)c->weights + panel * places * panel_size(channels);
    products(tiles, channels, mk_min(NR, c->output_channels - panel * NR), v, weights, sums);
    winograd_output(c, m, output_dtype, tile0, tile1, panel, sums, sum_stride(tiles));
  }
}

static void run_vectors(const mk_conv2d *c, int input_dtype, int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0,
                        ptrdiff_t panel1, float *scratch) {
  switch ((input_dtype == MK_BF16) * 2 + (output_dtype == MK_BF16)) {
    case 0: run(c, MK_F32, MK_F32, tile0, tile1, panel0, panel1, scratch); break;
    case 1: run(c, MK_F32, MK_BF16, tile0, tile1, panel0, panel1, scratch); break;
    case 2: run(c, MK_BF16, MK_F32, tile0, tile1, panel0, panel1, scratch); break;
    default: run(c, MK_BF16, MK_BF16, tile0, tile1, panel0, panel1, scratch); break;
  }
}
#if MK_LEVEL == 2
MK_END_AVX512
#else
MK_END_ARM_BF16
#endif
#endif

void mk_winograd_bf16_pack_weights(const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                                   ptrdiff_t output_channels, ptrdiff_t input_channels, float *packed) {
  assert(output_channels >= 0 && input_channels >= 0 && mk_bf16_unit() != MK_BF16_NO_UNIT);
#ifdef MK_LEVEL
  // 160 KB.
  float taps[9 * MK_BF16_BLOCK], transformed[places * MK_BF16_BLOCK], ordered[places * MK_BF16_BLOCK];
  uint16_t *to = (uint16_t *)(void *)packed;
  const ptrdiff_t size = mk_dtype_size(dtype), width = level_tiles.panel_width;
  for (ptrdiff_t column = 0; column < output_channels; column += MK_BF16_PANEL, to += places * panel_size(input_channels))
    for (ptrdiff_t channel = 0; channel < input_channels; channel += MK_BF16_STEPS) {
      const ptrdiff_t count = mk_min(MK_BF16_STEPS, input_channels - channel);
      for (ptrdiff_t part = 0; part < MK_BF16_PANEL; part += width) {
        const ptrdiff_t columns = mk_max(0, mk_min(width, output_channels - column - part));
        memset(taps, 0, sizeof taps);
        for (ptrdiff_t tap = 0; tap < 9 && columns > 0; tap++) {
          const ptrdiff_t element = (column + part) * o_stride + channel * i_stride + tap / 3 * y_stride + tap % 3 * x_stride;
          level_pack_panel((const char *)w + element * size, dtype, i_stride, o_stride, count, columns, NULL,
                           taps + tap * MK_BF16_STEPS * width);
        }
        level_weights(taps, MK_BF16_STEPS, m, transformed);
        for (ptrdiff_t place = 0; place < places; place++)
          for (ptrdiff_t i = 0; i < MK_BF16_STEPS; i++)
            memcpy(ordered + place * MK_BF16_BLOCK + i * MK_BF16_PANEL + part,
                   transformed + (place * MK_BF16_STEPS + level_channel(i, count == MK_BF16_STEPS)) * width, (size_t)width * sizeof(float));
      }
      for (ptrdiff_t place = 0; place < places; place++)
        level_pack_block(ordered + place * MK_BF16_BLOCK, MK_BF16_PLAIN, to + place * panel_size(input_channels) + channel * MK_BF16_PANEL);
    }
#else
  (void)w, (void)dtype, (void)o_stride, (void)i_stride, (void)y_stride, (void)x_stride, (void)packed;
#endif
}

void mk_winograd_bf16(const mk_conv2d *c, int input_dtype, int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0,
                      ptrdiff_t panel1, float *scratch) {
  assert(c->groups == 1 && c->kernel_height == 3 && c->kernel_width == 3 && mk_winograd_bf16_takes(c->input_channels));
  assert(c->stride_y == 1 && c->stride_x == 1 && c->dilation_y == 1 && c->dilation_x == 1 && c->pad_top >= 0 && c->pad_left >= 0);
  assert(0 <= tile0 && tile0 <= tile1 && 0 <= panel0 && panel0 <= panel1);
  assert(panel1 <= mk_divide_up(c->output_channels, MK_BF16_PANEL));
  assert((input_dtype == MK_F32 || input_dtype == MK_BF16) && (output_dtype == MK_F32 || output_dtype == MK_BF16));
  assert(mk_epilogue_is_valid(&c->epilogue));
  if (tile0 == tile1 || panel0 == panel1) return;
#ifdef MK_LEVEL
  run_vectors(c, input_dtype, output_dtype, tile0, tile1, panel0, panel1, scratch);
#else
  (void)scratch;
#endif
}
