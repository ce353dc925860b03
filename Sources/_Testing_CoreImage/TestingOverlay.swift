// The toolchain's `Testing` declares this module as its overlay for `CoreImage` and does not ship it on Linux. A file that imports both
// modules imports this one, too, and needs nothing from it.
