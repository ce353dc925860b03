import Foundation

/// How sure a model is, as it gives it: not necessarily from 0 to 1.
public typealias VNConfidence = Float
/// Width divided by height.
public typealias VNAspectRatio = Float
/// An angle in degrees.
public typealias VNDegrees = Float

/// How a picture comes to have a model's size.
public enum VNImageCropAndScaleOption: UInt, Sendable, Hashable {
  /// The largest central part that has the aspect ratio of the model's input.
  case centerCrop = 0
  /// The whole picture with its aspect ratio, centred between black bars.
  case scaleFit = 1
  /// The whole picture; its aspect ratio may change.
  case scaleFill = 2
  /// The same two after a quarter turn counterclockwise.
  case scaleFitRotate90CCW = 0x101
  case scaleFillRotate90CCW = 0x102
}

/// Options of handlers. None of them changes what Core ML requests compute.
public struct VNImageOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Properties of the picture's file, as `CGImageSourceCopyPropertiesAtIndex` gives them.
  public static let properties = VNImageOption(rawValue: "VNImageOptionProperties")
  /// A camera's focal length and principal point.
  public static let cameraIntrinsics = VNImageOption(rawValue: "VNImageOptionCameraIntrinsics")
  /// A `CIContext` to draw a `CIImage` with.
  public static let ciContext = VNImageOption(rawValue: "VNImageOptionCIContext")
}

/// A part of a request's work for which a device can be chosen.
public struct VNComputeStage: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The model.
  public static let main = VNComputeStage(rawValue: "VNComputeStageMain")
  /// What makes observations of its outputs.
  public static let postProcessing = VNComputeStage(rawValue: "VNComputeStagePostProcessing")
}

/// The revision of a request without one.
public let VNRequestRevisionUnspecified: Int = 0
/// The revision of Core ML requests.
public let VNCoreMLRequestRevision1: Int = 1

/// Something that a revision of a request has made.
public protocol VNRequestRevisionProviding {
  var requestRevision: Int { get }
}

/// Called when a request has been performed, or has failed with an error.
public typealias VNRequestCompletionHandler = (VNRequest, (any Error)?) -> Void
