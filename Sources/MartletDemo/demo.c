#include "MartletDemo.h"
