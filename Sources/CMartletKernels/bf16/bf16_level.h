/// The product of one level, as template text after its `bf16_tile`: panels of weights pass by slots of a plane.

/// Slots whose results' places are kept at a time; their part of the plane is to stay in the L2 cache.
#define BLOCK_SLOTS 512
#define UNROLL _Pragma("clang loop unroll(full)")

/// A tile whose sums wait to be stored: that is done while the next one's are made.
typedef struct MK_FN(bf16_pending) {
  float *sums;
  /// Number of the first slot within the block, and slots; none wait if that is 0.
  ptrdiff_t slot, slots;
  /// First column over all groups, and columns.
  ptrdiff_t column, columns;
} MK_FN(bf16_pending);

/// Sums of one row of a tile with the epilogue up to early activations.
MK_INLINE vec bf16_finished(const float *sums, vec alpha, vec bias, vec residual, const int activation, const mk_epilogue *e) {
  return vec_activate_early(vec_load(sums) * alpha + bias + residual, activation, e->lo, e->hi);
}

/// Stores a tile. `places` are offsets of the pixels' results, below 0 for none, and `residual_places` those of the residual.
MK_INLINE void bf16_store(const mk_conv2d *c, const MK_FN(bf16_pending) *t, const ptrdiff_t *places, const ptrdiff_t *residual_places,
                          const int activation, const int is_late) {
  const mk_epilogue *e = &c->epilogue;
  const vec alpha = vec_splat(e->alpha);
  const ptrdiff_t whole = t->columns / LANES * LANES, tail = t->columns - whole;
  vec bias[MK_BF16_PANEL / LANES], last_bias = vec_splat(0.0f);
  for (int j = 0; j < MK_BF16_PANEL / LANES; j++)
    bias[j] = e->bias == NULL || (j + 1) * LANES > t->columns ? vec_splat(0.0f) : vec_load(e->bias + t->column + j * LANES);
  if (e->bias != NULL && tail > 0) last_bias = vec_load_first(e->bias + t->column + whole, tail);
  const vec zero = vec_splat(0.0f);
  if (tail == 0 && whole == MK_BF16_PANEL && e->residual == NULL && !is_late) {
    float *out = c->output + t->column;
    for (ptrdiff_t i = 0; i < t->slots; i++) {
      if (places[i] < 0) continue;
      UNROLL for (int j = 0; j < MK_BF16_PANEL / LANES; j++) {
        vec v = bf16_finished(t->sums + i * MK_BF16_PANEL + j * LANES, alpha, bias[j], zero, activation, e);
        vec_store(out + places[i] + j * LANES, v);
      }
    }
    return;
  }
  for (ptrdiff_t i = 0; i < t->slots; i++) {
    if (places[i] < 0) continue;
    float *sums = t->sums + i * MK_BF16_PANEL;
    const float *residual = e->residual == NULL ? NULL : e->residual + residual_places[i] + t->column;
    float *out = is_late ? sums : c->output + places[i] + t->column;
    for (ptrdiff_t j = 0; j < whole; j += LANES)
      vec_store(out + j, bf16_finished(sums + j, alpha, bias[j / LANES], residual == NULL ? zero : vec_load(residual + j), activation, e));
    if (tail > 0) {
      vec more = residual == NULL ? zero : vec_load_first(residual + whole, tail);
      vec_store_first(out + whole, bf16_finished(sums + whole, alpha, last_bias, more, activation, e), tail);
    }
  }
  if (!is_late) return;
  MK_ACTIVATE(t->sums, MK_BF16_PANEL, t->slots, t->columns, e);
  for (ptrdiff_t i = 0; i < t->slots; i++) {
    if (places[i] < 0) continue;
    const float *sums = t->sums + i * MK_BF16_PANEL;
    float *out = c->output + places[i] + t->column;
    for (ptrdiff_t j = 0; j < whole; j += LANES) vec_store(out + j, vec_load(sums + j));
    if (tail > 0) vec_store_first(out + whole, vec_load(sums + whole), tail);
  }
}

