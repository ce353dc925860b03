/// Attention of few queries to stretches of caches, and of many queries to 8-bit caches, compared with the formula in double precision.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "martlet_attention.h"
#include "martlet_convert.h"

/// A cache of `keys` rows, at a stride of `stride` elements, and what it holds.
typedef struct {
  void *rows;
  float *scales;
  int8_t *points;
  double *real;
} cache;

static cache cache_of(int dtype, ptrdiff_t keys, ptrdiff_t depth, ptrdiff_t stride, int has_parameters) {
  cache c = {.scales = floats(keys * 2, 0.05f), .points = bytes_of(keys * 3), .real = memory(keys * depth * 8)};
  float *wide = floats(keys * stride, 1);
  c.rows = memory(keys * stride * 4);
  if (dtype == MK_I8) {
    int8_t *bytes = c.rows;
    for (ptrdiff_t i = 0; i < keys * stride; i++) bytes[i] = (int8_t)(next() % 256 - 128);
  } else {
    mk_convert(MK_F32, wide, 1, dtype, c.rows, keys * stride);
    mk_convert(dtype, c.rows, 1, MK_F32, wide, keys * stride);
  }
  for (ptrdiff_t j = 0; j < keys; j++)
    for (ptrdiff_t d = 0; d < depth; d++) {
      double value = wide[j * stride + d];
      if (dtype == MK_I8)
        value = (((int8_t *)c.rows)[j * stride + d] - (has_parameters ? c.points[j * 3] : 0)) * (double)(has_parameters ? c.scales[j * 2] : 0.01f);
      c.real[j * depth + d] = value;
    }
  free(wide);
  return c;
}

static void forget(cache c) { free(c.rows), free(c.scales), free(c.points), free(c.real); }

static mk_attention_scaling scaling(const cache *c, int has_parameters) {
  mk_attention_scaling s = {.scale = 0.01f};
  if (has_parameters) s.scales = c->scales, s.scale_stride = 2, s.zero_points = c->points, s.zero_point_stride = 3;
  return s;
}

/// Row `i` of the result, by the formula.
static void reference(const mk_attention *a, const float *q, ptrdiff_t i, const double *k, const double *v, double *result) {
  double maximum = -INFINITY, sum = 0, *scores = memory((a->keys + 1) * 8);
  for (ptrdiff_t j = 0; j < a->keys; j++) {
    double s = 0;
    for (ptrdiff_t d = 0; d < a->depth; d++) s += q[i * a->q_row_stride + d] * k[j * a->depth + d];
    scores[j] = s * a->scale + (a->mask != NULL ? a->mask[i * a->mask_row_stride + j] : 0);
    if (a->causal && j > i + a->causal_offset) scores[j] = -INFINITY;
    maximum = fmax(maximum, scores[j]);
  }
  memset(result, 0, (size_t)a->value_depth * 8);
  for (ptrdiff_t j = 0; j < a->keys; j++) {
    if (scores[j] == -INFINITY) continue;
    const double weight = exp(scores[j] - maximum);
    sum += weight;
    for (ptrdiff_t c = 0; c < a->value_depth; c++) result[c] += weight * v[j * a->value_depth + c];
  }
  for (ptrdiff_t c = 0; c < a->value_depth; c++)
    result[c] = sum == 0 ? (a->hidden_is_zero ? 0.0 : NAN) : result[c] / sum;
  free(scores);
}

static void compare(const char *name, const mk_attention *a, const float *q, const double *k, const double *v, const float *y) {
  double *row = memory((a->value_depth + 1) * 8);
  int agrees = 1;
  for (ptrdiff_t i = 0; i < a->queries; i++) {
    reference(a, q, i, k, v, row);
    for (ptrdiff_t c = 0; c < a->value_depth; c++) {
      const double value = (double)y[i * a->output_row_stride + c];
      agrees &= (isnan(row[c]) && isnan(value)) || fabs(value - row[c]) <= 3e-5 * (1 + fabs(row[c]));
    }
  }
  require(agrees, name);
  free(row);
}

