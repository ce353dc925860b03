#include "../simd/targets.h"
#include "samples_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "samples.inc"
MK_END_AVX2
#endif
