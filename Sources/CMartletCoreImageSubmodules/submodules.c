#include "CIFilterBuiltins.h"
