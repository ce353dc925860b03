#ifndef CMARTLET_LOG_H
#define CMARTLET_LOG_H

#include <stdbool.h>

/// Whether a linked product asks to keep log messages in release builds.
bool mk_log_switch_is_linked(void);

#endif
