#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system library opened at run time, so that building needs no header and running needs no library until an image of
/// its format is met. It stays open until the process ends.
@safe
struct SharedLibrary {
  /// Why the library is of no use.
  struct LoadFailure: Error, Equatable {
    var libraryName: String
    var debianPackage: String
    var detail: String

    func mediaError(file: String, field: String) -> MediaError {
      MediaError(
        file: file, field: field,
        reason: .missingLibrary(name: libraryName, debianPackage: debianPackage, detail: detail))
    }
  }

  private let handle: UnsafeMutableRawPointer
  private let name: String
  private let debianPackage: String

  /// - Parameter name: the library's file name with its ABI version, which the linker looks for in its usual places.
  init(name: String, debianPackage: String) throws(LoadFailure) {
    guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      let message = unsafe dlerror()
      let detail = if let message = unsafe message { unsafe String(cString: message) } else { "no reason given" }
      throw LoadFailure(libraryName: name, debianPackage: debianPackage, detail: detail)
    }
    unsafe self.handle = unsafe handle
    self.name = name
    self.debianPackage = debianPackage
  }

  /// The function of that name.
  ///
  /// Unsafe at the call site: only the library's documentation says that `type`, a C function type, fits.
  @unsafe
  func function<Function>(_ symbolName: String, as type: Function.Type) throws(LoadFailure) -> Function {
    guard let address = unsafe dlsym(handle, symbolName) else {
      throw LoadFailure(libraryName: name, debianPackage: debianPackage, detail: "it has no function \(symbolName)")
    }
    return unsafe unsafeBitCast(address, to: type)
  }
}
