import MartletKernels
import MartletTensor
import MartletTesting
import MartletRuntime

/// A tensor of small integers whose elements tests look up by coordinates.
struct ReferenceTensor {
  let shape: [Int]
  let elements: [Int32]

  /// Elements 1, 2, 3, …
  init(counting shape: [Int]) {
    self.init(shape, (0..<shape.reduce(1, *)).map { Int32($0 + 1) })
  }

  init(_ shape: [Int], _ elements: [Int32]) {
    self.shape = shape
    self.elements = elements
  }

  /// The tensor whose element at each coordinate is what `element` says.
  init(_ shape: [Int], _ element: ([Int]) -> Int32) {
    self.init(shape, (0..<shape.reduce(1, *)).map { element(ReferenceTensor.coordinates($0, shape)) })
  }

  static func coordinates(_ position: Int, _ shape: [Int]) -> [Int] {
    var rest = position
    var result = [Int](repeating: 0, count: shape.count)
    for axis in shape.indices.reversed() {
      result[axis] = rest % shape[axis]
      rest /= shape[axis]
    }
    return result
  }

  subscript(_ coordinates: [Int]) -> Int32 {
    elements[zip(coordinates, shape).reduce(0) { $0 * $1.1 + $1.0 }]
  }

  /// The tensor in a dtype whose elements have `size` bytes, for operators that only move elements.
  func host(elementSize: Int = 4) -> HostTensor {
    switch elementSize {
    case 1: HostTensor(.uint8, shape, elements.map { UInt8(truncatingIfNeeded: $0) })
    case 2: HostTensor(.int16, shape, elements.map { Int16(truncatingIfNeeded: $0) })
    case 4: HostTensor(.int32, shape, elements)
    case 8: HostTensor(.int64, shape, elements.map { Int64($0) })
    default: HostTensor(.complex128, shape, elements.map { SIMD2(Double($0), -Double($0)) })
    }
  }
}

extension HostTensor {
  /// Whether both have the same dtype, shape and bytes.
  func equals(_ other: HostTensor) -> Bool { dtype == other.dtype && shape == other.shape && bytes == other.bytes }
}

/// The operand as it is, transposed in memory, and as a constant.
func layouts(_ tensor: HostTensor) -> [TestOperand] {
  let axes = Array(tensor.shape.indices)
  return [.tensor(tensor), .laidOut(tensor, axes.reversed()), .constant(tensor)]
    + (axes.count >= 3 ? [.laidOut(tensor, Shape.channelsLastOrder(rank: axes.count))] : [])
}

let elementSizes = [1, 2, 4, 8, 16]
