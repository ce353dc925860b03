import CoreGraphics
import CoreML
import Foundation
import ImageIO
import Vision

// Reads pictures as Oracles/compare_photographs.py asks, through the modules that applications use.
//
//     Photographs MODEL...
//
// A line `OUT FILE` on standard input is a picture. Its stored pixels are written to OUT.stored, those drawn into a context of sRGB to
// OUT.drawn (red, green, blue and a byte that means nothing, upright as stored). The answer is a line of JSON: the layout of the stored
// pixels, the orientation, and the names and confidences of the five best classes by each model.

struct Answer: Encodable {
  var width = 0
  var height = 0
  var bitsPerComponent = 0
  var bitsPerPixel = 0
  var bytesPerRow = 0
  var bitmapInfo: UInt32 = 0
  var space: String?
  var orientation = 1
  var classes: [[String]] = []
  var confidences: [[Float]] = []
  var error: String?
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

let requests = try CommandLine.arguments.dropFirst().map { path in
  let url = URL(fileURLWithPath: path)
  let model = try MLModel(contentsOf: path.hasSuffix(".mlmodelc") ? url : MLModel.compileModel(at: url))
  return VNCoreMLRequest(model: try VNCoreMLModel(for: model))
}

@MainActor func answer(_ file: URL, _ out: String) throws -> Answer {
  var answer = Answer()
  guard let source = CGImageSourceCreateWithURL(file as CFURL, nil) else { throw Failure(description: "no source") }
  let index = CGImageSourceGetPrimaryImageIndex(source)
  guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { throw Failure(description: "no image") }
  let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil)
  answer.orientation = properties?[kCGImagePropertyOrientation] as? Int ?? 1
  (answer.width, answer.height) = (image.width, image.height)
  (answer.bitsPerComponent, answer.bitsPerPixel) = (image.bitsPerComponent, image.bitsPerPixel)
  answer.bytesPerRow = image.bytesPerRow
  answer.bitmapInfo = image.bitmapInfo.rawValue
  answer.space = image.colorSpace?.name.map { $0 as String }
  guard let stored = image.dataProvider?.data else { throw Failure(description: "no pixels") }
  try (stored as Data).write(to: URL(fileURLWithPath: out + ".stored"))
  guard let space = CGColorSpace(name: CGColorSpace.sRGB),
    let context = unsafe CGContext(
      data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 4 * image.width, space: space,
      bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue)
  else { throw Failure(description: "no context") }
  context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
  guard let drawn = context.makeImage()?.dataProvider?.data else { throw Failure(description: "no drawing") }
  try (drawn as Data).write(to: URL(fileURLWithPath: out + ".drawn"))
  try VNImageRequestHandler(url: file).perform(requests)
  for request in requests {
    guard let found = request.results as? [VNClassificationObservation] else { throw Failure(description: "no classes") }
    answer.classes.append(found.prefix(6).map(\.identifier))
    answer.confidences.append(found.prefix(6).map(\.confidence))
  }
  return answer
}

while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  var found = Answer()
  do {
    found = try answer(URL(fileURLWithPath: words[1]), words[0])
  } catch {
    found.error = "\(error)"
  }
  print(String(decoding: try JSONEncoder().encode(found), as: UTF8.self))
  fflush(nil)
}
