import Foundation

/// A value that its owners protect themselves where it goes from one thread to another.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}

/// Calls `body` on another thread. What it refers to is the caller's to protect, as with completion handlers.
func inBackground(_ body: @escaping () -> Void) {
  let body = Transferred(value: body)
  DispatchQueue.global().async { body.value() }
}
