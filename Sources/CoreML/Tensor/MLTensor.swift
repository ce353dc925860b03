import Foundation
package import Martlet

/// A multidimensional array of numbers or truth values.
///
/// Operations on tensors are noted and run, those that belong together at once, when `shapedArray(of:)` or a model asks for their
/// results. Shape and scalar type are known at once; operands that do not fit stop the program where the operation is applied.
public struct MLTensor: Sendable {
  let expression: TensorExpression
  /// Whether the scalar type gives way to that of other operands, as a Swift number's does.
  let isWeak: Bool

  init(_ expression: TensorExpression, isWeak: Bool = false) {
    self.expression = expression
    self.isWeak = isWeak
  }

  var dtype: DType { expression.type.dtype }

  // MARK: Properties

  /// Number of dimensions; 0 for a single number.
  public var rank: Int { expression.type.rank }
  /// Extents, outermost first.
  public var shape: [Int] { expression.type.shape }
  /// Number of scalars.
  public var scalarCount: Int { expression.type.elementCount }
  /// Whether the tensor is a single number, of rank 0.
  public var isScalar: Bool { shape.isEmpty }
  /// The type of the scalars.
  public var scalarType: any MLTensorScalar.Type { dtype.scalarType }

  // MARK: Values

  /// The scalars, computed if they have not been yet.
  /// - Precondition: `Scalar` is the tensor's scalar type; positions in tensors of indices are within the dimensions they select from.
  public func shapedArray<Scalar: MLShapedArrayScalar & MLTensorScalar>(of scalarType: Scalar.Type) async -> MLShapedArray<Scalar> {
    require(Scalar.tensorDType == dtype, "The tensor's scalars are of type \(self.scalarType), not \(Scalar.self)")
    do {
      let storage = try await expression.computedStorage()
      return MLShapedArray(content: ShapedContent(storage: storage, shape: shape, strides: Shape.contiguousStrides(shape)))
    } catch {
      fatalError("The tensor cannot be computed: \(error)")
    }
  }

  // MARK: Scalar types

  /// The tensor with its scalars converted; floating-point numbers are cut off towards zero where they become integers.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor { cast(to: Scalar.tensorDType) }

  /// The tensor with its scalars converted to the type of another's.
  public func cast(like other: MLTensor) -> MLTensor { cast(to: other.dtype) }

  func cast(to dtype: DType) -> MLTensor {
    if dtype == self.dtype { return MLTensor(expression) }
    return .result("cast(to:)") { try expression.converted(to: dtype) }
  }
}

// MARK: Operations

/// Stops the program if operands do not fit, with a message in release builds too.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}

extension MLTensor {
  /// What `body` makes of operands. Stops the program if they do not fit, with a message that names the function of the tensor.
  static func fitting<Result>(_ function: String, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      fatalError("MLTensor.\(function): \(error)")
    }
  }

  /// The tensor that `body` makes of operands, which must fit.
  static func result(_ function: String, isWeak: Bool = false, _ body: () throws -> TensorExpression) -> MLTensor {
    MLTensor(fitting(function, body), isWeak: isWeak)
  }

  /// An axis counted from the front.
  func normalized(_ axis: Int, _ function: String) -> Int {
    require(axis >= -rank && axis < rank, "MLTensor.\(function): axis \(axis) is out of range for the shape \(shape)")
    return axis < 0 ? axis + rank : axis
  }
}

/// Plans of operations on tensors, which tests look at.
package typealias TensorPlans = Martlet.TensorPlans

// MARK: Descriptions

extension MLTensor: CustomStringConvertible {
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }
}

extension MLTensor: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["shape": shape, "scalarType": scalarType], displayStyle: .struct) }
}
