extension Tensor {
  /// A tensor for the caller to fill.
  public static func empty(
    shape: [Int],
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(AnyTensor.empty(shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `empty(shape:)`, with the shape and layout of `tensor`.
  public static func empty(like tensor: Tensor<T>, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.empty(like: tensor.anyTensor, shapeDynamism: shapeDynamism))
  }

  /// A tensor with all elements equal to `scalar`.
  public static func full(
    shape: [Int],
    scalar: T,
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(AnyTensor.full(shape: shape, scalar: scalar, strides: strides, shapeDynamism: shapeDynamism))
  }

  /// Same as `full(shape:scalar:)`, with the shape and layout of `tensor`.
  public static func full(like tensor: Tensor<T>, scalar: T, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.full(like: tensor.anyTensor, scalar: scalar, shapeDynamism: shapeDynamism))
  }

  /// A tensor of ones.
  public static func ones(shape: [Int], shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.ones(shape: shape, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `ones(shape:)`, with the shape and layout of `tensor`.
  public static func ones(like tensor: Tensor<T>, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.ones(like: tensor.anyTensor, shapeDynamism: shapeDynamism))
  }

  /// A tensor of zeros.
  public static func zeros(shape: [Int], shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.zeros(shape: shape, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `zeros(shape:)`, with the shape and layout of `tensor`.
  public static func zeros(like tensor: Tensor<T>, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.zeros(like: tensor.anyTensor, shapeDynamism: shapeDynamism))
  }

  /// A tensor of independent random numbers, uniform in `[0, 1)`.
  public static func rand(
    shape: [Int],
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(AnyTensor.rand(shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `rand(shape:)`, with the shape and layout of `tensor`.
  public static func rand(like tensor: Tensor<T>, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.rand(like: tensor.anyTensor, shapeDynamism: shapeDynamism))
  }

  /// A tensor of independent random numbers from the standard normal distribution.
  public static func randn(
    shape: [Int],
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(AnyTensor.randn(shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `randn(shape:)`, with the shape and layout of `tensor`.
  public static func randn(like tensor: Tensor<T>, shapeDynamism: ShapeDynamism = .dynamicBound) -> Tensor<T> {
    Tensor(AnyTensor.randn(like: tensor.anyTensor, shapeDynamism: shapeDynamism))
  }

  /// A tensor of independent random integers, uniform in `low..<high`, which must not be empty.
  public static func randint(
    low: Int,
    high: Int,
    shape: [Int],
    strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.randint(low: low, high: high, shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Same as `randint(low:high:shape:)`, with the shape and layout of `tensor`.
  public static func randint(
    like tensor: Tensor<T>,
    low: Int,
    high: Int,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(AnyTensor.randint(like: tensor.anyTensor, low: low, high: high, shapeDynamism: shapeDynamism))
  }
}
