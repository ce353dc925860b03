#include "../simd/loop.h"
#include "../simd/vector_includes.h"
#include "pixels_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "pixels_vector.inc"
#include "channels.inc"
#include "resample.inc"
#include "chroma.inc"
#include "alpha.inc"
#endif
