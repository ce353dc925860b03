import MartletTensor

/// libpng 1.6, opened at run time.
@safe
struct LibPNG: @unchecked Sendable {
  /// The functions, which stay where they are until the process ends.
  let functions: OpaquePointer

  static let loaded: Result<LibPNG, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libpng16.so.16", debianPackage: "libpng16-16")
      #else
        let library = try SharedLibrary(name: "libpng16.16.dylib", debianPackage: "libpng16-16")
      #endif
      var missing: UnsafePointer<CChar>?
      guard let functions = unsafe martlet_png_find(library.opened, &missing) else {
        let name = if let missing = unsafe missing { unsafe String(cString: missing) } else { "for want of memory" }
        throw library.failure("it has no function \(name)")
      }
      return .success(unsafe LibPNG(functions: functions))
    } catch {
      return .failure(error)
    }
  }()

  static func load(file: String) throws(MediaError) -> LibPNG {
    do throws(SharedLibrary.LoadFailure) { return try loaded.get() } catch { throw error.mediaError(file: file, field: "PNG image") }
  }

  /// Room for a message of the library.
  @safe
  final class Message {
    let start: UnsafeMutablePointer<CChar>

    init() {
      unsafe start = .allocate(capacity: Int(widening: MARTLET_PNG_MESSAGE_SIZE))
      unsafe start.initialize(repeating: 0, count: Int(widening: MARTLET_PNG_MESSAGE_SIZE))
    }

    deinit { unsafe start.deallocate() }

    var text: String { unsafe String(cString: start) }
  }
}
