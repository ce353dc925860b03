private import CMartletOS

// Packages that look for a framework among the loaded ones call these functions wherever `canImport(os)` holds.

/// The start of an executable or a library in memory. Its layout is the system's.
public struct mach_header {}

/// Number of executables and libraries that the process has loaded.
public func _dyld_image_count() -> UInt32 { martlet_image_count() }

/// Path of a loaded executable or library; nil if there is none at this index.
public func _dyld_get_image_name(_ index: UInt32) -> UnsafePointer<CChar>? { unsafe martlet_image_name(index) }

/// Address that a loaded executable or library is relocated by; nil if there is none at this index, or if it is not relocated.
public func _dyld_get_image_header(_ index: UInt32) -> UnsafePointer<mach_header>? {
  unsafe martlet_image_base(index)?.assumingMemoryBound(to: mach_header.self)
}
