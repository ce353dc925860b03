package import MartletFeatures
package import MartletPixels
package import MartletTensor

// In a graph, images are tensors of shape [1, channels, height, width] with samples from 0 to 255.

extension ImageFeature {
  package var isGray: Bool { colorSpace == .grayscale || colorSpace == .grayscaleFloat16 }
  package var channelCount: Int { isGray ? 1 : 3 }
  /// The index of red, green or blue in each plane of the tensor. The permutation is its own inverse.
  private var channelOrder: [Int] { colorSpace == .bgr ? [2, 1, 0] : [0, 1, 2] }

  /// The shape of the tensor for an image.
  package func tensorShape(width: Int, height: Int) -> [Int] { [1, channelCount, height, width] }

  /// Returns true if the feature accepts images of this size.
  package func allows(width: Int, height: Int) -> Bool {
    let asked = Size(width: width, height: height)
    switch flexibility {
    case .fixed: return asked == size || size == Size(width: 0, height: 0)
    case .enumerated(let sizes): return asked == size || sizes.contains(asked)
    case .ranges(let widths, let heights): return widths.contains(width) && heights.contains(height)
    }
  }

  // MARK: Pixels to tensor

  /// Returns true if the pixels can be converted to the feature's tensor. Floating-point planes require a gray feature.
  package func takes(_ pixels: PixelView) -> Bool {
    if case .numbers = pixels { isGray } else { true }
  }

  /// Writes the tensor of an image. Colours are converted to gray for gray features; floating-point samples are not scaled.
  /// - Parameter target: memory for the elements of `tensorShape`, row-major.
  /// - Precondition: the feature accepts the pixels.
  /// - Throws: `AllocationError` if there is no memory for the conversion.
  private func write(_ pixels: PixelView, as dtype: DType, to target: UnsafeMutableRawPointer) throws(AllocationError) {
    precondition(takes(pixels))
    let shape = tensorShape(width: pixels.width, height: pixels.height)
    let placement = ElementPlacement(dtype, strides: Shape.contiguousStrides(shape))
    switch pixels {
    case .numbers(let plane):
      unsafe copyElements(shape: shape, from: plane.base, plane.placement, to: target, placement)
    case .colors(let source):
      // The element types that pixels are converted to at once.
      if dtype == .float32 || dtype == .float16 || dtype == .uint8 { return unsafe write(source, as: dtype, to: target) }
      let samples = try TensorStorage(for: .float32, shape: shape)
      unsafe write(source, as: .float32, to: samples.pointer)
      unsafe copyElements(
        shape: shape, from: samples.pointer, ElementPlacement(.float32, strides: placement.strides), to: target, placement)
    }
  }

  private func write(_ source: PixelSource, as dtype: DType, to samples: UnsafeMutableRawPointer) {
    if isGray {
      unsafe source.writeGray(dtype: dtype, into: samples)
    } else {
      unsafe source.writeSamples(order: channelOrder, dtype: dtype, into: samples)
    }
  }

  /// The tensor of an image in memory.
  /// - Precondition: the feature accepts the pixels.
  /// - Throws: `AllocationError` if the size overflows or the memory is not available.
  package func tensor(of pixels: PixelView, as dtype: DType) throws(AllocationError) -> HostTensor {
    let shape = tensorShape(width: pixels.width, height: pixels.height)
    let storage = try TensorStorage(for: dtype, shape: shape)
    try unsafe write(pixels, as: dtype, to: storage.pointer)
    return HostTensor(dtype: dtype, shape: shape, storage: storage)
  }

  /// The tensor of an image.
  /// - Throws: `AllocationError` if the size overflows or the memory is not available.
  package func tensor(of image: Image, as dtype: DType) throws -> HostTensor {
    try image.withSource { try tensor(of: .colors($0), as: dtype) }
  }

  // MARK: Tensor to pixels

  /// Width and height of the image in a tensor; nil if the tensor is not an image with the feature's channel count.
  package func extents(of type: TensorType) -> (width: Int, height: Int)? {
    let shape = type.shape
    guard shape.count == 4, shape[0] == 1, shape[1] == channelCount, shape[2] > 0, shape[3] > 0 else { return nil }
    return (shape[3], shape[2])
  }

  /// Writes the samples of a gray image without scaling.
  /// - Precondition: the tensor is an image with the size of the plane.
  package func read(_ tensor: UnsafeRawPointer, _ type: TensorType, into plane: NumberPlane) {
    precondition(isGray && type.shape == tensorShape(width: plane.width, height: plane.height))
    unsafe copyElements(
      shape: type.shape, from: tensor, ElementPlacement(type.dtype, strides: Shape.contiguousStrides(type.shape)), to: plane.base,
      plane.placement)
  }

  /// Writes the samples of an image, rounded and clamped to 0...255.
  /// - Precondition: the tensor is an image with the size of the target, and gray if and only if the format of the target is.
  /// - Throws: `AllocationError` if there is no memory for the conversion.
  package func read(_ tensor: UnsafeRawPointer, _ type: TensorType, into target: PixelTarget) throws(AllocationError) {
    if type.dtype == .float32 || type.dtype == .float16 || type.dtype == .uint8 {
      return unsafe target.write(tensor, dtype: type.dtype, order: channelOrder)
    }
    let strides = Shape.contiguousStrides(type.shape)
    let samples = try TensorStorage(for: .float32, shape: type.shape)
    unsafe copyElements(
      shape: type.shape, from: tensor, ElementPlacement(type.dtype, strides: strides), to: samples.pointer,
      ElementPlacement(.float32, strides: strides))
    unsafe target.write(samples.pointer, order: channelOrder)
  }

  /// The image in a tensor; nil if the tensor is not an image.
  /// - Throws: `AllocationError` if there is no memory for the conversion.
  package func image(of tensor: HostTensor) throws -> Image? {
    guard let (width, height) = extents(of: TensorType(tensor.dtype, tensor.shape)) else { return nil }
    let format: Image.PixelFormat = isGray ? .gray8 : .rgb8
    var pixels = [UInt8](repeating: 0, count: width * height * format.channelCount)
    let isWritten = try unsafe pixels.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress,
        let target = unsafe PixelTarget(
          width: width, height: height, format: format.layout, base: base, rowByteCount: width * format.channelCount)
      else { return false }
      try unsafe tensor.withUnsafeBytes { source in
        if let source = source.baseAddress { try unsafe read(source, TensorType(tensor.dtype, tensor.shape), into: target) }
      }
      return true
    }
    return isWritten ? Image(width: width, height: height, format: format, pixels: pixels) : nil
  }
}
