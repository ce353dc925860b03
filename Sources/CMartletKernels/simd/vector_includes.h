/// Headers that `vector.inc` and the files built on it need; included before a level's function attributes begin.
#ifndef MARTLET_VECTOR_INCLUDES_H
#define MARTLET_VECTOR_INCLUDES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "targets.h"
#include "martlet_cpu.h"
#include "martlet_dtype.h"

#if MK_HAS_X86_LEVELS
#include <immintrin.h>
#elif MK_HAS_NEON_LEVEL
#include <arm_neon.h>
#endif

#endif
