/// GELU where registers hold tables, as template text after `gemm/vector_math.h`.

/// x Phi(x) with the normal distribution Phi, within 2^-23 |x|: enough beside products of bfloat16 pairs, in fewer steps than `vec_gelu`.
MK_INLINE vec vec_gelu_of_table(vec x) {
  // Phi(|x|) - 1/2 by polynomials of the fourth degree on intervals of 1 / 5.7 around multiples of it. From 5.35 on it is 1/2.
  static const float table[5][32] __attribute__((aligned(64))) = {
    {0, 0x1.1d36f6p-4f, 0x1.18e738p-3f, 0x1.9af69p-3f, 0x1.08ca32p-2f, 0x1.3d3e98p-2f, 0x1.6a3c26p-2f, 0x1.8fa81ap-2f, 0x1.add782p-2f,
     0x1.c5742ap-2f, 0x1.d75d8cp-2f, 0x1.e48accp-2f, 0x1.edf14cp-2f, 0x1.f47238p-2f, 0x1.f8cf4p-2f, 0x1.fba608p-2f, 0x1.fd709cp-2f,
     0x1.fe8934p-2f, 0x1.ff2fb6p-2f, 0x1.ff8f86p-2f, 0x1.ffc4fep-2f, 0x1.ffe1eep-2f, 0x1.fff11ep-2f, 0x1.fff8d8p-2f, 0x1.fffcaap-2f,
     0x1.fffe7cp-2f, 0x1.ffff56p-2f, 0x1.ffffb8p-2f, 0x1.ffffe2p-2f, 0x1.fffff4p-2f, 0x1.fffffcp-2f, 0x1p-1f},
    {0x1.1eadaap-4f, 0x1.1a4ce6p-4f, 0x1.0d903cp-4f, 0x1.f332ep-5f, 0x1.c037bap-5f, 0x1.863ecp-5f, 0x1.4978eap-5f, 0x1.0dbb8ap-5f,
     0x1.ac4366p-6f, 0x1.49addp-6f, 0x1.ec3126p-7f, 0x1.644572p-7f, 0x1.f4235cp-8f, 0x1.5468e8p-8f, 0x1.c1578ap-9f, 0x1.1f93dp-9f,
     0x1.64f0acp-10f, 0x1.ad9acp-11f, 0x1.f563a6p-12f, 0x1.1bb754p-12f, 0x1.375adap-13f, 0x1.4b545ap-14f, 0x1.55e602p-15f,
     0x1.561c62p-16f, 0x1.4bf284p-17f, 0x1.3852b4p-18f, 0x1.1cf3aap-19f, 0x1.f832bep-21f, 0x1.b08c1cp-22f, 0x1.67d4bp-23f,
     0x1.2243f8p-24f, 0},
    {0, -0x1.160af2p-10f, -0x1.097f76p-9f, -0x1.70c09cp-9f, -0x1.b97528p-9f, -0x1.e07302p-9f, -0x1.e6c138p-9f, -0x1.d0e9a8p-9f,
     -0x1.a5cddap-9f, -0x1.6d4b84p-9f, -0x1.2efafcp-9f, -0x1.e27c18p-10f, -0x1.717248p-10f, -0x1.106968p-10f, -0x1.833ebp-11f,
     -0x1.0989cap-11f, -0x1.5f8ed2p-12f, -0x1.c19294p-13f, -0x1.15c794p-13f, -0x1.4bd594p-14f, -0x1.7f53fp-15f, -0x1.ac512ap-16f,
     -0x1.cf072cp-17f, -0x1.e46098p-18f, -0x1.ea6c78p-19f, -0x1.e0a8c6p-20f, -0x1.c8145cp-21f, -0x1.a304ep-22f, -0x1.74ca18p-23f,
     -0x1.413282p-24f, -0x1.0c09b6p-25f, 0},
    {-0x1.77ee3ep-12f, -0x1.66cfd8p-12f, -0x1.360722p-12f, -0x1.d984cep-13f, -0x1.2aa984p-13f, -0x1.d994acp-15f, 0x1.71eb48p-16f,
     0x1.66b686p-14f, 0x1.100daep-13f, 0x1.429c28p-13f, 0x1.4f4bdep-13f, 0x1.3e555p-13f, 0x1.199e8p-13f, 0x1.d580a8p-14f,
     0x1.7352ecp-14f, 0x1.17ec56p-14f, 0x1.93952ep-15f, 0x1.16df0ep-15f, 0x1.721384p-16f, 0x1.d83f3cp-17f, 0x1.220f52p-17f,
     0x1.5750e6p-18f, 0x1.87cfaep-19f, 0x1.af6bb6p-20f, 0x1.ca8d8cp-21f, 0x1.d6afcep-22f, 0x1.d2c1f4p-23f, 0x1.bf4f6cp-24f,
     0x1.9e6356p-25f, 0x1.733038p-26f, 0x1.419008p-27f, 0},
    {0, 0x1.0e9c48p-17f, 0x1.f4c174p-17f, 0x1.492da6p-16f, 0x1.6af27ap-16f, 0x1.5f6eccp-16f, 0x1.2e14d6p-16f, 0x1.c7325p-17f,
     0x1.1d635ap-17f, 0x1.e77fe6p-19f, -0x1.e2df7p-22f, -0x1.c92cfcp-19f, -0x1.5aa8a2p-18f, -0x1.893a02p-18f, -0x1.813024p-18f,
     -0x1.5603dp-18f, -0x1.198d48p-18f, -0x1.b32b38p-19f, -0x1.3e2404p-19f, -0x1.ba4d9cp-20f, -0x1.256614p-20f, -0x1.746c34p-21f,
     -0x1.c5333cp-22f, -0x1.08c488p-22f, -0x1.29699p-23f, -0x1.417f98p-24f, -0x1.4eb8ecp-25f, -0x1.4fe01p-26f, -0x1.4505cap-27f,
     -0x1.2f773p-28f, -0x1.117f64p-29f, 0},
  };
  const vec magic = vec_splat(0x1.8p23f);
  vec magnitude = (vec)((vec_bits)x & INT32_MAX);
  vec position = vec_at_most(vec_splat(5.5f), magnitude) * 5.7f;
  vec shifted = position + magic;
  vec r = position - (shifted - magic);
#define MK_COEFFICIENT(k) \
  (vec)_mm512_permutex2var_ps(_mm512_load_ps(table[k]), (__m512i)(vec_bits)shifted, _mm512_load_ps(table[k] + 16))
  vec q = MK_COEFFICIENT(4);
  q = q * r + MK_COEFFICIENT(3);
  q = q * r + MK_COEFFICIENT(2);
  q = q * r + MK_COEFFICIENT(1);
  q = q * r + MK_COEFFICIENT(0);
#undef MK_COEFFICIENT
  q = (vec)((vec_bits)q | ((vec_bits)x & INT32_MIN));
  return x * q + x * 0.5f;
}
