import CoreML
import CoreVideo
import Foundation

/// Runs a network from pictures to pictures, whose custom layers are classes of this program.
///
///   StyleTransfer MODEL PICTURE RESULT.ppm

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
  FileHandle.standardError.write(Data("usage: StyleTransfer MODEL PICTURE RESULT.ppm\n".utf8))
  exit(2)
}

func run() throws {
  let model = try MLModel(contentsOf: MLModel.compileModel(at: URL(fileURLWithPath: arguments[1])))
  let description = model.modelDescription
  guard let (input, feature) = description.inputDescriptionsByName.first, let constraint = feature.imageConstraint,
    let output = description.outputDescriptionsByName.keys.first
  else { throw MLModelError(.generic) }
  let picture = try MLFeatureValue(imageAt: URL(fileURLWithPath: arguments[2]), constraint: constraint)
  let provider = try MLDictionaryFeatureProvider(dictionary: [input: picture])
  guard let result = try model.prediction(from: provider).featureValue(for: output)?.imageBufferValue else { throw MLModelError(.generic) }
  try ppm(result).write(to: URL(fileURLWithPath: arguments[3]))
}

/// A picture of 32 bits per pixel (BGRA) as a PPM file.
func ppm(_ buffer: CVPixelBuffer) -> Data {
  precondition(CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_32BGRA)
  CVPixelBufferLockBaseAddress(buffer, .readOnly)
  defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
  let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
  var file = Data("P6\n\(width) \(height)\n255\n".utf8)
  for row in 0..<height {
    let pixels = CVPixelBufferGetBaseAddress(buffer)! + row * CVPixelBufferGetBytesPerRow(buffer)
    for column in 0..<width {
      for channel in [2, 1, 0] { file.append(pixels.load(fromByteOffset: 4 * column + channel, as: UInt8.self)) }
    }
  }
  return file
}

try run()
