#include "martlet_bf16.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "bf16_types.h"
#include "martlet_convert.h"

int mk_bf16_unit(void) {
  static _Atomic int known = -1;
  int unit = atomic_load_explicit(&known, memory_order_relaxed);
  if (unit < 0) {
    const uint32_t features = mk_cpu_features();
    if (features & MK_CPU_AMX_BF16 && mk_request_amx()) unit = MK_BF16_TILES;
    else if (features & (MK_HAS_NEON_LEVEL ? MK_CPU_ARM_BF16 : MK_CPU_AVX512_BF16) && mk_bf16_vectors_are_fast()) unit = MK_BF16_VECTORS;
    else unit = MK_BF16_NO_UNIT;
    atomic_store_explicit(&known, unit, memory_order_relaxed);
  }
  return unit;
}

int mk_bf16_is_fast(void) { return mk_bf16_unit() == MK_BF16_TILES; }

ptrdiff_t mk_bf16_tile_slots(void) { return mk_bf16_unit() == MK_BF16_VECTORS ? MK_BF16_VECTOR_SLOTS : 32; }

ptrdiff_t mk_bf16_packed_count(int terms, ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                               ptrdiff_t kernel_width) {
  ptrdiff_t panels = groups * mk_divide_up(output_channels, MK_BF16_PANEL);
  return panels * mk_bf16_steps(input_channels, kernel_height, kernel_width) * MK_BF16_PANEL * mk_bf16_packed_parts(terms) / 2;
}

/// Converts `count` rows of up to one panel's columns to float, 32 per row.
static void load_rows(const char *w, int dtype, ptrdiff_t i_stride, ptrdiff_t o_stride, ptrdiff_t count, ptrdiff_t columns, float *rows) {
#if MK_HAS_X86_LEVELS
  if (mk_isa() == MK_ISA_AVX512) {
    mk_pack_panel_avx512(w, dtype, i_stride, o_stride, count, columns, NULL, rows);
    return;
  }
#endif
  for (ptrdiff_t i = 0; i < count; i++, rows += MK_BF16_PANEL) {
    mk_convert(dtype, w + i * i_stride * mk_dtype_size(dtype), o_stride, MK_F32, rows, columns);
    memset(rows + columns, 0, (size_t)(MK_BF16_PANEL - columns) * sizeof(float));
  }
}

void mk_bf16_pack_weights(int terms, const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride,
                          ptrdiff_t x_stride, ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels,
                          ptrdiff_t kernel_height, ptrdiff_t kernel_width, ptrdiff_t panel0, ptrdiff_t panel1, float *packed) {
  assert(groups > 0 && output_channels >= 0 && input_channels >= 0 && kernel_height > 0 && kernel_width > 0);
  assert(0 <= panel0 && panel0 <= panel1 && panel1 <= groups * mk_divide_up(output_channels, MK_BF16_PANEL));
  const ptrdiff_t steps = mk_bf16_steps(input_channels, kernel_height, kernel_width);
  const ptrdiff_t panels = mk_divide_up(output_channels, MK_BF16_PANEL), size = mk_dtype_size(dtype);
  // Steps of a tap or run: with padding, and without.
  const ptrdiff_t pitch = mk_bf16_tap_steps(input_channels, kernel_width);
  const ptrdiff_t run = mk_bf16_has_runs(input_channels, kernel_width) ? kernel_width : 1, filled = run * input_channels;
  const ptrdiff_t parts = mk_bf16_packed_parts(terms);
  float rows[MK_BF16_BLOCK] __attribute__((aligned(64)));
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const ptrdiff_t group = panel / panels, column = (panel - group * panels) * MK_BF16_PANEL;
    const ptrdiff_t columns = mk_min(MK_BF16_PANEL, output_channels - column);
    uint16_t *to = (uint16_t *)(void *)packed + panel * steps * MK_BF16_PANEL * parts;
    for (ptrdiff_t step = 0; step < steps; step += MK_BF16_STEPS, to += MK_BF16_BLOCK * parts) {
      memset(rows, 0, sizeof rows);
      for (ptrdiff_t i = 0; i < MK_BF16_STEPS;) {
        const ptrdiff_t first = (step + i) % pitch, tap = (step + i) / pitch * run + first / mk_max(input_channels, 1);
        if (first >= filled) {
          i += pitch - first;
          continue;
        }
        const ptrdiff_t channel = first % input_channels, count = mk_min(input_channels - channel, MK_BF16_STEPS - i);
        const ptrdiff_t element = (group * output_channels + column) * o_stride + channel * i_stride +
                                  tap / kernel_width * y_stride + tap % kernel_width * x_stride;
        load_rows((const char *)w + element * size, dtype, i_stride, o_stride, count, columns, rows + i * MK_BF16_PANEL);
        i += count;
      }
      if (terms == MK_BF16_SPLIT_HALVES) {
        for (ptrdiff_t half = 0; half < 2; half++)
          for (ptrdiff_t i = 0; i < MK_BF16_STEPS; i++)
            mk_convert(MK_F32, rows + i * MK_BF16_PANEL + half * 16, 1, MK_F16, to + (half * MK_BF16_STEPS + i) * 16, 16);
        continue;
      }
#if MK_HAS_X86_LEVELS
      if (mk_cpu_features() & MK_CPU_AVX512_BF16) {
        mk_bf16_pack_block_avx512(rows, terms, to);
        continue;
      }
#endif
      mk_bf16_pack_block_portable(rows, terms, to);
    }
  }
}

