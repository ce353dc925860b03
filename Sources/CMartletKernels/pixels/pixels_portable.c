#include "../simd/loop.h"
#include "../simd/vector_includes.h"
#include "pixels_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "channels.inc"
#include "resample.inc"
#include "chroma.inc"
#include "alpha.inc"
