#ifndef CMARTLET_LOG_SWITCH_H
#define CMARTLET_LOG_SWITCH_H

/// Its presence in an executable keeps log messages in release builds.
extern const int mk_log_switch;

#endif
