import MartletRuntime
package import MartletTensor

/// An input of a method in memory that kernels can read: row-major, aligned, of the declared element type. Made by `FeatureMethod.bind`,
/// or by a caller that knows the declared type.
@safe
package struct BoundInput: @unchecked Sendable {
  let argument: Argument
  /// The memory of the tensor, which is kept as long as the input is set; nil for scalars.
  package let storage: TensorStorage?

  /// - Precondition: the method declares the type, and `storage` holds the elements from its first byte on, row-major and aligned.
  package init(_ type: TensorType, in storage: TensorStorage) {
    argument = unsafe .tensor(type, UnsafeRawPointer(storage.pointer))
    self.storage = storage
  }

  /// - Parameters:
  ///   - argument: an argument as the method declares it.
  ///   - storage: the memory of a tensor.
  init(_ argument: Argument, _ storage: TensorStorage?) {
    self.argument = argument
    self.storage = storage
  }

  /// The type and address of a row-major tensor; nil for other inputs.
  package var tensor: (type: TensorType, address: UInt)? {
    guard case .tensor(let type, let address, nil) = argument else { return nil }
    return (type, UInt(bitPattern: address))
  }
}
