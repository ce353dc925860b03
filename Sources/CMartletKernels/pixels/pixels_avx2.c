#include "../simd/loop.h"
#include "../simd/vector_includes.h"
#include "pixels_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "pixels_vector.inc"
#include "channels.inc"
#include "resample.inc"
#include "chroma.inc"
#include "alpha.inc"
MK_END_AVX2
#endif
