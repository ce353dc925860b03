public import Foundation

/// The kind of an input.
public enum MultimodalInputType: Int, Sendable {
  case text
  case image
  case audio
  case unsupported
}

/// A piece of text, an image or audio among the inputs of a `MultimodalRunner`.
public final class MultimodalInput: NSObject, NSCopying {
  public let type: MultimodalInputType
  /// The text; nil for other types.
  public let text: String?
  /// The image; nil for other types.
  public let image: Image?
  /// The audio; nil for other types.
  public let audio: Audio?

  public init(_ text: String) {
    type = .text
    self.text = text
    image = nil
    audio = nil
  }

  public init(_ image: Image) {
    type = .image
    text = nil
    self.image = image
    audio = nil
  }

  public init(_ audio: Audio) {
    type = .audio
    text = nil
    image = nil
    self.audio = audio
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The samples of a picture: one plane for each channel, row by row.
public final class Image: NSObject, NSCopying {
  public let data: Data
  /// Extents in pixels.
  public let width: Int
  public let height: Int
  public let channels: Int
  /// True for samples of 32-bit floats, false for bytes.
  public let isFloat: Bool

  /// - Parameter data: a byte for each sample.
  public init(data: Data, width: Int, height: Int, channels: Int) {
    self.data = data
    self.width = width
    self.height = height
    self.channels = channels
    isFloat = false
  }

  /// - Parameter data: a 32-bit float for each sample.
  public init(float data: Data, width: Int, height: Int, channels: Int) {
    self.data = data
    self.width = width
    self.height = height
    self.channels = channels
    isFloat = true
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Features of audio: batches of frequency bins by frames.
public final class Audio: NSObject, NSCopying {
  public let data: Data
  public let batchSize: Int
  /// Number of frequency bins.
  public let bins: Int
  /// Number of frames in time.
  public let frames: Int
  /// True for features of 32-bit floats, false for bytes.
  public let isFloat: Bool

  /// - Parameter data: a byte for each feature.
  public init(data: Data, batchSize: Int, bins: Int, frames: Int) {
    self.data = data
    self.batchSize = batchSize
    self.bins = bins
    self.frames = frames
    isFloat = false
  }

  /// - Parameter data: a 32-bit float for each feature.
  public init(float data: Data, batchSize: Int, bins: Int, frames: Int) {
    self.data = data
    self.batchSize = batchSize
    self.bins = bins
    self.frames = frames
    isFloat = true
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }
}
