#include <string.h>

#include "../simd/vector_includes.h"
#include "trees_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "trees.inc"
MK_END_AVX512
#endif
