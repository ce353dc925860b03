/// Rows of bytes by 4-bit weights, as template text after `q8_finish.h`, in plain C.

void MK_FN(mk_q4_linear)(const mk_q4_linear *l, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  const ptrdiff_t block = l->block, steps = mk_divide_up(block, 8), blocks = mk_divide_up(l->k, block);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const float *panel_sums = (const float *)(const void *)(l->weights + mk_q4_packed_bytes(l->k, l->n, block)) -
                              mk_round_up(l->n, MK_Q8_PANEL) + panel * MK_Q8_PANEL;
    for (ptrdiff_t m = m0; m < m1; m++) {
      const uint8_t *w = l->weights + panel * blocks * (steps * 4 * MK_Q8_PANEL + 4 * MK_Q8_PANEL);
      const int8_t *a = l->a + m * l->a_row_stride;
      float totals[MK_Q8_PANEL] = {0};
      for (ptrdiff_t b = 0; b < blocks; b++) {
        int32_t sums[MK_Q8_PANEL] = {0};
        for (ptrdiff_t s = 0; s < steps; s++, w += 4 * MK_Q8_PANEL) {
          const int8_t *x = a + b * block + 8 * s;
          for (int i = 0; i < 4; i++) {
            const int32_t first = x[i], second = x[i + 4];
            for (int j = 0; j < MK_Q8_PANEL; j++) {
              const int32_t byte = w[4 * j + i];
              sums[j] += first * ((byte & 15) - 8) + second * ((byte >> 4) - 8);
            }
          }
        }
        float scales[MK_Q8_PANEL];
        memcpy(scales, w, sizeof scales);
        w += 4 * MK_Q8_PANEL;
        for (int j = 0; j < MK_Q8_PANEL; j++) {
          const float part = (float)sums[j] * scales[j];
          totals[j] = totals[j] + part;
        }
      }
      q4_store(l, m, panel, totals, panel_sums);
    }
  }
}
