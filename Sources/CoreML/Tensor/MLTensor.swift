import Foundation
package import Martlet

/// A multidimensional array of numbers or Booleans.
///
/// Operations on tensors are recorded. They run, fused where possible, when `shapedArray(of:)` or a prediction needs their results. Shape
/// and scalar type are known at once. Operands that do not fit stop the program where the operation is applied.
public struct MLTensor: Sendable {
  let expression: TensorExpression
  /// True if the scalar type yields to that of another operand, as that of a Swift literal does.
  let isWeak: Bool

  init(_ expression: TensorExpression, isWeak: Bool = false) {
    self.expression = expression
    self.isWeak = isWeak
  }

  var dtype: DType { expression.type.dtype }

  // MARK: Properties

  /// Number of dimensions; 0 for a scalar.
  public var rank: Int { expression.type.rank }
  /// Extents, outermost first.
  public var shape: [Int] { expression.type.shape }
  /// Number of scalars.
  public var scalarCount: Int { expression.type.elementCount }
  /// True if the tensor has rank 0.
  public var isScalar: Bool { shape.isEmpty }
  /// The type of the scalars.
  public var scalarType: any MLTensorScalar.Type { dtype.scalarType }

  // MARK: Values

  /// The scalars. Computes them if that has not been done yet.
  /// - Precondition: `Scalar` is the tensor's scalar type, and indices are within the dimensions that they select from.
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

  /// Converts the scalars. Floating-point values are truncated toward zero when they become integers.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor { cast(to: Scalar.tensorDType) }

  /// Converts the scalars to the scalar type of another tensor.
  public func cast(like other: MLTensor) -> MLTensor { cast(to: other.dtype) }

  func cast(to dtype: DType) -> MLTensor {
    if dtype == self.dtype { return MLTensor(expression) }
    return .result("cast(to:)") { try expression.converted(to: dtype) }
  }
}

// MARK: Operations

/// Stops the program, in release builds too, with a message if operands do not fit.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}

extension MLTensor {
  /// Returns the result of `body`. Stops the program if operands do not fit, with a message that names the tensor function.
  static func fitting<Result>(_ function: String, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      fatalError("MLTensor.\(function): \(error)")
    }
  }

  /// The tensor that `body` returns. Stops the program if operands do not fit.
  static func result(_ function: String, isWeak: Bool = false, _ body: () throws -> TensorExpression) -> MLTensor {
    MLTensor(fitting(function, body), isWeak: isWeak)
  }

  /// The axis counted from the front.
  func normalized(_ axis: Int, _ function: String) -> Int {
    require(axis >= -rank && axis < rank, "MLTensor.\(function): axis \(axis) is out of range for the shape \(shape)")
    return axis < 0 ? axis + rank : axis
  }
}

/// Plans of tensor operations, exposed for tests.
package typealias TensorPlans = Martlet.TensorPlans

// MARK: Descriptions

extension MLTensor: CustomStringConvertible {
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }
}

extension MLTensor: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["shape": shape, "scalarType": scalarType], displayStyle: .struct) }
}
