import CoreML
import Testing

extension MLTensor {
  /// The scalars as numbers, whatever their type.
  func numbers() async -> [Double] {
    func widened<Scalar: MLShapedArrayScalar & MLTensorScalar & BinaryInteger>(_ type: Scalar.Type) async -> [Double] {
      await shapedArray(of: type).scalars.map { Double($0) }
    }
    switch scalarType {
    case is Float.Type: return await shapedArray(of: Float.self).scalars.map { Double($0) }
    case is Float16.Type: return await shapedArray(of: Float16.self).scalars.map { Double($0) }
    case is Bool.Type: return await shapedArray(of: Bool.self).scalars.map { $0 ? 1 : 0 }
    case is Int8.Type: return await widened(Int8.self)
    case is UInt8.Type: return await widened(UInt8.self)
    case is Int16.Type: return await widened(Int16.self)
    case is UInt16.Type: return await widened(UInt16.self)
    case is UInt32.Type: return await widened(UInt32.self)
    default: return await widened(Int32.self)
    }
  }

  /// A tensor of numbers of any type.
  init(_ numbers: [Double], shape: [Int], as type: any MLTensorScalar.Type) {
    switch type {
    case is Float16.Type: self.init(shape: shape, scalars: numbers.map { Float16($0) })
    case is Bool.Type: self.init(shape: shape, scalars: numbers.map { $0 != 0 })
    case is Int8.Type: self.init(shape: shape, scalars: numbers.map { Int8($0) })
    case is UInt8.Type: self.init(shape: shape, scalars: numbers.map { UInt8($0) })
    case is Int16.Type: self.init(shape: shape, scalars: numbers.map { Int16($0) })
    case is UInt16.Type: self.init(shape: shape, scalars: numbers.map { UInt16($0) })
    case is Int32.Type: self.init(shape: shape, scalars: numbers.map { Int32($0) })
    case is UInt32.Type: self.init(shape: shape, scalars: numbers.map { UInt32($0) })
    default: self.init(shape: shape, scalars: numbers.map { Float($0) })
    }
  }
}

extension MLTensor {
  /// Whether the scalars are of a type.
  func has(_ type: any MLTensorScalar.Type) -> Bool { scalarType == type }
}

/// The types of scalars that tensors have.
let scalarTypes: [any MLTensorScalar.Type] = [
  Float.self, Float16.self, Int32.self, UInt32.self, Int16.self, UInt16.self, Int8.self, UInt8.self, Bool.self,
]

/// Shapes of ranks 0 to 4, with extents 0 and 1 among them.
let sampleShapes: [[Int]] = [[], [1], [5], [0], [2, 3], [1, 4], [3, 0], [2, 1, 3], [1, 0, 2], [2, 3, 1, 4], [1, 1, 1, 1]]

/// Numbers that all types hold: of truth values what is not 0.
func samples(_ count: Int, as type: any MLTensorScalar.Type, from start: Int = 0) -> [Double] {
  (0..<count).map { index in
    let number = Double(((index + start) * 7 + 3) % 11)
    switch type {
    case is Bool.Type: return (index + start) % 3 == 0 ? 0 : 1
    case is UInt8.Type, is UInt16.Type, is UInt32.Type: return number
    case is Float.Type, is Float16.Type: return (number - 5) / 4
    default: return number - 5
    }
  }
}

/// Whether the tensor has a shape and numbers: equal ones, or such as differ by no more than `tolerance` for numbers about 1. NaN is
/// equal to NaN.
func matches(
  _ tensor: MLTensor, _ shape: [Int], _ expected: [Double], _ type: (any MLTensorScalar.Type)? = nil, tolerance: Double = 0
) async -> Bool {
  guard tensor.shape == shape, type.map({ $0 == tensor.scalarType }) ?? true else {
    Issue.record("\(tensor) for \(shape) of \(type.map { "\($0)" } ?? "any type")")
    return false
  }
  let found = await tensor.numbers()
  let isEqual =
    found.count == expected.count
    && zip(found, expected).allSatisfy { a, b in
      a == b || (a.isNaN && b.isNaN) || abs(a - b) <= tolerance * max(1, abs(b))
    }
  if !isEqual { Issue.record("\(found) for \(expected)") }
  return isEqual
}

extension [Int] {
  var elementCount: Int { reduce(1, *) }

  /// The position of each element of the shape along each axis, in row-major order.
  var positions: [[Int]] {
    reduce([[]]) { all, extent in all.flatMap { position in (0..<extent).map { position + [$0] } } }
  }

  /// The number of the element at a position, in row-major order.
  func offset(of position: [Int]) -> Int { zip(self, position).reduce(0) { $0 * $1.0 + $1.1 } }
}

/// What NumPy's broadcasting makes of two operands and a function, element by element.
func broadcast(
  _ a: ([Double], [Int]), _ b: ([Double], [Int]), _ function: (Double, Double) -> Double
) -> (numbers: [Double], shape: [Int]) {
  let rank = max(a.1.count, b.1.count)
  func extended(_ shape: [Int]) -> [Int] { Array(repeating: 1, count: rank - shape.count) + shape }
  let (first, second) = (extended(a.1), extended(b.1))
  let shape = zip(first, second).map { $0 == 1 ? $1 : $0 }
  let numbers = shape.positions.map { position in
    func element(_ numbers: [Double], _ extents: [Int]) -> Double {
      numbers[extents.offset(of: zip(extents, position).map { $0 == 1 ? 0 : $1 })]
    }
    return function(element(a.0, first), element(b.0, second))
  }
  return (numbers, shape)
}
