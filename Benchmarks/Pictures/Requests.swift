import CoreML
import CoreVideo
import Foundation
import Vision

/// Predictions with and without Vision.
@MainActor
final class Requests {
  private struct Prepared {
    let model: MLModel
    let request: VNCoreMLRequest
    let buffer: CVPixelBuffer
    let frame: CVPixelBuffer
    let input: MLDictionaryFeatureProvider
  }

  private var prepared: [String: Prepared] = [:]

  private static func buffer(_ width: Int, _ height: Int, _ format: OSType) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    guard unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made) == kCVReturnSuccess, let made else {
      throw Failure(description: "no pixel buffer")
    }
    return made
  }

  private func prepare(_ path: String) throws -> Prepared {
    if let found = prepared[path] { return found }
    let url = URL(fileURLWithPath: path)
    let model = try MLModel(contentsOf: url.pathExtension == "mlmodelc" ? url : MLModel.compileModel(at: url))
    guard let (name, description) = model.modelDescription.inputDescriptionsByName.first(where: { $0.value.type == .image }),
      let image = description.imageConstraint
    else { throw Failure(description: "\(path) takes no image") }
    let buffer = try Self.buffer(image.pixelsWide, image.pixelsHigh, image.pixelFormatType)
    let made = Prepared(
      model: model, request: VNCoreMLRequest(model: try VNCoreMLModel(for: model)), buffer: buffer,
      frame: try Self.buffer(1920, 1080, kCVPixelFormatType_32BGRA),
      input: try MLDictionaryFeatureProvider(dictionary: [name: MLFeatureValue(pixelBuffer: buffer)]))
    prepared[path] = made
    return made
  }

  func prediction(_ path: String) throws -> () throws -> Void {
    let prepared = try prepare(path)
    return { _ = try prepared.model.prediction(from: prepared.input) }
  }

  func request(_ path: String, isFrame: Bool) throws -> () throws -> Void {
    let prepared = try prepare(path)
    return {
      try VNImageRequestHandler(cvPixelBuffer: isFrame ? prepared.frame : prepared.buffer).perform([prepared.request])
      guard prepared.request.results?.isEmpty == false else { throw Failure(description: "no observations") }
    }
  }
}
