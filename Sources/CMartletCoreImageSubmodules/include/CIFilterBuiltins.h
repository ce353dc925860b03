// The filters are declared in Swift; see module.modulemap.
