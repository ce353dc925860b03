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

/// e^x for x <= 0 within 2 units in the last place; 0 where it is close to the smallest normal number or less.
MK_INLINE vec vec_exp_nonpositive(vec x) {
  const vec lowest = vec_splat(-87.0f);
  MK_FN(exp_remainder) e = vec_exp_reduce(vec_at_least(lowest, x));
  vec power = e.q * e.r + 1.0f;
  power = power * e.r + 1.0f;
  // n is added to the exponent.
  vec value = (vec)((vec_bits)power + (e.n << 23));
  value = x < lowest ? vec_splat(0.0f) : value;
  // The bits of a NaN may have become anything.
  return x != x ? x : value;
}

/// e^x - 1 for x <= 0 within 3 units in the last place.
MK_INLINE vec vec_expm1_negative(vec x) {
  // Below -18 the result is -1 to the last bit.
  MK_FN(exp_parts) e = vec_exp_parts(vec_at_least(vec_splat(-18.0f), x));
  vec scale = vec_power_of_two(e.n);
  return e.p * scale + (scale - 1.0f);
}

/// 1 / (1 + e^-x) within 4 units in the last place while the result is normal.
MK_INLINE vec vec_sigmoid(vec x) { return 1.0f / (1.0f + vec_exp(-x)); }

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

/// erf x within 3 units in the last place.
MK_INLINE vec vec_erf(vec x) {
  vec_bits sign = (vec_bits)x & INT32_MIN;
  vec magnitude = (vec)((vec_bits)x & INT32_MAX);
  vec z = x * x;
  vec q = vec_splat(-0x1.34f2b8p-11f);
  q = q * z + 0x1.45ff36p-8f;
  q = q * z - 0x1.b65722p-6f;
  q = q * z + 0x1.ce1700p-4f;
  q = q * z - 0x1.8126d2p-2f;
  q = q * z + 0x1.06eba6p-3f;
  vec small = q * x + x;
  // log erfc on [0.9, 4]; erf is 1 to the last bit from 3.92 on.
  vec t = vec_at_most(vec_splat(4.0f), magnitude);
  vec l = vec_splat(-0x1.5ecdep-16f);
  l = l * t + 0x1.c54d78p-12f;
  l = l * t - 0x1.10aa10p-8f;
  l = l * t + 0x1.9b195ep-6f;
  l = l * t - 0x1.bb5652p-4f;
  l = l * t - 0x1.444b42p-1f;
  l = l * t - 0x1.212698p+0f;
  l = l * t + 0x1.65ac74p-13f;
  // e^l is well within the range of normal numbers, so n is just added to the exponent. The bits of a NaN may have become anything.
  MK_FN(exp_remainder) e = vec_exp_reduce(l);
  vec power = (e.q * e.r + 1.0f) * e.r + 1.0f;
  vec large = 1.0f - (vec)((vec_bits)power + (e.n << 23));
  return magnitude > vec_splat(0.92f) ? (vec)((vec_bits)large | sign) : small;
}
