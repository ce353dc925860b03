#include "../simd/tile_configuration.h"
#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AMX_INT8
#define MK_LEVEL 2
#define MK_FN(name) name##_amx
#define MK_ACTIVATE mk_activate_avx512
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_PLAIN
#define Q8_BITS 512
#include "q8_rows.inc"
#include "q8_finish.inc"

#include "q8_tiles.inc"
MK_END_AVX512
#endif
