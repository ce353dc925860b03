package import MartletMedia
package import MartletTensor

// Images are pixels outside of a graph. Inside they are tensors [1, channels, height, width] with samples from 0 to 255.

extension ImageFeature {
  package var isGray: Bool { colorSpace == .grayscale || colorSpace == .grayscaleFloat16 }
  package var channelCount: Int { isGray ? 1 : 3 }
  /// For each plane of the tensor, which of red, green and blue it holds; the permutation is its own inverse.
  private var channelOrder: [Int] { colorSpace == .bgr ? [2, 1, 0] : [0, 1, 2] }

  /// The shape of the tensor of an image.
  package func tensorShape(width: Int, height: Int) -> [Int] { [1, channelCount, height, width] }

  /// Whether an image may have the size.
  package func allows(width: Int, height: Int) -> Bool {
    let asked = Size(width: width, height: height)
    switch flexibility {
    case .fixed: return asked == size || size == Size(width: 0, height: 0)
    case .enumerated(let sizes): return asked == size || sizes.contains(asked)
    case .ranges(let widths, let heights): return widths.contains(width) && heights.contains(height)
    }
  }

  // MARK: Pixels to tensor

  /// Whether the pixels can become the feature's tensor: planes of numbers are gray.
  package func takes(_ pixels: PixelView) -> Bool {
    if case .numbers = pixels { isGray } else { true }
  }

  /// Writes the tensor of an image. Colours become gray where the feature is; numbers are taken as they are.
  /// - Parameter target: memory for the elements of `tensorShape`, row-major.
  /// - Precondition: the feature takes the pixels.
  package func write(_ pixels: PixelView, as dtype: DType, to target: UnsafeMutableRawPointer) {
    precondition(takes(pixels))
    let shape = tensorShape(width: pixels.width, height: pixels.height)
    let placement = ElementPlacement(dtype, strides: Shape.contiguousStrides(shape))
    switch pixels {
    case .numbers(let plane):
      unsafe copyElements(shape: shape, from: plane.base, plane.placement, to: target, placement)
    case .colors(let source):
      if dtype == .float32 { return unsafe write(source, to: target.assumingMemoryBound(to: Float.self)) }
      let samples = TensorStorage(byteCount: shape.reduce(1, *) * DType.float32.byteCount)
      unsafe write(source, to: samples.pointer.assumingMemoryBound(to: Float.self))
      unsafe copyElements(
        shape: shape, from: samples.pointer, ElementPlacement(.float32, strides: placement.strides), to: target, placement)
    }
  }

  private func write(_ source: PixelSource, to samples: UnsafeMutablePointer<Float>) {
    if isGray {
      unsafe source.writeGray(into: samples)
    } else {
      unsafe source.writeSamples(order: channelOrder, into: samples)
    }
  }

  /// The tensor of an image.
  package func tensor(of image: Image, as dtype: DType) -> HostTensor {
    var tensor = HostTensor(zeros: dtype, shape: tensorShape(width: image.width, height: image.height))
    unsafe image.pixels.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let plane = unsafe PixelSource.Plane(base: base, rowByteCount: image.width * image.format.channelCount)
      guard let source = PixelSource(width: image.width, height: image.height, format: image.format.pixelFormat, planes: [plane]) else {
        return
      }
      unsafe tensor.withUnsafeMutableBytes { target in
        if let target = target.baseAddress { unsafe write(.colors(source), as: dtype, to: target) }
      }
    }
    return tensor
  }

  // MARK: Tensor to pixels

  /// The extents of the image that a tensor holds; nil if it is not an image of the feature's channels.
  package func extents(of type: TensorType) -> (width: Int, height: Int)? {
    let shape = type.shape
    guard shape.count == 4, shape[0] == 1, shape[1] == channelCount, shape[2] > 0, shape[3] > 0 else { return nil }
    return (shape[3], shape[2])
  }

  /// Writes the numbers of a gray image as they are.
  /// - Precondition: the tensor is an image of the plane's extents.
  package func read(_ tensor: UnsafeRawPointer, _ type: TensorType, into plane: NumberPlane) {
    precondition(isGray && type.shape == tensorShape(width: plane.width, height: plane.height))
    unsafe copyElements(
      shape: type.shape, from: tensor, ElementPlacement(type.dtype, strides: Shape.contiguousStrides(type.shape)), to: plane.base,
      plane.placement)
  }

  /// Writes the samples of an image, rounded and bounded to 0...255.
  /// - Precondition: the tensor is an image of the target's extents, gray or not as its format.
  package func read(_ tensor: UnsafeRawPointer, _ type: TensorType, into target: PixelTarget) {
    let strides = Shape.contiguousStrides(type.shape)
    let samples = TensorStorage(byteCount: type.elementCount * DType.float32.byteCount)
    unsafe copyElements(
      shape: type.shape, from: tensor, ElementPlacement(type.dtype, strides: strides), to: samples.pointer,
      ElementPlacement(.float32, strides: strides))
    unsafe target.write(samples.pointer.assumingMemoryBound(to: Float.self), order: channelOrder)
  }

  /// The image that a tensor holds; nil if it holds none.
  package func image(of tensor: HostTensor) -> Image? {
    guard let (width, height) = extents(of: TensorType(tensor.dtype, tensor.shape)) else { return nil }
    let format: Image.PixelFormat = isGray ? .gray8 : .rgb8
    var pixels = [UInt8](repeating: 0, count: width * height * format.channelCount)
    let isWritten = unsafe pixels.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress,
        let target = unsafe PixelTarget(
          width: width, height: height, format: format.pixelFormat, base: base, rowByteCount: width * format.channelCount)
      else { return false }
      unsafe tensor.withUnsafeBytes { source in
        if let source = source.baseAddress { unsafe read(source, TensorType(tensor.dtype, tensor.shape), into: target) }
      }
      return true
    }
    return isWritten ? Image(width: width, height: height, format: format, pixels: pixels) : nil
  }
}

extension Image.PixelFormat {
  fileprivate var pixelFormat: PixelFormat {
    switch self {
    case .gray8: .gray8
    case .rgb8: .rgb8
    case .rgba8: .rgba8
    }
  }
}
