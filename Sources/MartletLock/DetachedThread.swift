import MartletSystem

/// Threads that nobody joins.
package enum DetachedThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which ends with it.
  /// - Parameter name: for debuggers and tools; at most 15 bytes of it are kept.
  /// - Returns: false if the system grants no further thread; `body` is not called then.
  @discardableResult
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    let argument = unsafe Unmanaged.passRetained(
      Body {
        setName(name)
        body()
      })
    var thread = unsafe pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    guard status == 0 else {
      unsafe argument.release()
      return false
    }
    unsafe _ = pthread_detach(thread)
    return true
  }

  /// Names the calling thread. `pthread_setname_np` is not part of the C library's module.
  private static func setName(_ name: String) {
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY)
    guard file >= 0 else { return }
    unsafe _ = write(file, name, name.utf8.count)
    close(file)
  }
}
