// swift-format-ignore-file
// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.

@_extern(c, "mk_log_switch_is_linked") func mk_log_switch_is_linked() -> Bool
