/// Declarations shared by the files of `pixels/`.
#ifndef MARTLET_PIXELS_TYPES_H
#define MARTLET_PIXELS_TYPES_H

#include "martlet_pixels.h"

#define MK_DECLARE_PIXELS_LEVEL(level)                                                                                             \
  void mk_pixels_reorder_##level(                                                                                                  \
      const uint8_t *source, int source_step, uint8_t *target, int target_step, const int8_t *places, ptrdiff_t count);            \
  void mk_pixels_to_floats_##level(                                                                                                \
      const uint8_t *source, int step, int channels, const int8_t *places, const float *scale, const float *bias,                  \
      float *const *planes, ptrdiff_t stride, ptrdiff_t count);                                                                    \
  void mk_floats_to_bytes_##level(const float *source, uint8_t *target, ptrdiff_t count);                                          \
  void mk_floats_to_pixels_##level(                                                                                                \
      const float *const *planes, ptrdiff_t stride, int channels, const int8_t *places, const float *scale, const float *bias,     \
      uint8_t *target, int step, ptrdiff_t count);                                                                                 \
  void mk_pixels_luma_##level(const uint8_t *source, int step, const int8_t *places, uint8_t *target, ptrdiff_t count);            \
  void mk_resample_row_u8_##level(                                                                                                 \
      const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width,             \
      ptrdiff_t first, ptrdiff_t end, uint8_t *target);                                                                            \
  void mk_resample_row_u8_f32_##level(                                                                                             \
      const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width,             \
      ptrdiff_t first, ptrdiff_t end, float *target);                                                                              \
  void mk_resample_row_f32_##level(                                                                                                \
      const mk_resampling *axis, const float *source, int channels, ptrdiff_t first, ptrdiff_t end, float *target);                \
  void mk_resample_column_u8_##level(                                                                                              \
      const mk_resampling *axis, ptrdiff_t y, const uint8_t *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count,     \
      uint8_t *target);                                                                                                            \
  void mk_resample_column_f32_##level(                                                                                             \
      const mk_resampling *axis, ptrdiff_t y, const float *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count,       \
      int dtype, void *target);                                                                                                    \
  void mk_pixels_reduce_row_##level(                                                                                               \
      const uint8_t *source, ptrdiff_t row_stride, int step, ptrdiff_t width, int x_factor, int height, uint32_t *sums,            \
      uint8_t *target);                                                                                                            \
  void mk_chroma_to_pixels_##level(                                                                                                \
      const mk_chroma_matrix *matrix, int bits, const void *luma, const void *chroma, uint8_t *target, ptrdiff_t count);           \
  void mk_pixels_to_chroma_##level(                                                                                                \
      const mk_luma_matrix *matrix, int bits, const uint8_t *first, const uint8_t *second, int step, const int8_t *places,         \
      void *first_luma, void *second_luma, void *chroma, ptrdiff_t count);                                                         \
  void mk_pixels_premultiply_##level(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);                          \
  void mk_pixels_unpremultiply_##level(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);                        \
  void mk_pixels_blend_##level(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);                                \
  void mk_pixels_blend_f32_##level(const float *source, int alpha, float *target, ptrdiff_t count);
MK_DECLARE_PIXELS_LEVEL(portable)
MK_DECLARE_PIXELS_LEVEL(avx2)
MK_DECLARE_PIXELS_LEVEL(avx512)
MK_DECLARE_PIXELS_LEVEL(neon)

#endif
