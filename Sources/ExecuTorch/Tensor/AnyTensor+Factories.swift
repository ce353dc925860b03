import Foundation
import Martlet

/// Implementation shared by the factories below.
extension AnyTensor {
  /// Creates a tensor of zeros with memory of its own.
  private convenience init(
    shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = [], dataType: DataType, shapeDynamism: ShapeDynamism
  ) {
    let layout = TensorLayout.required(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    self.init(
      storage: TensorStorage(zeroedByteCount: layout.byteCount(of: dataType)), dataType: dataType, layout: layout,
      shapeDynamism: shapeDynamism)
  }

  /// Creates a tensor of zeros with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  private convenience init(zerosLike tensor: AnyTensor, dataType: DataType, shapeDynamism: ShapeDynamism) {
    self.init(
      shape: tensor.shape, strides: tensor.strides, dimensionOrder: tensor.dimensionOrder,
      dataType: dataType == .undefined ? tensor.dataType : dataType, shapeDynamism: shapeDynamism)
  }

  /// Creates a tensor with all elements equal to `number`.
  convenience init(
    shape: [Int], strides: [Int] = [], dataType: DataType, shapeDynamism: ShapeDynamism, filledWith number: NSNumber
  ) {
    self.init(shape: shape, strides: strides, dataType: dataType, shapeDynamism: shapeDynamism)
    fill(with: number)
  }

  private func fill(with number: NSNumber) {
    dataType.withNumericElement(ConstantFill(tensor: self, value: number))
  }

  /// Sets each element to a result of `next`.
  private func fill(_ next: () -> ElementNumber) {
    withoutActuallyEscaping(next) { dataType.withNumericElement(GeneratedFill(tensor: self, next: $0)) }
  }

  private func fillUniform() {
    var generator = SplitMix64()
    let digits = dataType.uniformDigits
    fill { .real(generator.uniform(digits: digits)) }
  }

  private func fillNormal() {
    var generator = SplitMix64()
    var spare: Double?
    fill {
      if let value = spare {
        spare = nil
        return .real(value)
      }
      let pair = generator.normalPair()
      spare = pair.1
      return .real(pair.0)
    }
  }

  private func fillIntegers(low: Int, high: Int) {
    guard low < high else { fatalError("Tensor: the range \(low)..<\(high) of random integers is empty") }
    var generator = SplitMix64()
    fill { .integer(Int64(Int.random(in: low..<high, using: &generator))) }
  }
}

extension AnyTensor {
  /// A tensor for the caller to fill. (Its elements are 0.)
  public static func empty(
    shape: [Int],
    strides: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(shape: shape, strides: strides, dataType: dataType, shapeDynamism: shapeDynamism)
  }

  /// Same as `empty(shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func empty(
    like tensor: AnyTensor,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
  }

  /// A tensor with all elements equal to `scalar`, and with its type.
  public static func full<T: Scalar>(
    shape: [Int],
    scalar: T,
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(
      shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism, filledWith: scalar.asNSNumber())
  }

  /// A tensor with the shape and layout of `tensor` and all elements equal to `scalar`, with its type.
  public static func full<T: Scalar>(
    like tensor: AnyTensor,
    scalar: T,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(zerosLike: tensor, dataType: T.dataType, shapeDynamism: shapeDynamism)
    result.fill(with: scalar.asNSNumber())
    return result
  }

  /// A tensor of ones.
  public static func ones(
    shape: [Int],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(shape: shape, dataType: dataType, shapeDynamism: shapeDynamism, filledWith: 1)
  }

  /// Same as `ones(shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func ones(
    like tensor: AnyTensor,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fill(with: 1)
    return result
  }

  /// A tensor of zeros.
  public static func zeros(
    shape: [Int],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(shape: shape, dataType: dataType, shapeDynamism: shapeDynamism)
  }

  /// Same as `zeros(shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func zeros(
    like tensor: AnyTensor,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
  }

  /// A tensor of independent random numbers, uniform in `[0, 1)`. Integer types truncate them, which gives 0. Elements of type `.bool`
  /// are true unless the number is 0.
  public static func rand(
    shape: [Int],
    strides: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(shape: shape, strides: strides, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillUniform()
    return result
  }

  /// Same as `rand(shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func rand(
    like tensor: AnyTensor,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillUniform()
    return result
  }

  /// A tensor of independent random numbers from the standard normal distribution. Integer types truncate them; unsigned ones are at
  /// least 0.
  public static func randn(
    shape: [Int],
    strides: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(shape: shape, strides: strides, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillNormal()
    return result
  }

  /// Same as `randn(shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func randn(
    like tensor: AnyTensor,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillNormal()
    return result
  }

  /// A tensor of independent random integers, uniform in `low..<high`, which must not be empty.
  public static func randint(
    low: Int,
    high: Int,
    shape: [Int],
    strides: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(shape: shape, strides: strides, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillIntegers(low: low, high: high)
    return result
  }

  /// Same as `randint(low:high:shape:)`, with the shape and layout of `tensor`, and with its data type if `dataType` is `.undefined`.
  public static func randint(
    like tensor: AnyTensor,
    low: Int,
    high: Int,
    dataType: DataType = .undefined,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> AnyTensor {
    let result = AnyTensor(zerosLike: tensor, dataType: dataType, shapeDynamism: shapeDynamism)
    result.fillIntegers(low: low, high: high)
    return result
  }
}
