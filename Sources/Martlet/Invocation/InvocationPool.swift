import MartletBytes
import MartletRuntime

/// A method with its unused invocations.
package final class InvocationPool: Sendable {
  let method: CompiledMethod
  private let files: [MappedFile]
  private let unused = Guarded<[Invocation]>([])
  private let keptByteCount: Int

  /// - Parameters:
  ///   - files: the mapped files whose bytes the method reads.
  ///   - keptByteCount: largest temporary memory that an unused invocation keeps, in bytes.
  init(_ method: CompiledMethod, files: [MappedFile] = [], keptByteCount: Int = .max) {
    self.method = method
    self.files = files
    self.keptByteCount = keptByteCount
  }

  /// An invocation without inputs, for exclusive use until it is released.
  package func take() -> Invocation { unused.withLock { $0.popLast() } ?? Invocation(method, files: files) }

  /// Keeps an invocation and its memory for later callers.
  package func release(_ invocation: Invocation) {
    guard invocation.arenaByteCount <= keptByteCount else { return }
    invocation.reset()
    unused.withLock { $0.append(invocation) }
  }
}
