/// The depthwise convolution of one level in each element type.
#define MK_ELEMENT float
#define MK_ELEMENT_DTYPE MK_F32
#define MK_OF(name) MK_FN(name##_f32)
#include "depthwise_level.h"
#define MK_ELEMENT uint16_t
#define MK_ELEMENT_DTYPE MK_F16
#define MK_OF(name) MK_FN(name##_f16)
#include "depthwise_level.h"
#define MK_ELEMENT uint16_t
#define MK_ELEMENT_DTYPE MK_BF16
#define MK_OF(name) MK_FN(name##_bf16)
#include "depthwise_level.h"
