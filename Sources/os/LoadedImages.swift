#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

// Packages that look for a framework among the loaded ones call these functions wherever `canImport(os)` holds.

/// The start of an executable or a library in memory. Its layout is the system's.
public struct mach_header {}

/// Number of executables and libraries that the process has loaded.
public func _dyld_image_count() -> UInt32 { unsafe UInt32(truncatingIfNeeded: LoadedImage.all().count) }

/// Path of a loaded executable or library, valid while it is loaded; nil if there is none at this index.
public func _dyld_get_image_name(_ index: UInt32) -> UnsafePointer<CChar>? {
  let images = unsafe LoadedImage.all()
  return unsafe index < images.count ? images[Int(index)].name : nil
}

/// Address that a loaded executable or library is relocated by; nil if there is none at this index, or if it is not relocated.
public func _dyld_get_image_header(_ index: UInt32) -> UnsafePointer<mach_header>? {
  let images = unsafe LoadedImage.all()
  return unsafe index < images.count ? images[Int(index)].base?.assumingMemoryBound(to: mach_header.self) : nil
}

/// The fields that a `dl_phdr_info` begins with.
@unsafe
private struct LoadedImage {
  let base: UnsafeRawPointer?
  let name: UnsafePointer<CChar>?

  private typealias Visit = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> CInt
  private typealias Iterate = @convention(c) (Visit, UnsafeMutableRawPointer?) -> CInt

  /// The executables and libraries that the process has loaded, in the order of the dynamic linker; none in a static executable.
  static func all() -> [LoadedImage] {
    // The C library's module does not declare the function.
    guard let symbol = unsafe dlsym(nil, "dl_iterate_phdr") else { return unsafe [] }
    let iterate = unsafe unsafeBitCast(symbol, to: Iterate.self)
    var images: [LoadedImage] = unsafe []
    unsafe withUnsafeMutablePointer(to: &images) { (list: UnsafeMutablePointer<[LoadedImage]>) in
      _ = unsafe iterate(
        { information, _, list in
          guard let information = unsafe information, let list = unsafe list else { return 0 }
          let image = unsafe information.load(as: LoadedImage.self)
          unsafe list.assumingMemoryBound(to: [LoadedImage].self).pointee.append(unsafe image)
          return 0
        }, list)
    }
    return unsafe images
  }
}
