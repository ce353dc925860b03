import Vision

// DetectShapes [PICTURE [OUTPUT.png]]

let arguments = CommandLine.arguments
let picture = arguments.count > 1 ? URL(fileURLWithPath: arguments[1]) : Bundle.main.url(forResource: "shapes", withExtension: "png")!
let result = URL(fileURLWithPath: arguments.count > 2 ? arguments[2] : "shapes-found.png")

// The detector sees the middle square of the picture, as it was trained without bars. Boxes are those of the picture all the same.
let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Shapes(configuration: MLModelConfiguration()).model))
request.imageCropAndScaleOption = .centerCrop
try VNImageRequestHandler(url: picture).perform([request])
let objects = request.results as? [VNRecognizedObjectObservation] ?? []

guard let source = CGImageSourceCreateWithURL(picture as CFURL, nil), let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
  let context = CGContext(
    data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
    bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
else { fatalError("\(picture.path) is no picture") }
context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
context.setLineWidth(3)

for object in objects.sorted(by: { $0.boundingBox.minX < $1.boundingBox.minX }) {
  let box = VNImageRectForNormalizedRect(object.boundingBox, image.width, image.height)
  let name = object.labels[0].identifier
  switch name {
  case "circle": context.setStrokeColor(CGColor(red: 1, green: 1, blue: 1, alpha: 1))
  case "square": context.setStrokeColor(CGColor(red: 1, green: 1, blue: 0, alpha: 1))
  default: context.setStrokeColor(CGColor(red: 0, green: 1, blue: 1, alpha: 1))
  }
  context.stroke(box)
  print("\(name) \(Int((100 * object.confidence).rounded())) % at \(Int(box.midX.rounded())), \(Int(box.midY.rounded()))")
}

guard let drawing = context.makeImage(),
  let destination = CGImageDestinationCreateWithURL(result as CFURL, "public.png" as CFString, 1, nil)
else { fatalError("no picture to write") }
CGImageDestinationAddImage(destination, drawing, nil)
guard CGImageDestinationFinalize(destination) else { fatalError("\(result.path) cannot be written") }
print("wrote \(result.lastPathComponent)")
