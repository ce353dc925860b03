#include "MLState.h"
