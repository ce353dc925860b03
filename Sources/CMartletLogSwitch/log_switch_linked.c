#include "CMartletLogSwitch.h"

const int mk_log_switch = 1;
