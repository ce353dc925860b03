// MLState is declared in Swift; see module.modulemap.