ptrdiff_t mk_bf16_plane_bytes(const mk_bf16_conv2d *d, ptrdiff_t rows) {
  mk_bf16_layout l = mk_bf16_layout_of(d, rows);
  if (l.is_direct) return 0;
  // Tiles read up to 31 slots beyond the last one.
  return ((d->conv.groups * l.group + 32 * l.slot + l.steps) * 2 + 63) / 64 * 64;
}

ptrdiff_t mk_bf16_unit_count(const mk_bf16_conv2d *d, ptrdiff_t rows) {
  mk_bf16_layout l = mk_bf16_layout_of(d, rows);
  return l.is_direct ? 0 : d->conv.groups * l.phases_y * l.rows;
}

ptrdiff_t mk_bf16_scratch_bytes(const mk_bf16_conv2d *d) {
  if (d->terms != MK_BF16_SPLIT_HALVES || d->portable) return 0;
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t blocks = mk_bf16_steps(c->input_channels, c->kernel_height, c->kernel_width) / MK_BF16_STEPS;
  return (mk_bf16_keeps_panel(blocks, mk_bf16_slot_count(d, c->output_height)) ? blocks : MK_BF16_KEPT_BLOCKS) * MK_BF16_BLOCK * 4;
}

ptrdiff_t mk_bf16_slot_count(const mk_bf16_conv2d *d, ptrdiff_t rows) {
  mk_bf16_layout l = mk_bf16_layout_of(d, rows);
  if (mk_bf16_uses_vectors(d)) return rows * d->conv.output_width;
  return rows == 0 ? 0 : (rows - 1) * l.width + d->conv.output_width;
}

#if MK_HAS_X86_LEVELS
#define CALL(name, ...)                                              \
  if (d->portable) name##_portable(__VA_ARGS__);                     \
  else if (mk_bf16_uses_vectors(d)) name##_avx512(__VA_ARGS__);      \
  else name##_amx(__VA_ARGS__);
#elif MK_HAS_NEON_LEVEL
#define CALL(name, ...)                                              \
  if (mk_bf16_uses_vectors(d)) name##_neon(__VA_ARGS__);             \
  else name##_portable(__VA_ARGS__);
#else
#define CALL(name, ...) name##_portable(__VA_ARGS__)
#endif

void mk_bf16_prepare(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
                     void *plane) {
  assert(d->portable || mk_bf16_is_fast() || (mk_bf16_uses_vectors(d) && d->terms == MK_BF16_PLAIN));
  assert(d->input_channel_stride == 1 || mk_bf16_takes_planes(d));
  assert(d->input_factors == NULL || mk_bf16_is_matrix(d));
  assert(0 <= y0 && y0 <= y1 && y1 <= d->conv.output_height);
  assert(0 <= unit0 && unit0 <= unit1 && unit1 <= mk_bf16_unit_count(d, y1 - y0));
  CALL(mk_bf16_prepare, d, image, y0, y1, unit0, unit1, plane);
}

void mk_bf16_conv2d_run(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const void *plane, ptrdiff_t slot0,
                        ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(d->portable || mk_bf16_is_fast() || (mk_bf16_uses_vectors(d) && d->terms == MK_BF16_PLAIN));
  assert(0 <= slot0 && slot0 <= slot1 && slot1 <= mk_bf16_slot_count(d, y1 - y0));
  assert(0 <= panel0 && panel0 <= panel1 && panel1 <= d->conv.groups * mk_divide_up(d->conv.output_channels, MK_BF16_PANEL));
  assert(mk_epilogue_is_valid(&d->conv.epilogue));
  assert(d->scratch != NULL || mk_bf16_scratch_bytes(d) == 0);
  if (slot0 == slot1 || panel0 == panel1) return;
  CALL(mk_bf16_conv2d_run, d, image, y0, y1, plane, slot0, slot1, panel0, panel1);
}
