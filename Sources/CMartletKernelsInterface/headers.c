/// SwiftPM compiles a Swift module after the object files of all C targets that it depends on, but not after those of their dependencies.
/// MartletKernels depends on this target, whose object file follows the headers, so that kernels are compiled beside Swift modules.
#include "CMartletKernels.h"
