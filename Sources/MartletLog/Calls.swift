// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.

// swift-format-ignore-file

@_extern(c, "mk_log_switch_is_linked") func mk_log_switch_is_linked() -> Bool
