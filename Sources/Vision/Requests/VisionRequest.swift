public import CoreGraphics
public import CoreImage
public import CoreML
public import CoreVideo
import Foundation
public import ImageIO
import Martlet

/// A part of a request's work for which a device can be chosen.
public enum ComputeStage: Sendable, Hashable, CaseIterable {
  /// The model.
  case main
  /// What makes observations of its outputs.
  case postProcessing
}

/// A kind of request with its revision.
public enum RequestDescriptor: Sendable, Hashable, Codable, CustomStringConvertible {
  case coreMLRequest(CoreMLRequest.Revision)

  public var description: String {
    switch self {
    case .coreMLRequest(let revision): "CoreMLRequest(\(revision))"
    }
  }
}

/// An analysis of a picture.
public protocol VisionRequest: CustomStringConvertible, Hashable, Sendable {
  associatedtype Result: Sendable

  var descriptor: RequestDescriptor { get }
  /// The devices for each stage.
  var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { get }
  /// The device that was chosen for a stage; nil if none was.
  func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice?
  /// Chooses a device for a stage; nil leaves the choice to the request.
  mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage)
}

/// A request about a part of a picture.
///
/// Each `perform` fails with a `VisionError`, also when the task is cancelled. Without an orientation, files and their data have their
/// own, and other pictures are upright.
public protocol ImageProcessingRequest: VisionRequest {
  /// The part of the upright picture to look at. Rounded to whole pixels.
  var regionOfInterest: NormalizedRect { get set }

  func perform(on url: URL, orientation: CGImagePropertyOrientation?) async throws -> Result
  func perform(on data: Data, orientation: CGImagePropertyOrientation?) async throws -> Result
  func perform(on cgImage: CGImage, orientation: CGImagePropertyOrientation?) async throws -> Result
  func perform(on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation?) async throws -> Result
  func perform(on ciImage: CIImage, orientation: CGImagePropertyOrientation?) async throws -> Result
}

extension ImageProcessingRequest {
  public func perform(on url: URL, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(url, orientation: orientation).perform(self)
  }

  public func perform(on data: Data, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(data, orientation: orientation).perform(self)
  }

  public func perform(on cgImage: CGImage, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(cgImage, orientation: orientation).perform(self)
  }

  public func perform(on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(pixelBuffer, orientation: orientation).perform(self)
  }

  public func perform(on ciImage: CIImage, orientation: CGImagePropertyOrientation? = nil) async throws -> Result {
    try await ImageRequestHandler(ciImage, orientation: orientation).perform(self)
  }
}

/// A request of this module.
protocol PerformedRequest: VisionRequest {
  /// - Throws: `Failure`.
  func result(in picture: RequestPicture, cancellation: CallCancellation) throws -> Result
  func visionResult(_ result: Result) -> VisionResult
}
