/// Rounding of vectors to bfloat16 and the set-up of tiles, as template text after `gemm/vector.h` at the level with matrix tiles.

/// 32 numbers, the first 16 of them in `first`, as bfloat16.
MK_INLINE __m512i bf16_hi(__m512 first, __m512 second) { return (__m512i)_mm512_cvtne2ps_pbh(second, first); }

/// What is left of the numbers beside `hi`; zero where that is not finite.
MK_INLINE __m512i bf16_lo(__m512 first, __m512 second, __m512i hi) {
  __m512i wide_first = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(hi)), 16);
  __m512i wide_second = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(hi, 1)), 16);
  __m512i rest = bf16_hi(_mm512_sub_ps(first, (__m512)wide_first), _mm512_sub_ps(second, (__m512)wide_second));
  const __m512i exponent = _mm512_set1_epi16(0x7f80);
  return _mm512_maskz_mov_epi16(_mm512_cmpneq_epi16_mask(_mm512_and_si512(hi, exponent), exponent), rest);
}

/// 16 elements, zero in the lanes that are not in the mask.
MK_INLINE __m512 bf16_load(const void *from, ptrdiff_t index, const int dtype, __mmask16 mask) {
  if (dtype == MK_F32) return _mm512_maskz_loadu_ps(mask, (const float *)from + index);
  __m256i halves = _mm256_maskz_loadu_epi16(mask, (const uint16_t *)from + index);
  return dtype == MK_F16 ? _mm512_cvtph_ps(halves) : (__m512)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
}

/// A mask whose first `count` >= 0 bits are set.
MK_INLINE __mmask32 bf16_mask(ptrdiff_t count) { return count >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << count) - 1; }

MK_INLINE void tiles_configure(ptrdiff_t half) {
  const mk_tile_configuration configuration = mk_tile_configuration_of(half);
  _tile_loadconfig(&configuration);
}
