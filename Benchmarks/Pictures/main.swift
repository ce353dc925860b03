import Foundation
import MartletMedia
import MartletPixels

// Prepares pictures as Benchmarks/pictures.py asks: a line `jpeg FILE`, `bgra` or `420v` on standard input is one run, whose milliseconds
// are the answer. The affinity mask of the process sets the number of threads.

let (frameWidth, frameHeight, side) = (1920, 1080, 640)
let frame = (0..<frameWidth * frameHeight * 4).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
var planes = [Float](repeating: 0, count: 3 * side * side)

/// Shorter side 256, central square of 224, normalised: the usual preparation for networks trained on ImageNet.
func classifierInput(_ path: String) throws {
  let image = try Image.read(path: path).converted(to: .rgb8)
  let shorter = min(image.width, image.height)
  let (width, height) = (image.width * 256 / shorter, image.height * 256 / shorter)
  let (x, y) = ((width - 224) / 2, (height - 224) / 2)
  let square = image.resized(width: width, height: height, window: (x..<x + 224, y..<y + 224))
  _ = square.tensor(mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])
}

/// A frame of a camera as a tensor of 640 x 640 with samples from 0 to 1.
@MainActor func detectorInput(_ format: PixelFormat) {
  unsafe frame.withUnsafeBytes { bytes in
    unsafe planes.withUnsafeMutableBufferPointer { planes in
      let base = bytes.baseAddress!
      let chroma = unsafe base + frameWidth * frameHeight
      let memory: [PixelSource.Plane] =
        format.planeCount == 1
        ? unsafe [.init(base: base, rowByteCount: 4 * frameWidth)]
        : unsafe [.init(base: base, rowByteCount: frameWidth), .init(base: chroma, rowByteCount: frameWidth)]
      guard let source = PixelSource(width: frameWidth, height: frameHeight, format: format, planes: memory),
        let placement = ImagePlacement.stretched(targetWidth: side, targetHeight: side)
      else { return }
      unsafe source.writePlanes(
        upright: .up, placement: placement,
        normalization: ColorNormalization(factor: 1 / 255, mean: .zero, standardDeviation: .one), paddingValue: 0,
        into: planes.baseAddress!)
    }
  }
}

while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  let time = try ContinuousClock().measure {
    switch words[0] {
    case "jpeg": try classifierInput(words[1])
    case "bgra": detectorInput(.bgra8)
    default: detectorInput(.yCbCr420VideoRange8)
    }
  }
  print(Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3)
  fflush(nil)
}
