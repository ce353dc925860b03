import ExecuTorch

/// Classifies a photograph with `Module` and `Tensor` alone.
///
///     ClassifyPhoto [PHOTO.ppm [MODEL.pte LABELS.txt]]

/// A photograph of eight bits a channel, row by row.
struct Photo {
  let width: Int
  let height: Int
  let samples: [UInt8]

  /// Reads a binary PPM file (`P6`).
  init?(_ data: Data) {
    var fields: [String] = []
    var position = 0
    while fields.count < 4, position < data.count {
      let end = data[position...].firstIndex { [9, 10, 13, 32].contains($0) } ?? data.count
      if end > position { fields.append(String(decoding: data[position..<end], as: UTF8.self)) }
      position = end + 1
    }
    guard fields.count == 4, fields[0] == "P6", fields[3] == "255", let width = Int(fields[1]), let height = Int(fields[2]),
      (1...10_000).contains(width), (1...10_000).contains(height), data.count >= position + width * height * 3
    else { return nil }
    self.width = width
    self.height = height
    samples = [UInt8](data[position..<(position + width * height * 3)])
  }

  /// The middle at `side` x `side`, in planes of red, green and blue, from -1 to 1 as the model was trained.
  func planes(side: Int) -> [Float] {
    let square = min(width, height) * 7 / 8
    let left = (width - square) / 2
    let top = (height - square) / 2
    let step = Float(square) / Float(side)
    var planes = [Float](repeating: 0, count: 3 * side * side)
    for y in 0..<side {
      let row = max(0, (Float(y) + 0.5) * step - 0.5)
      let y0 = Int(row)
      let y1 = min(y0 + 1, square - 1)
      for x in 0..<side {
        let column = max(0, (Float(x) + 0.5) * step - 0.5)
        let x0 = Int(column)
        let x1 = min(x0 + 1, square - 1)
        for channel in 0..<3 {
          func sample(_ y: Int, _ x: Int) -> Float { Float(samples[((top + y) * width + left + x) * 3 + channel]) }
          let right = column - Float(x0)
          let upper = sample(y0, x0) * (1 - right) + sample(y0, x1) * right
          let lower = sample(y1, x0) * (1 - right) + sample(y1, x1) * right
          let down = row - Float(y0)
          planes[(channel * side + y) * side + x] = (upper * (1 - down) + lower * down - 127) / 128
        }
      }
    }
    return planes
  }
}

let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
let resources = here.appendingPathComponent("../../Sources/CMartletDemo/Resources")
let arguments = CommandLine.arguments
let photoPath = arguments.count > 1 ? arguments[1] : here.appendingPathComponent("coffee.ppm").path
let modelPath = arguments.count > 3 ? arguments[2] : resources.appendingPathComponent("efficientnet_lite0.pte").path
let labelsPath = arguments.count > 3 ? arguments[3] : resources.appendingPathComponent("imagenet_labels.txt").path

guard let photo = Photo(try Data(contentsOf: URL(fileURLWithPath: photoPath))) else { fatalError("\(photoPath) is no binary PPM file") }
let labels = try String(contentsOfFile: labelsPath, encoding: .utf8).split(separator: "\n")

let module = Module(filePath: modelPath, loadMode: .mmap)
guard let shape = try module.methodMetadata("forward").inputTensorMetadata[0]?.shape, shape.count == 4, shape[1] == 3 else {
  fatalError("\(modelPath) takes no picture")
}
let input = Tensor<Float>(photo.planes(side: shape[2]), shape: shape)
let probabilities = try Tensor<Float>(module.forward(input)).scalars()

for index in probabilities.indices.sorted(by: { probabilities[$0] > probabilities[$1] }).prefix(3) {
  print(labels[index], String(format: "%.1f %%", 100 * probabilities[index]))
}
