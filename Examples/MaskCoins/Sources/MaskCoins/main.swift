import CoreImage
import Vision

// MaskCoins [PICTURE [OUTPUT.png]]

let arguments = CommandLine.arguments
let photo = arguments.count > 1 ? URL(fileURLWithPath: arguments[1]) : Bundle.main.url(forResource: "coins", withExtension: "png")!
let result = URL(fileURLWithPath: arguments.count > 2 ? arguments[2] : "coins-masked.png")

let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Coins(configuration: MLModelConfiguration()).model))
request.imageCropAndScaleOption = .scaleFill
try VNImageRequestHandler(url: photo).perform([request])
guard let mask = (request.results?.first as? VNPixelBufferObservation)?.pixelBuffer, let picture = CIImage(contentsOf: photo)
else { fatalError("\(photo.path) is no picture") }

/// The share of the mask that is white.
func coverage(of mask: CVPixelBuffer) -> Double {
  CVPixelBufferLockBaseAddress(mask, .readOnly)
  defer { CVPixelBufferUnlockBaseAddress(mask, .readOnly) }
  let (width, height, stride) = (CVPixelBufferGetWidth(mask), CVPixelBufferGetHeight(mask), CVPixelBufferGetBytesPerRow(mask))
  guard let base = CVPixelBufferGetBaseAddress(mask)?.assumingMemoryBound(to: UInt8.self) else { return 0 }
  var white = 0
  for y in 0..<height {
    for x in 0..<width where base[y * stride + x] > 127 { white += 1 }
  }
  return Double(white) / Double(width * height)
}

// The mask has the model's size: stretch it over the photograph, and show a tint where it is white.
let scale = CGAffineTransform(
  scaleX: picture.extent.width / CGFloat(CVPixelBufferGetWidth(mask)), y: picture.extent.height / CGFloat(CVPixelBufferGetHeight(mask)))
let tint = CIImage(color: CIColor(red: 1, green: 0.3, blue: 0, alpha: 0.5)).cropped(to: picture.extent)
let masked = tint.composited(over: picture).applyingFilter(
  "CIBlendWithMask",
  parameters: [kCIInputBackgroundImageKey: picture, kCIInputMaskImageKey: CIImage(cvPixelBuffer: mask).transformed(by: scale)])
try CIContext().writePNGRepresentation(of: masked, to: result, format: .RGBA8, colorSpace: CGColorSpace(name: CGColorSpace.sRGB)!)

print("coins cover \(Int((100 * coverage(of: mask)).rounded())) % of \(photo.lastPathComponent)")
print("wrote \(result.lastPathComponent)")
