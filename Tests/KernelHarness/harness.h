/// What the files of the harness share: results that are recorded, random numbers, memory.
#ifndef MARTLET_KERNEL_HARNESS_H
#define MARTLET_KERNEL_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/// Records `bytes` of `data`: floats, which may differ by the tolerance, or integers.
void emit(const char *name, int is_float, double tolerance, const void *data, ptrdiff_t bytes);

/// Makes the recording fail unless the condition holds.
void require(int condition, const char *name);

uint64_t next(void);

/// From -1 to 1.
float number(void);

void *memory(ptrdiff_t bytes);

float *floats(ptrdiff_t count, float scale);

int8_t *bytes_of(ptrdiff_t count);

/// A result's memory with a pattern, so that what must not be written is compared too.
void *blank(ptrdiff_t bytes);

/// Returns 1 if a function is less exact than it promises.
int test_accuracy(void);

void test_bf16(void);
void test_resampling(void);
void test_pixels(void);
void test_halves(void);
void test_stored(void);
void test_attention_of_caches(void);

#endif
