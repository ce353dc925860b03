import MartletSystem

/// A system library loaded at run time. Building needs no headers, and running needs the library only for what it does. It stays loaded
/// until the process ends.
@safe
package struct SharedLibrary {
  /// The reason why the library cannot be used.
  package struct LoadFailure: Error, Equatable {
    package var libraryName: String
    package var debianPackage: String
    package var detail: String
  }

  private let handle: UnsafeMutableRawPointer
  private let name: String
  private let debianPackage: String

  /// - Parameter name: file name of the library with its ABI version, found by the dynamic linker.
  package init(name: String, debianPackage: String) throws(LoadFailure) {
    guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      let message = unsafe dlerror()
      let detail = if let message = unsafe message { unsafe String(cString: message) } else { "no reason given" }
      throw LoadFailure(libraryName: name, debianPackage: debianPackage, detail: detail)
    }
    unsafe self.handle = unsafe handle
    self.name = name
    self.debianPackage = debianPackage
  }

  /// The library as `dlopen` gave it, for C code that finds functions itself.
  @unsafe
  package var opened: UnsafeMutableRawPointer { unsafe handle }

  package func failure(_ detail: String) -> LoadFailure {
    LoadFailure(libraryName: name, debianPackage: debianPackage, detail: detail)
  }

  /// The function with the given name.
  ///
  /// Unsafe at the call site: `type`, a C function type, can only be checked against the library's documentation.
  @unsafe
  package func function<Function>(_ symbolName: String, as type: Function.Type) throws(LoadFailure) -> Function {
    guard let address = unsafe dlsym(handle, symbolName) else {
      throw failure("it has no function \(symbolName)")
    }
    return unsafe unsafeBitCast(address, to: type)
  }
}
