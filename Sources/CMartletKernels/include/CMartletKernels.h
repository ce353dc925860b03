/// The C kernels of Martlet: innermost loops only. Memory, shapes and scheduling belong to the Swift side.
///
/// Conventions of every header: sizes and strides are `ptrdiff_t`, strides count elements, nothing allocates unless it says so,
/// arguments are checked by `assert`, results do not depend on the number of threads.
#ifndef MARTLET_KERNELS_H
#define MARTLET_KERNELS_H

#include "martlet_convert.h"
#include "martlet_movement.h"
#include "martlet_cpu.h"
#include "martlet_dtype.h"
#include "martlet_normalization.h"
#include "martlet_pointwise.h"
#include "martlet_reduction.h"
#include "martlet_gemm.h"
#include "martlet_stored.h"
#include "martlet_convolution.h"
#include "martlet_winograd.h"
#include "martlet_quantized.h"
#include "martlet_pooling.h"
#include "martlet_attention.h"
#include "martlet_bf16.h"
#include "martlet_peak.h"
#include "martlet_pixels.h"
#include "martlet_samples.h"
#include "martlet_threads.h"
#include "martlet_trees.h"

#endif
