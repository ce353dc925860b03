/// The product of one level, as template text after its `bf16_tile`: panels of weights pass by slots of a plane.

/// Slots whose results' places are kept at a time; their part of the plane is to stay in the L2 cache.
#define BLOCK_SLOTS 512

void MK_FN(mk_bf16_conv2d_run)(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const uint16_t *plane,
                               ptrdiff_t slot0, ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1) {
  const mk_conv2d *c = &d->conv;
  const mk_bf16_layout l = mk_bf16_layout_of(d, y1 - y0);
  const ptrdiff_t taps = l.taps, parts = mk_bf16_packed_parts(d->terms);
  const ptrdiff_t panels = mk_divide_up(c->output_channels, MK_BF16_PANEL), panel_size = taps * l.steps * MK_BF16_PANEL * parts;
  const uint16_t *weights = (const uint16_t *)(const void *)c->weights;
  // Rows of a tile: as even as possible, since a tile costs by rows.
  const ptrdiff_t halves = mk_divide_up(slot1 - slot0, 16), half = mk_divide_up(slot1 - slot0, halves), tile_slots = 2 * half;
  const ptrdiff_t block_slots = BLOCK_SLOTS / tile_slots * tile_slots;
  float sums[2][32 * MK_BF16_PANEL] __attribute__((aligned(64)));
  ptrdiff_t places[BLOCK_SLOTS], residual_places[BLOCK_SLOTS];
  MK_FN(bf16_pending) pending = {.slots = 0};
  const MK_FN(bf16_storing) storing = MK_FN(bf16_storing_for)(d);
  int turn = 0;
  ptrdiff_t offsets[MK_BF16_KNOWN_TAPS];
  for (ptrdiff_t tap = 0; tap < mk_min(taps, MK_BF16_KNOWN_TAPS); tap++) offsets[tap] = bf16_tap_offset(c, &l, tap);
  // Where each panel is used by one block only, the next one is asked for meanwhile, its parts by one tile each.
  const ptrdiff_t steps = taps * l.steps / MK_BF16_STEPS, tiles = mk_divide_up(slot1 - slot0, tile_slots);
  const ptrdiff_t fetch_step = slot1 - slot0 <= block_slots ? mk_divide_up(MK_BF16_BLOCK * parts, 32 * tiles) : 0;
  const ptrdiff_t share = steps * fetch_step * 32;
  const int keeps_panel = mk_bf16_keeps_panel(steps, slot1 - slot0);
  const uint16_t *start = plane;
  mk_bf16_layout end_layout = l;
  // First slot of the copy.
  ptrdiff_t end = PTRDIFF_MAX;
  uint16_t end_slots[32 * (MK_BF16_LONGEST_PIXEL + MK_BF16_STEPS)];
  if (l.is_direct) {
    start = (const uint16_t *)(const void *)c->input + image * c->input_image_stride + y0 * c->input_row_stride;
    // The last tile must not read beyond the input: it has a copy.
    ptrdiff_t rest = (slot1 - slot0) % block_slots % tile_slots;
    if (rest == 0 && c->input_channels < l.steps) rest = tile_slots;
    end_layout.slot = l.steps + MK_BF16_STEPS;
    if (rest > 0) memset(end_slots, 0, (size_t)(tile_slots * end_layout.slot) * 2);
    for (ptrdiff_t i = 0; i < rest; i++)
      memcpy(end_slots + i * end_layout.slot, start + (slot1 - rest + i) * l.slot, (size_t)c->input_channels * 2);
    end = slot1 - rest;
  }
  bf16_begin(half);
  for (ptrdiff_t first = slot0; first < slot1; first += block_slots) {
    const ptrdiff_t count = mk_min(block_slots, slot1 - first);
    ptrdiff_t y = first / l.width, x = first % l.width;
    for (ptrdiff_t i = 0; i < count; i++) {
      const int exists = x < c->output_width;
      places[i] = !exists ? -1
                          : image * c->output_image_stride + (y0 + y) * c->output_row_stride + x * c->output_pixel_stride;
      residual_places[i] =
        image * c->residual_image_stride + (y0 + y) * c->residual_row_stride + x * c->residual_pixel_stride;
      if (++x == l.width) x = 0, y++;
    }
    for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
      const ptrdiff_t group = panel / panels, column = (panel - group * panels) * MK_BF16_PANEL;
      const ptrdiff_t columns = mk_min(MK_BF16_PANEL, c->output_channels - column);
      const uint16_t *group_plane = start + group * l.group;
      for (ptrdiff_t i = 0; i < count; i += tile_slots) {
        const ptrdiff_t slots = mk_min(tile_slots, count - i);
        float *tile_sums = sums[turn];
        turn ^= 1;
        const uint16_t *b = weights + panel * panel_size;
        const mk_bf16_panel passing = {.packed = b,
                                       .split = d->scratch,
                                       .kept = keeps_panel ? PTRDIFF_MAX : MK_BF16_KEPT_BLOCKS - 1,
                                       .is_new = i == 0 || !keeps_panel,
                                       .next = b + (panel + 1 < panel1 ? panel_size + i / tile_slots * share : 0),
                                       .fetch_lines = fetch_step};
        const int is_end = first + i >= end;
        const uint16_t *a = is_end ? end_slots : group_plane + (first + i) * l.slot;
        bf16_tile(d, is_end ? &end_layout : &l, a, half, slots > half, columns, offsets, &passing, tile_sums, &pending);
        bf16_finish(d, &pending, tile_slots);
        pending = (MK_FN(bf16_pending)){tile_sums, places + i, residual_places + i, slots, 0,
                                        group * c->output_channels + column, columns, storing};
      }
    }
    // Before the places change.
    bf16_finish(d, &pending, tile_slots);
  }
  bf16_end();
}