static void MK_FN(bf16_finish)(const mk_conv2d *c, MK_FN(bf16_pending) *t, const ptrdiff_t *places, const ptrdiff_t *residual_places) {
  places += t->slot;
  residual_places += t->slot;
  switch (c->epilogue.activation) {
    case MK_ACTIVATION_NONE: bf16_store(c, t, places, residual_places, MK_ACTIVATION_NONE, 0); break;
    case MK_ACTIVATION_CLAMP: bf16_store(c, t, places, residual_places, MK_ACTIVATION_CLAMP, 0); break;
    case MK_ACTIVATION_HARDSWISH: bf16_store(c, t, places, residual_places, MK_ACTIVATION_HARDSWISH, 0); break;
    case MK_ACTIVATION_HARDSIGMOID: bf16_store(c, t, places, residual_places, MK_ACTIVATION_HARDSIGMOID, 0); break;
    case MK_ACTIVATION_LEAKY_RELU: bf16_store(c, t, places, residual_places, MK_ACTIVATION_LEAKY_RELU, 0); break;
    default: bf16_store(c, t, places, residual_places, MK_ACTIVATION_NONE, 1); break;
  }
  t->slots = 0;
}

void MK_FN(mk_bf16_conv2d_run)(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const uint16_t *plane,
                               ptrdiff_t slot0, ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1) {
  const mk_conv2d *c = &d->conv;
  const mk_bf16_layout l = mk_bf16_layout_of(d, y1 - y0);
  const ptrdiff_t taps = l.gathers ? 1 : c->kernel_height * c->kernel_width, parts = mk_bf16_parts(d->terms);
  const ptrdiff_t panels = mk_divide_up(c->output_channels, MK_BF16_PANEL), panel_size = taps * l.steps * MK_BF16_PANEL * parts;
  const uint16_t *weights = (const uint16_t *)(const void *)c->weights;
  // Rows of a tile: as even as possible, since a tile costs by rows.
  const ptrdiff_t halves = mk_divide_up(slot1 - slot0, 16), half = mk_divide_up(slot1 - slot0, halves), tile_slots = 2 * half;
  const ptrdiff_t block_slots = BLOCK_SLOTS / tile_slots * tile_slots;
  float sums[2][32 * MK_BF16_PANEL] __attribute__((aligned(64)));
  ptrdiff_t places[BLOCK_SLOTS], residual_places[BLOCK_SLOTS];
  MK_FN(bf16_pending) pending = {.slots = 0};
  int turn = 0;
  ptrdiff_t offsets[MK_BF16_KNOWN_TAPS];
  for (ptrdiff_t tap = 0; tap < mk_min(taps, MK_BF16_KNOWN_TAPS); tap++) offsets[tap] = l.gathers ? 0 : bf16_tap_offset(c, &l, tap);
  // Where each panel is used by one block only, the next one is asked for meanwhile, its parts by one tile each.
  const ptrdiff_t steps = taps * l.steps / MK_BF16_STEPS, tiles = mk_divide_up(slot1 - slot0, tile_slots);
  const ptrdiff_t fetch_step = slot1 - slot0 <= block_slots ? mk_divide_up(MK_BF16_STEPS * MK_BF16_PANEL * parts, 32 * tiles) : 0;
  const ptrdiff_t share = steps * fetch_step * 32;
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
      const uint16_t *group_plane = plane + group * l.slots_per_group * l.slot;
      for (ptrdiff_t i = 0; i < count; i += tile_slots) {
        const ptrdiff_t slots = mk_min(tile_slots, count - i);
        float *tile_sums = sums[turn];
        turn ^= 1;
        const uint16_t *b = weights + panel * panel_size, *next = b + (panel + 1 < panel1 ? panel_size + i / tile_slots * share : 0);
        bf16_tile(d, &l, group_plane + (first + i) * l.slot, half, slots > half, columns, offsets, b, next, fetch_step, tile_sums);
        if (pending.slots > 0) MK_FN(bf16_finish)(c, &pending, places, residual_places);
        pending = (MK_FN(bf16_pending)){tile_sums, i, slots, group * c->output_channels + column, columns};
      }
    }
    // Before the places change.
    if (pending.slots > 0) MK_FN(bf16_finish)(c, &pending, places, residual_places);
  }
  bf16_end();
}
