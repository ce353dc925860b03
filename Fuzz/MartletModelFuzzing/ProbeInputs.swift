import Martlet
import MartletCompiler
import MartletFuzzing
import MartletGraph
import MartletRuntime
import MartletTensor

/// Makes inputs for a method: of the declared types, with extents and values that the method may not expect.
struct ProbeInputs {
  /// The inputs so far; nil if they are too large to be made.
  private(set) var values: [ModelValue]? = []
  private(set) var bindings: [InputBinding] = []
  private var random: FuzzRandom
  private let words: [String]
  private var rest: Int
  private let fill: Int

  /// - Parameters:
  ///   - words: texts that the model may know.
  ///   - largestCount: maximum number of elements in all inputs together.
  init(random: FuzzRandom, words: [String], largestCount: Int) {
    self.random = random
    self.words = words + ["a", ""]
    rest = largestCount
    fill = self.random.below(4)
  }

  mutating func add(_ input: ValueSignature) {
    switch input.kind {
    case .tensor(let type, let declared, let isDynamic):
      let shape = zip(declared, isDynamic).map { extent, isDynamic in
        guard isDynamic else { return extent }
        let small = random.below(5)
        return extent < 0 ? small : random.one(in: 4) ? extent : min(extent, small)
      }
      bindings.append(.tensor(TensorType(type.dtype, shape), order: nil))
      // Extents beside one of 0 may have no product.
      let isLegal = HostTensor.byteCount(dtype: type.dtype, shape: [2, 2] + shape) != nil
      guard let count = take(isLegal ? Shape.elementCount(shape) : nil) else { return }
      // The inputs of networks may have two axes more.
      let axes = random.one(in: 16) && count <= 64 ? [random.below(3), 1 + random.below(2)] : []
      let tensor = tensor(type, axes + shape)
      values?.append(.tensor(tensor))
    case .int:
      bindings.append(.scalar(.int))
      values?.append(.int(random.one(in: 2) ? random.below(4) : Int(random.hostileInteger())))
    case .double:
      bindings.append(.scalar(.double))
      values?.append(.double(random.hostileDouble()))
    case .bool:
      bindings.append(.scalar(.bool))
      values?.append(.bool(random.one(in: 2)))
    case .string: addFeature(.string(random.pick(words)))
    case .image(let image):
      let format: Picture.PixelFormat = image.isGray ? .gray : .rgb
      let (count, overflow) = image.width.multipliedReportingOverflow(by: image.height)
      guard !overflow, count > 0, count <= rest / 3, take(3 * count) != nil,
        let picture = try? Picture(
          width: image.width, height: image.height, format: format,
          pixels: (0..<count * format.channelCount).map { _ in UInt8(random.below(256)) })
      else {
        bindings.append(.none)
        values = nil
        return
      }
      addFeature(.image(picture))
    case .dictionary(keys: .string):
      addFeature(.dictionary(.byString(Dictionary(pairs(), uniquingKeysWith: { first, _ in first }))))
    case .dictionary(keys: .int):
      let keys = (0..<random.below(5)).map { _ in (Int(random.one(in: 3) ? random.hostileInteger() : Int64(random.below(6))), 1.0) }
      addFeature(.dictionary(.byInteger(Dictionary(keys, uniquingKeysWith: { first, _ in first }))))
    case .sequence(of: .string): addFeature(.sequence(.strings(pairs().map(\.0))))
    case .sequence(of: .int):
      let count = random.below(5)
      addFeature(.sequence(.integers((0..<count).map { _ in Int(random.one(in: 3) ? random.hostileInteger() : Int64(random.below(6))) })))
    case .none, .unsupported: addFeature(.none)
    }
  }

  private mutating func addFeature(_ value: ModelValue) {
    bindings.append(.none)
    values?.append(value)
  }

  private mutating func pairs() -> [(String, Double)] {
    (0..<random.below(5)).map { _ in (random.pick(words), random.one(in: 2) ? 1 : random.hostileDouble()) }
  }

  /// Counts elements; nil if there are too many.
  private mutating func take(_ count: Int?) -> Int? {
    guard let count, count <= rest else {
      values = nil
      return nil
    }
    rest -= count
    return count
  }

  /// A tensor of zeros, small numbers, or arbitrary bytes.
  private mutating func tensor(_ type: DataType, _ shape: [Int]) -> Tensor {
    var host = HostTensor(zeros: type.dtype, shape: shape)
    if fill > 0 {
      unsafe host.withUnsafeMutableBytes { bytes in
        for index in bytes.indices {
          switch (fill, type) {
          case (_, .bool): unsafe bytes[index] = UInt8(random.below(2))
          // Small values for integer types; denormals for floating-point types.
          case (1, _), (2, .int64), (2, .int32): unsafe bytes[index] = index % type.byteCount == 0 ? UInt8(random.below(3)) : 0
          default: unsafe bytes[index] = UInt8(truncatingIfNeeded: random.next())
          }
        }
      }
    }
    return Tensor(host)
  }
}
