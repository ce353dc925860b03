#include "CMartletLog.h"

/// Defined by CMartletLogSwitch, where that is linked.
extern const int mk_log_switch __attribute__((weak));

bool mk_log_switch_is_linked(void) { return &mk_log_switch != 0; }
