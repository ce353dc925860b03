import CoreML
import VideoToolbox

// CleanPhoto [NOISY [OUTPUT.png [ORIGINAL]]]

/// The picture's bytes: red, green, blue and alpha, row by row.
func pixels(of image: CGImage) -> [UInt8] {
  var pixels = [UInt8](repeating: 0, count: 4 * image.width * image.height)
  pixels.withUnsafeMutableBytes { bytes in
    let context = CGContext(
      data: bytes.baseAddress, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 4 * image.width,
      space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
  }
  return pixels
}

/// How near two pictures of one size are, in decibels.
func signalToNoise(_ a: CGImage, _ b: CGImage) -> Double {
  let squares = zip(pixels(of: a), pixels(of: b)).map { pow(Double($0) - Double($1), 2) }
  // A quarter of the bytes are alpha, and equal.
  return 10 * log10(255 * 255 * 0.75 * Double(squares.count) / squares.reduce(0, +))
}

func image(at url: URL) -> CGImage {
  guard let source = CGImageSourceCreateWithURL(url as CFURL, nil), let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
  else { fatalError("\(url.path) is no picture") }
  return image
}

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let noisy = files.first ?? Bundle.main.url(forResource: "coffee-noisy", withExtension: "png")!
let result = files.count > 1 ? files[1] : URL(fileURLWithPath: "coffee-cleaned.png")
let original = files.count > 2 ? files[2] : files.isEmpty ? Bundle.main.url(forResource: "coffee", withExtension: "jpg") : nil

let model = try Cleaner(configuration: MLModelConfiguration())
let output = try model.prediction(input: CleanerInput(imageAt: noisy))
var cleaned: CGImage?
guard VTCreateCGImageFromCVPixelBuffer(output.cleaned, options: nil, imageOut: &cleaned) == noErr, let cleaned,
  let destination = CGImageDestinationCreateWithURL(result as CFURL, "public.png" as CFString, 1, nil)
else { fatalError("no picture to write") }
CGImageDestinationAddImage(destination, cleaned, nil)
guard CGImageDestinationFinalize(destination) else { fatalError("\(result.path) cannot be written") }

if let original {
  let truth = image(at: original)
  print(String(format: "with noise: %.1f dB", signalToNoise(image(at: noisy), truth)))
  print(String(format: "cleaned:    %.1f dB", signalToNoise(cleaned, truth)))
}
print("wrote \(result.lastPathComponent), \(cleaned.width) x \(cleaned.height) pixels")
