public import CoreML
public import Foundation
import Martlet
import MartletPixels

/// An analysis of a picture, performed by a handler.
open class VNRequest: NSObject, NSCopying {
  /// Called before the handler's `perform` returns, on its thread.
  open var completionHandler: VNRequestCompletionHandler?
  /// Observations of the last `perform`; nil before it, and if it failed.
  public internal(set) var results: [VNObservation]?
  /// A hint that changes nothing here: requests run on the thread that performs them.
  open var preferBackgroundProcessing = false
  /// Always so here, whatever is set.
  open var usesCPUOnly = false
  /// The revision to perform, one of `supportedRevisions`; `perform` fails for others.
  open var revision: Int
  private var devices: [VNComputeStage: MLComputeDevice] = [:]
  private let cancellation = Guarded(CancellationState())

  private struct CancellationState {
    var isCancelled = false
    var current: CallCancellation?
  }

  public convenience override init() { self.init(completionHandler: nil) }

  public init(completionHandler: VNRequestCompletionHandler? = nil) {
    self.completionHandler = completionHandler
    revision = Self.defaultRevision
    super.init()
  }

  /// The revisions that can be performed.
  open class var supportedRevisions: IndexSet { [] }
  open class var defaultRevision: Int { currentRevision }
  /// The newest revision.
  open class var currentRevision: Int { supportedRevisions.last ?? VNRequestRevisionUnspecified }

  /// Cancels the request: the run in progress on another thread, or else the next one, fails with `VNErrorCode.requestCancelled`.
  open func cancel() {
    cancellation.withLock { state in
      state.isCancelled = true
      state.current?.cancel()
    }
  }

  // MARK: Devices

  /// The devices for each stage.
  open var supportedComputeStageDevices: [VNComputeStage: [MLComputeDevice]] {
    get throws { [.main: MLComputeDevice.allComputeDevices, .postProcessing: MLComputeDevice.allComputeDevices] }
  }

  /// The device that was chosen for a stage; nil if none was.
  open func computeDevice(for computeStage: VNComputeStage) -> MLComputeDevice? { devices[computeStage] }

  /// Chooses a device for a stage; nil leaves the choice to the request.
  open func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: VNComputeStage) { devices[computeStage] = computeDevice }

  // MARK: Performing

  /// - Throws: `Failure`.
  func observations(in picture: RequestPicture, cancellation: CallCancellation) throws -> [VNObservation] {
    throw Failure(.unsupportedRequest("\(type(of: self)) is not a request that can be performed"))
  }

  /// Performs the request and calls its completion handler.
  /// - Returns: the error; nil on success.
  func perform(on picture: RequestPicture) -> NSError? {
    results = nil
    var failure: NSError?
    do {
      results = try run(picture)
    } catch {
      failure = Failure(prediction: error).classic
    }
    completionHandler?(self, failure)
    return failure
  }

  private func run(_ picture: RequestPicture) throws -> [VNObservation] {
    let current = CallCancellation()
    let isCancelled = cancellation.withLock { state in
      state.current = current
      return state.isCancelled
    }
    defer { cancellation.withLock { $0 = CancellationState() } }
    if isCancelled { throw Failure(.requestCancelled("The request was cancelled")) }
    guard Self.supportedRevisions.contains(revision) || Self.supportedRevisions.isEmpty else {
      throw Failure(.unsupportedRevision("\(type(of: self)) has no revision \(revision)"))
    }
    for (stage, device) in devices where stage != .main && stage != .postProcessing {
      throw Failure(.unsupportedComputeStage("\(type(of: self)) has no stage \(stage.rawValue) for \(device)"))
    }
    return try observations(in: picture, cancellation: current)
  }

  // MARK: Copying

  /// A request that asks the same, without results.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = emptyCopy()
    copy.preferBackgroundProcessing = preferBackgroundProcessing
    copy.usesCPUOnly = usesCPUOnly
    copy.revision = revision
    copy.devices = devices
    return copy
  }

  func emptyCopy() -> VNRequest { VNRequest(completionHandler: completionHandler) }
}

/// A request about a part of a picture.
open class VNImageBasedRequest: VNRequest {
  /// The part to look at: normalised, with the origin at the lower left of the upright picture. Rounded to whole pixels.
  open var regionOfInterest = VNNormalizedIdentityRect

  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    (copy as? VNImageBasedRequest)?.regionOfInterest = regionOfInterest
    return copy
  }

  override func emptyCopy() -> VNRequest { VNImageBasedRequest(completionHandler: completionHandler) }
}

extension NormalizedBox {
  init(_ rect: CGRect) {
    self.init(x: Double(rect.origin.x), y: Double(rect.origin.y), width: Double(rect.size.width), height: Double(rect.size.height))
  }

  var rect: CGRect { CGRect(x: x, y: y, width: width, height: height) }
}