void test_attention_of_caches(void) {
  // Queries, keys, depth, value depth, extra elements between rows.
  static const ptrdiff_t shapes[][5] = {{1, 1, 1, 1, 0},     {1, 9, 5, 7, 3},      {2, 70, 16, 33, 0},  {3, 33, 64, 64, 8}, {4, 300, 40, 32, 5},
                                        {1, 513, 128, 96, 0}, {4, 129, 20, 17, 1}, {7, 300, 24, 40, 2}, {40, 70, 8, 9, 0}};
  static const int types[] = {MK_F32, MK_F16, MK_BF16, MK_I8};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int variant = 0; variant < 48; variant++) {
      const int dtype = types[variant % 4], hiding = variant / 4 % 3, has_parameters = variant / 12 % 2, is_latest = variant / 24;
      const ptrdiff_t queries = shapes[i][0], keys = shapes[i][1], depth = shapes[i][2], values = shapes[i][3], gap = shapes[i][4];
      cache k = cache_of(dtype, keys, depth, depth + gap, has_parameters), v = cache_of(dtype, keys, values, values + gap, has_parameters);
      // Queries this far apart share sets of the L1 cache and are copied.
      const ptrdiff_t q_stride = variant % 5 == 0 ? 1024 : depth;
      float *q = floats(queries * q_stride, 1), *mask = floats(queries * keys, 1), *y = blank(queries * values * 4);
      float *latest_k = floats(keys * depth, 1), *latest_v = floats(keys * values, 1);
      const ptrdiff_t start = keys > queries ? keys - queries : 0;
      const ptrdiff_t latest_count = variant % 3 == 0 && keys - start > 1 ? keys - start - 1 : keys - start;
      // The whole range, its ends and, for one query, everything are hidden in turn.
      for (ptrdiff_t r = 0; r < queries; r++)
        for (ptrdiff_t j = 0; j < keys; j++)
          if (j < keys / 3 + r || j > keys - keys / 4 + r || (variant % 5 == 0 && r == queries - 1)) mask[r * keys + j] = -INFINITY;
      mk_attention a = {.q = q, .q_row_stride = q_stride, .k = k.rows, .k_row_stride = depth + gap, .v = v.rows, .v_row_stride = values + gap,
                        .output = y, .output_row_stride = values, .queries = queries, .keys = keys, .depth = depth, .value_depth = values,
                        .scale = 0.3f, .causal = hiding == 1, .causal_offset = start, .hidden_is_zero = variant & 1, .key_dtype = dtype,
                        .key_scaling = scaling(&k, has_parameters), .value_scaling = scaling(&v, has_parameters)};
      if (hiding == 2) a.mask = mask, a.mask_row_stride = i % 2 ? keys : 0;
      if (is_latest) {
        a.latest_keys = latest_k, a.latest_values = latest_v, a.latest_start = start, a.latest_count = latest_count;
        a.latest_key_stride = depth, a.latest_value_stride = values;
        for (ptrdiff_t j = start; j < start + latest_count; j++) {
          for (ptrdiff_t d = 0; d < depth; d++) k.real[j * depth + d] = (double)latest_k[(j - start) * depth + d];
          for (ptrdiff_t c = 0; c < values; c++) v.real[j * values + c] = (double)latest_v[(j - start) * values + c];
        }
      }
      char name[120];
      if (queries <= MK_ATTENTION_ROWS)
        for (ptrdiff_t length = keys; length > 0; length = length > 100 ? length / 3 : 0) {
          const ptrdiff_t count = (keys + length - 1) / length, stride = mk_attention_partial_count(&a);
          if (count > MK_ATTENTION_STRETCHES) break;
          float *partials = memory(count * stride * 4), *scratch = memory(mk_attention_stretch_scratch_count(&a) * 4);
          for (ptrdiff_t p = 0; p < count; p++)
            mk_attention_stretch(&a, p * length, (p + 1) * length < keys ? (p + 1) * length : keys, partials + p * stride, scratch);
          mk_attention_merge(&a, partials, count, stride);
          snprintf(name, sizeof name, "attention %zu of a cache, variant %d, %td stretches", i, variant, count);
          compare(name, &a, q, k.real, v.real, y);
          emit(name, 1, 2e-5, y, queries * values * 4);
          free(partials), free(scratch);
        }
      float *scratch = memory(mk_attention_scratch_count(&a) * 4);
      mk_attention_f32(&a, 0, queries, scratch);
      snprintf(name, sizeof name, "attention %zu of a packed cache, variant %d", i, variant);
      compare(name, &a, q, k.real, v.real, y);
      emit(name, 1, 2e-5, y, queries * values * 4);
      free(scratch), free(q), free(mask), free(y), free(latest_k), free(latest_v);
      forget(k), forget(v);
    }
}
