public import Foundation
import Martlet

/// What a stateful model remembers from one prediction to the next: a stream of its own, independent of others.
///
/// May be used from several threads, by one prediction at a time: another one meanwhile gets an error.
public final class MLState: NSObject, @unchecked Sendable {
  struct Buffer {
    let name: String
    let type: TensorType
    let storage: TensorStorage
  }

  let buffers: [Buffer]
  private let condition = NSCondition()
  private var isPredicting = false
  /// The thread that has the arrays, and how often.
  private var reader: pthread_t?
  private var readingDepth = 0

  init(_ buffers: [Buffer]) {
    self.buffers = buffers
    super.init()
  }

  // MARK: Arrays

  /// Calls `body` with the array of a state, once no prediction uses it. Predictions that start meanwhile get an error.
  /// - Precondition: the model has a state of that name.
  public func withMultiArray<R>(for stateName: String, _ body: (MLMultiArray) throws -> R) rethrows -> R {
    guard let buffer = buffers.first(where: { $0.name == stateName }) else {
      preconditionFailure("There is no state '\(stateName)', only \(names)")
    }
    return try reading(buffer, body)
  }

  /// Calls `body` with the array of the only state.
  /// - Throws: `MLModelError.generic` if there are several states or none.
  public func withMultiArray<R>(_ body: (MLMultiArray) -> R) throws -> R {
    guard let buffer = buffers.first, buffers.count == 1 else {
      throw MLModelError(.generic, "The model has not one state but \(buffers.count): \(names)")
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
      preconditionFailure("There are no arrays of \(buffer.type.dtype) elements")
    }
    return try body(
      MLMultiArray(
        storage: buffer.storage, shape: buffer.type.shape, strides: Shape.contiguousStrides(buffer.type.shape),
        dataType: dataType))
  }

  // MARK: Predictions

  /// Calls `body` while no one else uses the arrays.
  /// - Throws: `MLModelError.generic` at once if somebody does.
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
