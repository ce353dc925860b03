package import MartletRuntime

/// A loaded method with the invocations that no caller uses at the moment.
package final class InvocationPool: Sendable {
  package let method: CompiledMethod
  private let unused = Guarded<[Invocation]>([])

  init(_ method: CompiledMethod) { self.method = method }

  /// An invocation without inputs, for the caller alone until it is released.
  package func take() -> Invocation { unused.withLock { $0.popLast() } ?? Invocation(method) }

  /// Keeps an invocation and its memory for later callers.
  package func release(_ invocation: Invocation) {
    invocation.reset()
    unused.withLock { $0.append(invocation) }
  }
}
