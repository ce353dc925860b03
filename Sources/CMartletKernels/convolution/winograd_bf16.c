#include "../simd/vector_includes.h"
#include "bf16_types.h"
#include "winograd_types.h"

/// Most tiles of a call, and bytes of their transformed input: both stay in the L2 cache with a panel of weights.
enum { most_tiles = 4 * MK_BF16_VECTOR_SLOTS, input_bytes = 512 * 1024 };

static ptrdiff_t places_of(ptrdiff_t m) { return (m + 2) * (m + 2); }
static ptrdiff_t panel_size(ptrdiff_t input_channels) { return mk_bf16_padded(input_channels) * MK_BF16_PANEL; }

ptrdiff_t mk_winograd_bf16_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m) {
  return mk_divide_up(output_channels, MK_BF16_PANEL) * places_of(m) * panel_size(input_channels) / 2;
}

ptrdiff_t mk_winograd_bf16_block_tiles(const mk_conv2d *c, ptrdiff_t m) {
  const ptrdiff_t tiles = mk_min(most_tiles, input_bytes / (2 * places_of(m) * mk_max(1, c->input_channels)));
  return mk_max(MK_BF16_VECTOR_SLOTS, tiles / MK_BF16_VECTOR_SLOTS * MK_BF16_VECTOR_SLOTS);
}

/// Distances between the matrices of consecutive places: transformed input in bfloat16, and sums.
static ptrdiff_t input_stride(ptrdiff_t tiles, ptrdiff_t channels) { return mk_winograd_place_stride(tiles, mk_divide_up(channels, 2)) * 2; }
static ptrdiff_t sum_stride(ptrdiff_t tiles) { return mk_winograd_place_stride(tiles, MK_BF16_PANEL); }

ptrdiff_t mk_winograd_bf16_scratch_count(const mk_conv2d *c, ptrdiff_t m, ptrdiff_t tiles) {
  return places_of(m) * (sum_stride(tiles) + input_stride(tiles, c->input_channels) / 2 + c->input_channels) + 16;
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

/// [place][tile][channel] by [place][panel's block], to [place][tile][column]. Prefetches the weights behind, unless the panel `is_last`
/// of all.
static void products(ptrdiff_t places, ptrdiff_t tiles, ptrdiff_t channels, ptrdiff_t columns, const uint16_t *v, const uint16_t *weights,
                     int is_last, float *sums) {
  static const ptrdiff_t no_offset = 0;
  mk_bf16_vector_tile t = {.taps = 1, .steps = channels, .offsets = &no_offset};
  const ptrdiff_t v_stride = input_stride(tiles, channels), stride = sum_stride(tiles);
  const ptrdiff_t parts = mk_divide_up(tiles, MK_BF16_VECTOR_SLOTS), least = tiles / parts, longer = tiles % parts;
  for (ptrdiff_t place = 0; place < places; place++) {
    t.weights = weights + place * panel_size(channels);
    mk_bf16_prefetch(&t, panel_size(channels), parts, place + 1 < places || !is_last);
    t.sums = sums + place * stride;
    const uint16_t *row = v + place * v_stride;
    for (ptrdiff_t part = 0; part < parts; part++) {
      const ptrdiff_t rows = least + (part < longer);
      for (ptrdiff_t i = 0; i < rows; i++, row += channels) t.rows[i] = row;
      mk_bf16_vector_sums(&t, rows, columns);
      t.sums += rows * MK_BF16_PANEL;
      mk_bf16_prefetch_on(&t, panel_size(channels));
    }
  }
}

/// Transforms of `m` x `m` results, for each type of the pixels.
typedef void (*input_function)(const mk_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, uint16_t *v, ptrdiff_t place_stride, void *border);
typedef void (*output_function)(const mk_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel, const float *sums,
                                ptrdiff_t place_stride);
#define TRANSFORMS(m, name, dtype)                                                                                                          \
  MK_KERNEL static void input_##m##_##name(const mk_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, uint16_t *v, ptrdiff_t place_stride, void *border) { \
    winograd_input(c, m, dtype, tile0, tile1, v, MK_BF16, place_stride, border);                                                            \
  }                                                                                                                                         \
  MK_KERNEL static void output_##m##_##name(const mk_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel, const float *sums,                 \
                                  ptrdiff_t place_stride) {                                                                                 \
    winograd_output(c, m, dtype, tile0, tile1, panel, sums, place_stride);                                                                  \
  }
TRANSFORMS(2, f32, MK_F32)
TRANSFORMS(2, bf16, MK_BF16)
TRANSFORMS(4, f32, MK_F32)
TRANSFORMS(4, bf16, MK_BF16)
#undef TRANSFORMS

