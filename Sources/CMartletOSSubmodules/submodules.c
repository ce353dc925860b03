// The modules are declared in Swift; see module.modulemap.
