import MartletRuntime
import MartletTensor
import MartletTesting

/// `clamp(0.5 * x matrixᵀ + bias + residual, -6, 9)` in double precision: the product of the graphs that test matrices in place.
struct StoredProduct {
  /// [rows, depth].
  let x: [Double]
  /// [columns, depth].
  let matrix: [Double]
  /// [columns].
  let bias: [Double]
  /// [rows, columns].
  let residual: [Double]

  /// The largest deviation of a sample of the results, [rows, columns].
  func largestError(of result: [Double], rows: Int) -> Double {
    let (columns, depth) = (bias.count, x.count / rows)
    var largest = 0.0
    for row in 0..<rows {
      for column in stride(from: row, to: columns, by: 7) {
        var sum = 0.0
        for k in 0..<depth { sum += x[row * depth + k] * matrix[column * depth + k] }
        let expected = min(max(0.5 * sum + bias[column] + residual[row * columns + column], -6), 9)
        largest = max(largest, abs(result[row * columns + column] - expected))
      }
    }
    return largest
  }

  /// The first result of a method for these tensors.
  static func run(_ method: CompiledMethod, _ inputs: [HostTensor]) throws -> HostTensor {
    defer { withExtendedLifetime(inputs) {} }
    let arguments = inputs.map { unsafe Argument.tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) }
    guard case .tensor(let result) = try method.run(arguments)[0] else { throw HarnessError.noTensor }
    return result
  }
}

extension HostTensor {
  /// The float32 elements as another type.
  func rounded(to dtype: DType) -> HostTensor {
    let values = elements(as: Float.self)
    return switch dtype {
    case .float16: HostTensor(dtype, shape, values.map { Float16($0).bitPattern })
    case .bfloat16: HostTensor(dtype, shape, values.map { UInt16(truncatingIfNeeded: $0.bitPattern >> 16) })
    default: self
    }
  }

  /// The elements of a floating-point type as float32.
  var widened: [Float] {
    switch dtype {
    case .float16: elements(as: UInt16.self).map { Float(Float16(bitPattern: $0)) }
    case .bfloat16: elements(as: UInt16.self).map { Float(bitPattern: UInt32($0) << 16) }
    default: elements(as: Float.self)
    }
  }
}
