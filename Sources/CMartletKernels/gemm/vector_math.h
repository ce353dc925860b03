/// Exponential functions of `vec`, as template text after `vector.h`. Polynomials are minimax fits made for these intervals. NaN
/// gives NaN; infinities give the limits.

/// x = n ln 2 + r with n an integer and |r| <= ln 2 / 2, and q with e^r = 1 + r + q r^2.
typedef struct {
  vec r, q;
  vec_bits n;
} MK_FN(exp_remainder);

/// For |x| < 2^21.
MK_INLINE MK_FN(exp_remainder) vec_exp_reduce(vec x) {
  // Adding 1.5 * 2^23 rounds to an integer, left in the low bits.
  const vec magic = vec_splat(0x1.8p23f);
  vec shifted = x * 0x1.715476p0f + magic;
  vec n = shifted - magic;
  vec r = x - n * 0x1.62e4p-1f;
  r = r - n * 0x1.7f7d1cp-20f;
  vec q = vec_splat(0x1.6a1a6ep-10f);
  q = q * r + 0x1.123fc6p-7f;
  q = q * r + 0x1.555916p-5f;
  q = q * r + 0x1.55548ap-3f;
  q = q * r + 0x1.fffffcp-2f;
  return (MK_FN(exp_remainder)){r, q, (vec_bits)shifted - (vec_bits)magic};
}

/// e^x = 2^n (1 + p) with n an integer and p = e^r - 1 for a remainder |r| <= ln 2 / 2: the parts of a result.
typedef struct {
  vec p;
  vec_bits n;
} MK_FN(exp_parts);

MK_INLINE MK_FN(exp_parts) vec_exp_parts(vec x) {
  // Outside of these bounds the result is 0 or infinity anyway.
  MK_FN(exp_remainder) e = vec_exp_reduce(vec_at_most(vec_splat(89.0f), vec_at_least(vec_splat(-104.0f), x)));
  return (MK_FN(exp_parts)){e.q * e.r * e.r + e.r, e.n};
}

/// 2^n for a normal result.
MK_INLINE vec vec_power_of_two(vec_bits n) { return (vec)((n + 127) << 23); }

/// e^x within 2 units in the last place, subnormal results included.
MK_INLINE vec vec_exp(vec x) {
  MK_FN(exp_parts) e = vec_exp_parts(x);
  vec_bits half = e.n >> 1;
  return (e.p + 1.0f) * vec_power_of_two(half) * vec_power_of_two(e.n - half);
}

/// 2^n (1 + r + q r^2) as `vec_exp_reduce` leaves them, for results below 2^128; subnormal ones included.
MK_INLINE vec vec_exp_join(MK_FN(exp_remainder) e) {
#if MK_LEVEL == 2
  const vec magic = vec_splat(0x1.8p23f);
  vec power = (e.q * e.r + 1.0f) * e.r + 1.0f;
  return (vec)_mm512_scalef_ps((__m512)power, (__m512)((vec)(e.n + (vec_bits)magic) - magic));
#else
  vec_bits half = e.n >> 1;
  return (e.q * e.r * e.r + e.r + 1.0f) * vec_power_of_two(half) * vec_power_of_two(e.n - half);
#endif
}

/// e^x for x <= 0 within 2 units in the last place, subnormal results included.
MK_INLINE vec vec_exp_small(vec x) { return vec_exp_join(vec_exp_reduce(vec_at_least(vec_splat(-104.0f), x))); }

/// e^x for x <= 0 within 2 units in the last place; 0 where it is close to the smallest normal number or less.
MK_INLINE vec vec_exp_nonpositive(vec x) {
  const vec lowest = vec_splat(-87.0f);
#if MK_LEVEL == 2
  vec value = vec_exp_join(vec_exp_reduce(vec_at_least(lowest, x)));
  return x < lowest ? vec_splat(0.0f) : value;
#else
  MK_FN(exp_remainder) e = vec_exp_reduce(vec_at_least(lowest, x));
  vec power = e.q * e.r + 1.0f;
  power = power * e.r + 1.0f;
  // n is added to the exponent.
  vec value = (vec)((vec_bits)power + (e.n << 23));
  value = x < lowest ? vec_splat(0.0f) : value;
  // The bits of a NaN may have become anything.
  return x != x ? x : value;
#endif
}

/// e^x - 1 for x <= 0 within 3 units in the last place.
MK_INLINE vec vec_expm1_negative(vec x) {
  // Below -18 the result is -1 to the last bit.
  MK_FN(exp_parts) e = vec_exp_parts(vec_at_least(vec_splat(-18.0f), x));
  vec scale = vec_power_of_two(e.n);
  return e.p * scale + (scale - 1.0f);
}

/// 1 / d within 1 unit in the last place, for 1 <= d <= 2.
MK_INLINE vec vec_reciprocal(vec d) {
#if MK_LEVEL == 2
  vec y = (vec)_mm512_rcp14_ps((__m512)d);
  return (1.0f - d * y) * y + y;
#else
  return 1.0f / d;
#endif
}

/// 1 / (1 + e^-x) within 4 units in the last place while the result is normal.
MK_INLINE vec vec_sigmoid(vec x) {
  // From e^-|x| there is no overflow on the way.
  vec e = vec_exp_small((vec)((vec_bits)x | INT32_MIN));
  vec inverse = vec_reciprocal(e + 1.0f);
  return x < vec_splat(0.0f) ? e * inverse : inverse;
}

/// tanh x within 3 units in the last place.
MK_INLINE vec vec_tanh(vec x) {
  vec_bits sign = (vec_bits)x & INT32_MIN;
  vec magnitude = (vec)((vec_bits)x & INT32_MAX);
  vec z = x * x;
  vec q = vec_splat(-0x1.6a52eep-8f);
  q = q * z + 0x1.4f9936p-6f;
  q = q * z - 0x1.b7da4ep-5f;
  q = q * z + 0x1.11044ep-3f;
  q = q * z - 0x1.555526p-2f;
  vec small = q * z * x + x;
  vec large = 1.0f - 2.0f / (vec_exp(magnitude + magnitude) + 1.0f);
  return magnitude < vec_splat(0.65f) ? small : (vec)((vec_bits)large | sign);
}

/// x (1 + erf(x / sqrt 2)) / 2, the product of x and the normal distribution's function: within 1e-7 max(1, |x|), and for |x| <= 1 within
/// 4 units in the last place.
MK_INLINE vec vec_gelu(vec x) {
  // max(x, 0) - t P(-t) with t = |x|; the polynomial is log P(-t) on [0, 9], where t P(-t) has become 1e-18.
  vec magnitude = (vec)((vec_bits)x & INT32_MAX);
  vec t = vec_at_most(vec_splat(9.0f), magnitude);
  vec l = vec_splat(0x1.e2e46ep-31f);
  l = l * t - 0x1.51587ep-25f;
  l = l * t + 0x1.959138p-21f;
  l = l * t - 0x1.1163aep-17f;
  l = l * t + 0x1.bb01cp-15f;
  l = l * t - 0x1.864c3p-13f;
  l = l * t - 0x1.c24c34p-16f;
  l = l * t + 0x1.3e7bc2p-8f;
  l = l * t - 0x1.2a17e8p-5f;
  l = l * t - 0x1.45edfp-2f;
  l = l * t - 0x1.9884c4p-1f;
  l = l * t - 0x1.62e42ap-1f;
  return vec_at_least(vec_splat(0.0f), x) - t * vec_exp_join(vec_exp_reduce(l));
}
