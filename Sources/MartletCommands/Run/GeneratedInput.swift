import MartletSystem
package import Martlet
import MartletTensor

/// Generated inputs.
package struct GeneratedInput {
  private let seed: UInt64
  /// Bytes that an input and the numbers it is made of may take together: a quarter of the memory limit, so that a declared shape alone
  /// leaves most of it to the run.
  private let byteLimit: Int

  /// - Parameter memoryLimit: bytes that a command may take.
  package init(seed: UInt64, memoryLimit: Int) {
    self.seed = seed
    byteLimit = memoryLimit / 4
  }

  /// Random values: floating-point values from the standard normal distribution, 8-bit integers over their whole range, wider integers 0
  /// or 1 (which are valid indices almost everywhere), random booleans.
  /// - Parameter shape: nil for the declared shape.
  package func random(_ input: ValueSignature, shape: [Int]?) throws -> ModelValue {
    var generator = SplitMix(state: seed)
    switch input.kind {
    case .tensor(let dataType, _, _):
      let shape = try self.shape(of: input, asked: shape)
      // In range: sizes of an element.
      let count = try elementCount(shape, byteCount: Self.numberByteCount + dataType.byteCount)
      let numbers: [Double] =
        switch dataType {
        case .float32, .float64, .float16, .bfloat16: (0..<count).map { _ in generator.normal() }
        case .int8: (0..<count).map { _ in Double(Int8.random(in: .min ... .max, using: &generator)) }
        case .uint8: (0..<count).map { _ in Double(UInt8.random(in: .min ... .max, using: &generator)) }
        default: (0..<count).map { _ in generator.next() >> 63 == 0 ? 0 : 1 }
        }
      return .tensor(try Tensor(numbers, as: dataType, shape: shape))
    case .int: return .int(0)
    case .double: return .double(generator.normal())
    case .bool: return .bool(generator.next() >> 63 == 0)
    case .string: return .string("")
    case .none: return .none
    case .image(let image):
      let (width, height) = try size(of: input, image, asked: shape)
      let format: Picture.PixelFormat = image.isGray ? .gray : .rgb
      let count = try elementCount([width, height, format.channelCount], byteCount: 2)
      return .image(
        try Picture(
          width: width, height: height, format: format,
          pixels: (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    case .dictionary, .sequence: throw CommandFailure("the input \(input) cannot be made up")
    case .unsupported(let type): throw CommandFailure("the input \(input.name) is \(type), which is not supported")
    }
  }

  /// A tensor filled with one value, or the value itself.
  func filled(_ input: ValueSignature, with number: Double, shape: [Int]?) throws -> ModelValue {
    switch input.kind {
    case .tensor(let dataType, _, _):
      let shape = try self.shape(of: input, asked: shape)
      // In range: sizes of an element.
      let count = try elementCount(shape, byteCount: Self.numberByteCount + dataType.byteCount)
      return .tensor(try Tensor([Double](repeating: number, count: count), as: dataType, shape: shape))
    case .int:
      guard let integer = Int(exactly: number) else { throw CommandFailure("the input \(input.name) is an integer, not \(number)") }
      return .int(integer)
    case .double: return .double(number)
    case .bool: return .bool(number != 0)
    case .image(let image):
      guard let sample = UInt8(exactly: number) else { throw CommandFailure("samples of pictures are whole numbers from 0 to 255") }
      let (width, height) = try size(of: input, image, asked: shape)
      let format: Picture.PixelFormat = image.isGray ? .gray : .rgb
      let count = try elementCount([width, height, format.channelCount], byteCount: 2)
      return .image(try Picture(width: width, height: height, format: format, pixels: [UInt8](repeating: sample, count: count)))
    case .string, .none, .dictionary, .sequence, .unsupported: throw CommandFailure("the input \(input) is not a tensor")
    }
  }

  /// Width and height: the default ones, or those of a shape whose last two extents are height and width.
  private func size(of input: ValueSignature, _ image: ImageSignature, asked: [Int]?) throws -> (width: Int, height: Int) {
    guard let asked else { return (image.width, image.height) }
    guard asked.count >= 2, asked.allSatisfy({ $0 > 0 }) else { throw CommandFailure("\(asked) is not a shape of \(input)") }
    return (asked[asked.count - 1], asked[asked.count - 2])
  }

  /// The shape asked for, the default of a flexible shape, or the bounds of dynamic extents.
  private func shape(of input: ValueSignature, asked: [Int]?) throws -> [Int] {
    if let shape = asked ?? input.flexibleShapes?.defaultShape { return shape }
    guard case .tensor(_, let declared, _) = input.kind, !declared.contains(where: { $0 < 0 }) else {
      throw CommandFailure("the shape of \(input) is not fixed: specify it, as in rand:1x3x224x224")
    }
    return declared
  }

  private static let numberByteCount = MemoryLayout<Double>.stride

  /// - Parameter byteCount: bytes needed for each element.
  private func elementCount(_ shape: [Int], byteCount: Int) throws -> Int {
    let count = Extent.product(shape)
    guard let elements = count.count, (count * byteCount).fits(byteLimit) else {
      throw MartletError.outOfMemory(
        "a generated input of shape \(shape) is too large", expected: "at most \(byteLimit) bytes", found: "\(count * byteCount)")
    }
    return elements
  }
}

/// The generator SplitMix64 (Steele, Lea and Flood): small, fast, and identical on all platforms.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A sample of the standard normal distribution (Box-Muller).
  mutating func normal() -> Double {
    let radius = (-2 * log(Double(next() >> 11 &+ 1) * 0x1p-53)).squareRoot()
    return radius * cos(2 * .pi * Double(next() >> 11) * 0x1p-53)
  }
}
