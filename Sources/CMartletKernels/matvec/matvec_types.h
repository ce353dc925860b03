/// What the files of `matvec/` share.
#ifndef MARTLET_MATVEC_TYPES_H
#define MARTLET_MATVEC_TYPES_H

#include "../gemm/tile_types.h"
#include "martlet_matvec.h"

#define MK_DECLARE_MATVEC_LEVEL(level) void mk_matvec_f32_##level(const mk_matvec *m, ptrdiff_t panel0, ptrdiff_t panel1);
MK_DECLARE_MATVEC_LEVEL(portable)
MK_DECLARE_MATVEC_LEVEL(avx2)
MK_DECLARE_MATVEC_LEVEL(avx512)
MK_DECLARE_MATVEC_LEVEL(neon)

#endif
