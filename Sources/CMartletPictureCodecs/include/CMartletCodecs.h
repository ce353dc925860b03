#include "martlet_heif.h"
#include "martlet_png.h"
