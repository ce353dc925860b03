// The client's parts that need UIKit or Core Image, and the class that Xcode generates for its model.
import CoreML
import CoreVideo
import Foundation

let labels = Labels()
let settings = Settings()
let applicationDocumentsDirectory = URL(fileURLWithPath: CommandLine.arguments[1])

@discardableResult func copyIfNotExists(from: URL, to: URL) -> Bool {
  (try? FileManager.default.copyItem(at: from, to: to)) != nil
}

func removeIfExists(at url: URL) { try? FileManager.default.removeItem(at: url) }

/// Pictures of one colour with noise: each label has its colour.
class ImageDataset {
  let count: Int
  init(count: Int) { self.count = count }
  func label(at index: Int) -> String { labels.labelNames[index % 3] }
}

class ImageLoader {
  typealias Batch = [(Int, MLFeatureValue)]

  let dataset: ImageDataset
  let batchSize: Int
  var augment: Bool
  private let imageConstraint: MLImageConstraint
  private(set) var index = 0

  init(dataset: ImageDataset, batchSize: Int = 1, shuffle: Bool = false, augment: Bool = false, imageConstraint: MLImageConstraint) {
    (self.dataset, self.batchSize, self.augment, self.imageConstraint) = (dataset, batchSize, augment, imageConstraint)
  }

  var count: Int { (dataset.count + batchSize - 1) / batchSize }

  func reset() { index = 0 }

  func nextBatch() throws -> Batch? {
    guard index < dataset.count else { return nil }
    let indices = index..<min(index + batchSize, dataset.count)
    index = indices.upperBound
    return try indices.map { ($0, try featureValue(at: $0)) }
  }

  func featureValue(at index: Int) throws -> MLFeatureValue {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(
      nil, imageConstraint.pixelsWide, imageConstraint.pixelsHigh, imageConstraint.pixelFormatType, nil, &buffer)
    guard let buffer else { throw CocoaError(.featureUnsupported) }
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let bytes = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    for row in 0..<CVPixelBufferGetHeight(buffer) {
      for column in 0..<CVPixelBufferGetWidth(buffer) {
        let pixel = bytes + row * CVPixelBufferGetBytesPerRow(buffer) + column * 4
        for channel in 0..<3 { pixel[channel] = UInt8.random(in: 0...80) + (channel == index % 3 ? 150 : 0) }
        pixel[3] = 255
      }
    }
    return MLFeatureValue(pixelBuffer: buffer)
  }
}

class HandsEmptyTrainingInput: MLFeatureProvider {
  let image: CVPixelBuffer, label: String
  init(image: CVPixelBuffer, label: String) { (self.image, self.label) = (image, label) }
  var featureNames: Set<String> { ["image", "label"] }
  func featureValue(for name: String) -> MLFeatureValue? {
    name == "image" ? MLFeatureValue(pixelBuffer: image) : name == "label" ? MLFeatureValue(string: label) : nil
  }
}