static void run_vectors(const mk_conv2d *c, ptrdiff_t m, int input_dtype, int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1,
                        ptrdiff_t panel0, ptrdiff_t panel1, float *scratch) {
  static const input_function inputs[2][2] = {{input_2_f32, input_2_bf16}, {input_4_f32, input_4_bf16}};
  static const output_function outputs[2][2] = {{output_2_f32, output_2_bf16}, {output_4_f32, output_4_bf16}};
  const ptrdiff_t places = places_of(m), tiles = tile1 - tile0, channels = c->input_channels;
  float *sums = scratch;
  uint16_t *v = (uint16_t *)(void *)(scratch + places * sum_stride(tiles));
  void *border = v + places * input_stride(tiles, channels);
  const output_function output = outputs[m == 4][output_dtype == MK_BF16];
  inputs[m == 4][input_dtype == MK_BF16](c, tile0, tile1, v, input_stride(tiles, channels), border);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const uint16_t *weights = (const uint16_t *)(const void *)c->weights + panel * places * panel_size(channels);
    products(places, tiles, channels, mk_min(NR, c->output_channels - panel * NR), v, weights, (panel + 1) * NR >= c->output_channels, sums);
    output(c, tile0, tile1, panel, sums, sum_stride(tiles));
  }
}
#if MK_LEVEL == 2
MK_END_AVX512
#else
MK_END_ARM_BF16
#endif
#endif

#ifdef MK_LEVEL
/// Rows of the taps that are transformed at a time.
enum { row_count = 8 };
#endif

void mk_winograd_bf16_pack_weights(const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                                   ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m, float *packed) {
  assert(output_channels >= 0 && input_channels >= 0 && mk_bf16_unit() != MK_BF16_NO_UNIT && (m == 2 || m == 4));
#ifdef MK_LEVEL
  // 190 KB.
  float taps[9 * row_count * MK_BF16_PANEL], transformed[MAX_SIDE * MAX_SIDE * row_count * MK_BF16_PANEL];
  float ordered[MAX_SIDE * MAX_SIDE * MK_BF16_BLOCK];
  uint16_t *to = (uint16_t *)(void *)packed;
  const ptrdiff_t size = mk_dtype_size(dtype), width = level_tiles.panel_width, places = places_of(m);
  for (ptrdiff_t column = 0; column < output_channels; column += MK_BF16_PANEL, to += places * panel_size(input_channels))
    for (ptrdiff_t channel = 0; channel < input_channels; channel += MK_BF16_STEPS) {
      const ptrdiff_t count = mk_min(MK_BF16_STEPS, input_channels - channel);
      for (ptrdiff_t step = 0; step < MK_BF16_STEPS; step += row_count)
        for (ptrdiff_t part = 0; part < MK_BF16_PANEL; part += width) {
          const ptrdiff_t columns = mk_max(0, mk_min(width, output_channels - column - part));
          const ptrdiff_t rows = mk_max(0, mk_min(row_count, count - step));
          memset(taps, 0, sizeof taps);
          for (ptrdiff_t tap = 0; tap < 9 && columns > 0 && rows > 0; tap++) {
            const ptrdiff_t element = (column + part) * o_stride + (channel + step) * i_stride + tap / 3 * y_stride + tap % 3 * x_stride;
            level_pack_panel((const char *)w + element * size, dtype, i_stride, o_stride, rows, columns, NULL,
                             taps + tap * row_count * width);
          }
          level_weights(taps, row_count, m, transformed);
          for (ptrdiff_t place = 0; place < places; place++)
            for (ptrdiff_t i = 0; i < MK_BF16_STEPS; i++) {
              const ptrdiff_t from = level_channel(i, count == MK_BF16_STEPS) - step;
              if (from >= 0 && from < row_count)
                memcpy(ordered + place * MK_BF16_BLOCK + i * MK_BF16_PANEL + part, transformed + (place * row_count + from) * width,
                       (size_t)width * sizeof(float));
            }
        }
      for (ptrdiff_t place = 0; place < places; place++)
        level_pack_block(ordered + place * MK_BF16_BLOCK, MK_BF16_PLAIN, to + place * panel_size(input_channels) + channel * MK_BF16_PANEL);
    }
#else
  (void)w, (void)dtype, (void)o_stride, (void)i_stride, (void)y_stride, (void)x_stride, (void)packed;
#endif
}

void mk_winograd_bf16(const mk_conv2d *c, ptrdiff_t m, int input_dtype, int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1,
                      ptrdiff_t panel0, ptrdiff_t panel1, float *scratch) {
  assert(m == 2 || m == 4);
  assert(c->groups == 1 && c->kernel_height == 3 && c->kernel_width == 3 && mk_winograd_bf16_takes(c->input_channels));
  assert(c->stride_y == 1 && c->stride_x == 1 && c->dilation_y == 1 && c->dilation_x == 1 && c->pad_top >= 0 && c->pad_left >= 0);
  assert(0 <= tile0 && tile0 <= tile1 && 0 <= panel0 && panel0 <= panel1);
  assert(panel1 <= mk_divide_up(c->output_channels, MK_BF16_PANEL));
  assert((input_dtype == MK_F32 || input_dtype == MK_BF16) && (output_dtype == MK_F32 || output_dtype == MK_BF16));
  assert(mk_epilogue_is_valid(&c->epilogue));
  if (tile0 == tile1 || panel0 == panel1) return;
#ifdef MK_LEVEL
  run_vectors(c, m, input_dtype, output_dtype, tile0, tile1, panel0, panel1, scratch);
#else
  (void)m, (void)scratch;
#endif
}
