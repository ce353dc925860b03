import ArgumentParser
import FoundationEssentials
import Martlet
import MartletTensor

/// An image as an input: `(sample - mean) / std` with samples from 0 to 1, in the input's layout.
struct PictureInput {
  enum Fit: String, ExpressibleByArgument, CaseIterable {
    /// Resizes to the input's size, without keeping the aspect ratio.
    case stretch
    /// Crops the centre to the input's aspect ratio, then resizes.
    case crop
  }

  var fit: Fit
  /// One value, or one per channel; nil for 0.
  var mean: [Float]?
  /// One value, or one per channel; nil for 1.
  var std: [Float]?
  /// The fraction of the largest rectangle that `crop` takes.
  var cropShare = 1.0
  var filter = Picture.Filter.bilinear

  /// Height, width and channels of an input.
  struct Layout: Equatable {
    var channelCount: Int
    var height: Int
    var width: Int
    var isChannelsLast: Bool

    init(channelCount: Int, height: Int, width: Int, isChannelsLast: Bool) {
      (self.channelCount, self.height, self.width, self.isChannelsLast) = (channelCount, height, width, isChannelsLast)
    }

    /// The layout of `[N, C, H, W]`, `[N, H, W, C]`, or either without N; N must be 1, C 1 or 3.
    init(_ input: ValueSignature) throws {
      guard case .tensor(_, let shape, _) = input.kind, shape.count == 3 || shape.count == 4, shape.count == 3 || abs(shape[0]) >= 1
      else { throw CommandFailure("\(input) cannot take an image: it must have 3 or 4 axes") }
      let image = Array(shape.suffix(3))
      if [1, 3].contains(image[0]) {
        (channelCount, height, width, isChannelsLast) = (image[0], image[1], image[2], false)
      } else if [1, 3].contains(image[2]) {
        (channelCount, height, width, isChannelsLast) = (image[2], image[0], image[1], true)
      } else {
        throw CommandFailure("\(input) cannot take an image: neither channel axis has extent 1 or 3")
      }
      guard height > 0, width > 0 else { throw CommandFailure("\(input) does not specify an image's height and width") }
    }
  }

  /// The picture of a file in the default size of an image input.
  func picture(path: String, for image: ImageSignature) throws -> Picture {
    let layout = Layout(channelCount: image.isGray ? 1 : 3, height: image.height, width: image.width, isChannelsLast: false)
    guard layout.height > 0, layout.width > 0 else { throw CommandFailure("the model does not say the size of its picture") }
    return try resized(try Picture(contentsOf: URL(fileURLWithPath: path)), layout)
  }

  func tensor(path: String, for input: ValueSignature) throws -> Tensor {
    try tensor(try Picture(contentsOf: URL(fileURLWithPath: path)), for: input)
  }

  func tensor(_ picture: Picture, for input: ValueSignature) throws -> Tensor {
    guard case .tensor(let dataType, let shape, _) = input.kind else { throw CommandFailure("\(input) cannot take an image") }
    let layout = try Layout(input)
    let resized = try resized(picture, layout)
    // Integer inputs take the samples unchanged.
    let isRaw = dataType.isInteger && mean == nil && std == nil
    let means = try isRaw ? [Float](repeating: 0, count: layout.channelCount) : channels(mean ?? [0], layout, option: "--mean")
    let deviations = try isRaw ? [Float](repeating: 1 / 255, count: layout.channelCount) : channels(std ?? [1], layout, option: "--std")
    guard deviations.allSatisfy({ $0 != 0 }) else { throw CommandFailure("--std must not be 0") }
    let tensor = try resized.tensor(mean: means, standardDeviation: deviations, isChannelsLast: layout.isChannelsLast)
    if dataType == .float32, shape.count == 4 { return tensor }
    let numbers = dataType.isInteger ? tensor.doubles.map { $0.rounded() } : tensor.doubles
    return try Tensor(numbers, as: dataType, shape: shape.count == 4 ? tensor.shape : Array(tensor.shape.dropFirst()))
  }

  private func channels(_ numbers: [Float], _ layout: Layout, option: String) throws -> [Float] {
    if numbers.count == 1 { return [Float](repeating: numbers[0], count: layout.channelCount) }
    guard numbers.count == layout.channelCount else {
      throw CommandFailure("\(option) has \(numbers.count) values, but the input has \(Formatting.count(layout.channelCount, "channel"))")
    }
    return numbers
  }

  /// Bytes needed for each sample of an input: as read, resized, as float32 and, for inputs of other types, as a number.
  private static let sampleByteCount = 16

  /// The picture with the input's channels, height and width.
  private func resized(_ picture: Picture, _ layout: Layout) throws -> Picture {
    let limit = LimitOptions.byteLimit
    let byteCount = Extent.product([layout.channelCount, layout.height, layout.width, Self.sampleByteCount])
    guard byteCount.fits(limit) else {
      throw MartletError.outOfMemory(
        "a picture of \(layout.width) x \(layout.height) is too large", expected: "at most \(limit) bytes", found: "\(byteCount)")
    }
    let target: Picture.PixelFormat = layout.channelCount == 1 ? .gray : .rgb
    // Colours of transparent pixels count as others do.
    let picture = picture.format == .rgb && target == .rgb ? picture : picture.converted(to: target)
    guard fit == .crop else { return try picture.resized(width: layout.width, height: layout.height, filter: filter) }
    let scale = min(Double(picture.width) / Double(layout.width), Double(picture.height) / Double(layout.height)) * cropShare
    let width = max(1, Int(exactly: (Double(layout.width) * scale).rounded(.toNearestOrEven)) ?? picture.width)
    let height = max(1, Int(exactly: (Double(layout.height) * scale).rounded(.toNearestOrEven)) ?? picture.height)
    let (x, y) = ((picture.width - width) / 2, (picture.height - height) / 2)
    return try picture.resized(
      columns: x..<x + width, rows: y..<y + height, width: layout.width, height: layout.height, filter: filter)
  }
}
