/// The loops of one level, as template text after `vector.h`.

#define UNROLL _Pragma("clang loop unroll(full)")
/// Sums that do not depend on one another: enough to hide an addition's latency, few enough for the registers.
#define PEAK_SUMS (MK_LEVEL == 2 ? 24 : 12)
/// Steps of a round.
#define PEAK_STEPS 64

double MK_FN(mk_peak_f32)(ptrdiff_t rounds, float factor, float term, float *sum) {
  vec sums[PEAK_SUMS];
  const vec a = vec_splat(factor), b = vec_splat(term);
  UNROLL for (int i = 0; i < PEAK_SUMS; i++) sums[i] = vec_splat((float)i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < PEAK_SUMS; i++) sums[i] = sums[i] * a + b;
  }
  vec all = vec_splat(0.0f);
  UNROLL for (int i = 0; i < PEAK_SUMS; i++) all += sums[i];
  *sum = vec_sum(all);
  return 2.0 * PEAK_SUMS * LANES * PEAK_STEPS * (double)rounds;
}

float MK_FN(mk_peak_read)(const float *from, ptrdiff_t count) {
  // Streams and bytes ahead as in the products with few rows, which are bound by memory too.
  enum { streams = 4, ahead = 512 };
  const ptrdiff_t part = count / streams / (4 * LANES) * (4 * LANES);
  vec sums[streams][4];
  UNROLL for (int s = 0; s < streams; s++) UNROLL for (int j = 0; j < 4; j++) sums[s][j] = vec_splat(0.0f);
  for (ptrdiff_t i = 0; i < part; i += 4 * LANES) {
    UNROLL for (int s = 0; s < streams; s++) {
      const float *p = from + s * part + i;
      UNROLL for (int j = 0; j < 4 * LANES; j += 16) vec_prefetch(p + ahead + j);
      UNROLL for (int j = 0; j < 4; j++) sums[s][j] += vec_load(p + j * LANES);
    }
  }
  vec all = vec_splat(0.0f);
  UNROLL for (int s = 0; s < streams; s++) UNROLL for (int j = 0; j < 4; j++) all += sums[s][j];
  float sum = vec_sum(all);
  for (ptrdiff_t i = streams * part; i < count; i++) sum += from[i];
  return sum;
}
