#include "CMartletDemo.h"
