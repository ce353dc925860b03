import ArgumentParser
import Foundation
import Martlet
import MartletConformance
import MartletMedia

struct ClassifyCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Classifies images.",
    discussion: """
      Without arguments, classifies a bundled photograph with the bundled model EfficientNet-Lite0, which knows the 1000 \
      classes of ImageNet.

      A model of your own must take one image, float32 [1, 3, H, W] or [1, H, W, 3], and return one score per class. \
      Images are cropped to their central 7/8 and resized; --mean and --std normalise them. The defaults for your model \
      are those of torchvision.
      """)

  @Argument(help: ArgumentHelp("Images (.jpg, .png, .ppm).", valueName: "image"))
  var pictures: [String] = []

  @Option(help: ArgumentHelp("A model of your own (.pte).", valueName: "file"))
  var model: String?

  @Option(help: ArgumentHelp("File with the names of its classes, one per line.", valueName: "file"))
  var labels: String?

  @Option(help: ArgumentHelp("Number of classes to show.", valueName: "count"))
  var top = 5

  @Option(help: ArgumentHelp("Mean to subtract from the samples (0...1).", valueName: "r,g,b"))
  var mean: NumberList?

  @Option(help: ArgumentHelp("Standard deviation to divide the samples by after subtracting the mean.", valueName: "r,g,b"))
  var std: NumberList?

  @Option(help: "Threads to compute with; without it one for each processor that the process may use.")
  var threads: Int?

  @Option(help: Precision.help, transform: Precision.named)
  var precision = Precision.exact

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1, not \(threads).") }
    if model != nil, pictures.isEmpty { throw ValidationError("Give an image for --model to classify.") }
  }

  func run() throws {
    let clock = ContinuousClock()
    var options = limits.begin(reading: files)
    options.threads = threads
    options.precision = precision
    let labelPath = try labels ?? (model == nil ? Resources.path(of: "imagenet_labels.txt") : nil)
    let names = try labelPath.map { path throws(MediaError) in try LabelFile.read(path: path) }
    let modelPath = try model ?? Resources.path(of: "efficientnet_lite0.pte")
    let paths = try pictures.isEmpty ? [Resources.path(of: "coffee.jpg")] : pictures
    try requireFile(modelPath)

    let start = clock.now
    let loaded = try Model(contentsOf: URL(fileURLWithPath: modelPath), options: options)
    try loaded.load()
    let loadSeconds = (clock.now - start).seconds
    let input = try pictureInput(of: loaded)
    var results: [Result] = []
    for path in paths {
      let start = clock.now
      let tensor = try preprocessing.tensor(path: path, for: input)
      let prepared = clock.now
      let outputs = try loaded.run([.tensor(tensor)])
      let predicted = clock.now
      guard let output = outputs.first?.tensor, output.shape.count(where: { $0 != 1 }) <= 1 else {
        throw CommandFailure("\(modelPath) does not return one score per class")
      }
      let ranking = Ranking(Tensor(Self.probabilities(output.doubles)), count: top, labels: names)
      results.append(
        Result(path: path, ranking: ranking, preprocessSeconds: (prepared - start).seconds, predictSeconds: (predicted - prepared).seconds))
    }
    if json {
      let report = JSONValue.members([
        "model": .string(modelPath), "loadSeconds": .number(loadSeconds), "pictures": .array(results.map(\.json)),
      ])
      print(report.text)
    } else {
      print(results.map(\.text).joined(separator: "\n\n"))
      print(Self.timing(loadSeconds, results, threads: loaded.threads))
    }
  }

  /// Preprocessing of the embedded model (see Oracles/export_efficientnet_lite0.py), or torchvision's.
  private var preprocessing: PictureInput {
    let ownMean: [Float] = model == nil ? [Float(127) / 255] : [0.485, 0.456, 0.406]
    let ownStd: [Float] = model == nil ? [Float(128) / 255] : [0.229, 0.224, 0.225]
    return PictureInput(
      fit: .crop, mean: mean?.numbers ?? ownMean, std: std?.numbers ?? ownStd, cropShare: 224.0 / 256, filter: .bicubic)
  }

  private func pictureInput(of model: Model) throws -> ValueSignature {
    let signature = try model.signature()
    guard signature.inputs.count == 1 else {
      throw CommandFailure("\(model.url.lastPathComponent) takes \(signature.inputs.count) inputs; a classifier takes one image")
    }
    return signature.inputs[0]
  }

  /// The values unchanged if they form a distribution, otherwise their softmax.
  static func probabilities(_ values: [Double]) -> [Double] {
    let sum = values.reduce(0, +)
    if values.allSatisfy({ $0 >= 0 }), abs(sum - 1) < 1e-2 { return values }
    guard let largest = values.max(), largest.isFinite else { return values }
    let exponentials = values.map { exp($0 - largest) }
    let total = exponentials.reduce(0, +)
    return exponentials.map { $0 / total }
  }

  private static func timing(_ loadSeconds: Double, _ results: [Result], threads: Int) -> String {
    let count = Double(results.count)
    let preprocess = results.reduce(0) { $0 + $1.preprocessSeconds } / count
    let predict = results.reduce(0) { $0 + $1.predictSeconds } / count
    let each = results.count > 1 ? " each" : ""
    return "\nloaded in \(Formatting.seconds(loadSeconds)), image read in \(Formatting.seconds(preprocess))\(each), "
      + "predicted in \(Formatting.seconds(predict))\(each) (\(Formatting.count(threads, "thread")))"
  }

  private struct Result {
    let path: String
    let ranking: Ranking
    let preprocessSeconds: Double
    let predictSeconds: Double

    var text: String {
      let rows = ranking.entries.map { entry in
        // In range: floating-point numbers.
        ["\(Formatting.fixed(entry.value * 100, 1)) %", entry.label ?? "class \(entry.index)"]
      }
      let name = URL(fileURLWithPath: path).lastPathComponent
      return ([name] + Formatting.table(rows, [.right, .left], indentation: "  ")).joined(separator: "\n")
    }

    var json: JSONValue {
      .members([
        "file": .string(path), "top": ranking.json, "preprocessSeconds": .number(preprocessSeconds),
        "predictSeconds": .number(predictSeconds),
      ])
    }
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
