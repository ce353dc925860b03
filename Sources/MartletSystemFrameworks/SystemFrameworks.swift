// Stands in products for modules that the system has itself. See `appleModules` in Package.swift.
