public import CoreGraphics
public import CoreImage
public import CoreVideo
import Foundation
public import ImageIO
import Martlet

/// The outcome of a request: its observations or its error.
public enum VisionResult: Sendable, Equatable, CustomStringConvertible {
  case coreML(CoreMLRequest, [any VisionObservation])
  case error(any VisionRequest, any Error)

  public static func == (first: VisionResult, second: VisionResult) -> Bool {
    switch (first, second) {
    case (.coreML(let request, let observations), .coreML(let other, let others)):
      request == other && observations.map { AnyHashable($0) } == others.map { AnyHashable($0) }
    case (.error(let request, let error), .error(let other, let otherError)):
      AnyHashable(request) == AnyHashable(other) && "\(error)" == "\(otherError)"
    default: false
    }
  }

  public var description: String {
    switch self {
    case .coreML(let request, let observations): "\(request): \(observations)"
    case .error(let request, let error): "\(request): \(error)"
    }
  }
}

/// Performs requests on one picture, which is decoded once for all of them.
///
/// Without an orientation, files and their data have their own, and other pictures are upright. A pixel buffer must not be written to
/// while requests are performed.
public final class ImageRequestHandler: Sendable {
  private let picture: RequestPicture

  private init(_ picture: RequestPicture) { self.picture = picture }

  /// - Parameter url: that of a file.
  public convenience init(_ url: URL, orientation: CGImagePropertyOrientation? = nil) {
    self.init(RequestPicture(.url(url), orientation: orientation))
  }

  /// - Parameter data: the content of a file.
  public convenience init(_ data: Data, orientation: CGImagePropertyOrientation? = nil) {
    self.init(RequestPicture(.data(data), orientation: orientation))
  }

  public convenience init(_ cgImage: CGImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(RequestPicture(.image(cgImage), orientation: orientation))
  }

  public convenience init(_ ciImage: CIImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(RequestPicture(.recipe(ciImage, nil), orientation: orientation))
  }

  public convenience init(_ pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil) {
    self.init(RequestPicture(.buffer(pixelBuffer), orientation: orientation))
  }

  /// Performs a request on another thread.
  /// - Throws: `VisionError`; `.requestCancelled` if the task is cancelled.
  public func perform<T: VisionRequest>(_ request: T) async throws -> T.Result {
    guard let request = request as? any PerformedRequest else {
      throw VisionError.unsupportedRequest("\(T.self) is not a request that can be performed")
    }
    guard let result = try await result(of: request) as? T.Result else {
      throw VisionError.internalError("\(T.self) has results of another type")
    }
    return result
  }

  /// Performs requests one after another.
  /// - Throws: the error of the first one that fails.
  public func perform<each T: VisionRequest>(_ requests: repeat each T) async throws -> (repeat (each T).Result) {
    (repeat try await perform(each requests))
  }

  /// Performs requests one after another and gives the result of each, or its error, as soon as it is there. Ending the iteration cancels
  /// the others.
  public func performAll(_ requests: some Collection<any VisionRequest>) -> some AsyncSequence<VisionResult, Never> & Sendable {
    let requests = Array(requests)
    return AsyncStream { continuation in
      let task = Task {
        for request in requests { continuation.yield(await visionResult(of: request)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func visionResult(of request: any VisionRequest) async -> VisionResult {
    guard let performed = request as? any PerformedRequest else {
      return .error(request, VisionError.unsupportedRequest("\(type(of: request)) is not a request that can be performed"))
    }
    do {
      return try await namedResult(of: performed)
    } catch {
      return .error(request, error)
    }
  }

  private func namedResult(of request: some PerformedRequest) async throws -> VisionResult {
    request.visionResult(try await result(of: request))
  }

  private func result<T: PerformedRequest>(of request: T) async throws -> T.Result {
    do {
      return try await BackgroundThreads.shared.cancellable { [picture] in
        try request.result(in: picture, cancellation: $0)
      }
    } catch {
      throw Failure(prediction: error).error
    }
  }
}
