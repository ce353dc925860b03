public import Foundation
import Martlet

/// The state of a stateful model, which persists from one prediction to the next. States are independent of each other.
///
/// Several threads may use a state, but only one prediction at a time: concurrent predictions throw an error.
public final class MLState: NSObject, @unchecked Sendable {
  struct Buffer {
    let name: String
    let type: TensorType
    let storage: TensorStorage
  }

  let buffers: [Buffer]
  private let condition = NSCondition()
  private var isPredicting = false
  /// The thread that accesses the arrays. The depth counts its nested accesses.
  private var reader: pthread_t?
  private var readingDepth = 0

  init(_ buffers: [Buffer]) {
    self.buffers = buffers
    super.init()
  }

  // MARK: Arrays

  /// Calls `body` with the array of a state. Waits for a running prediction; predictions that start before `body` returns throw an error.
  /// - Precondition: the model has a state of this name.
  public func withMultiArray<R>(for stateName: String, _ body: (MLMultiArray) throws -> R) rethrows -> R {
    guard let buffer = buffers.first(where: { $0.name == stateName }) else {
      preconditionFailure("There is no state '\(stateName)'; the states are \(names)")
    }
    return try reading(buffer, body)
  }

  /// Calls `body` with the array of the only state.
  /// - Throws: `MLModelError.generic` if there are several states or none.
  public func withMultiArray<R>(_ body: (MLMultiArray) -> R) throws -> R {
    guard let buffer = buffers.first, buffers.count == 1 else {
      throw MLModelError(.generic, "The model has \(buffers.count) states instead of one: \(names)")
    }
    return reading(buffer, body)
  }

  private var names: String { buffers.map { "'\($0.name)'" }.joined(separator: ", ") }

  private func reading<R>(_ buffer: Buffer, _ body: (MLMultiArray) throws -> R) rethrows -> R {
    let thread = pthread_self()
    condition.lock()
    while isPredicting || (readingDepth > 0 && reader != thread) { condition.wait() }
    reader = thread
    readingDepth += 1
    condition.unlock()
    defer {
      condition.withLock {
        readingDepth -= 1
        if readingDepth == 0 { condition.broadcast() }
      }
    }
    guard let dataType = MLMultiArrayDataType(buffer.type.dtype) else {
      preconditionFailure("Multi-arrays do not support \(buffer.type.dtype) elements")
    }
    return try body(
      MLMultiArray(
        storage: buffer.storage, shape: buffer.type.shape, strides: Shape.contiguousStrides(buffer.type.shape),
        dataType: dataType))
  }

  // MARK: Predictions

  /// Calls `body` with exclusive access to the arrays.
  /// - Throws: `MLModelError.generic` if the arrays are in use. Does not wait.
  func predicting<R>(_ body: () throws -> R) throws -> R {
    try condition.withLock {
      if isPredicting { throw MLModelError(.generic, "The state is in use by another prediction") }
      if readingDepth > 0 {
        throw MLModelError(.generic, "The state's arrays are in use; predictions must wait until withMultiArray returns")
      }
      isPredicting = true
    }
    defer {
      condition.withLock {
        isPredicting = false
        condition.broadcast()
      }
    }
    return try body()
  }
}
