import ArgumentParser
import FoundationEssentials
import MartletSystem
import Martlet
import MartletBytes
import MartletMedia

struct ClassifyCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Classifies images.",
    discussion: """
      Without arguments, classifies a bundled photograph with the bundled model EfficientNet-Lite0, which knows the 1000 \
      classes of ImageNet.

      A model of your own must take one image and return one score per class. For an input float32 [1, 3, H, W] or \
      [1, H, W, 3], images are cropped to their central 7/8 and resized; --mean and --std normalise them. The defaults \
      are those of torchvision. For an input that is an image, as Core ML classifiers have, they are cropped to its aspect \
      ratio and resized, and the model's own preprocessing and labels apply.
      """)

  @Argument(help: ArgumentHelp("Images (.jpg, .png, .ppm).", valueName: "image"))
  var pictures: [String] = []

  @Option(help: ArgumentHelp("A model of your own (.pte, .mlpackage, .mlmodel, .mlmodelc).", valueName: "file"))
  var model: String?

  @Option(help: ArgumentHelp("File with the names of its classes, one per line; default: those in the model.", valueName: "file"))
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
    let signature = try loaded.signature()
    let input = try pictureInput(of: signature, in: loaded)
    var results: [Result] = []
    for path in paths {
      let start = clock.now
      let value = try self.input(path: path, for: input)
      let prepared = clock.now
      // Other inputs are optional.
      let outputs = try loaded.run(signature.inputs.map { $0.name == input.name ? value : .none })
      let predicted = clock.now
      let labels = signature.classLabels
      guard let scores = Self.scores(outputs, labels: labels) else {
        throw CommandFailure("\(modelPath) does not return one score per class")
      }
      let ranking = Ranking(Tensor(scores), count: top, labels: names ?? labels?.texts)
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

  /// A picture as the model's input.
  private func input(path: String, for input: ValueSignature) throws -> ModelValue {
    guard case .image(let image) = input.kind else { return .tensor(try preprocessing.tensor(path: path, for: input)) }
    guard mean == nil, std == nil else { throw CommandFailure("--mean and --std do not apply: \(input) is an image") }
    return .image(try PictureInput(fit: .crop).picture(path: path, for: image))
  }

  private func pictureInput(of signature: MethodSignature, in model: Model) throws -> ValueSignature {
    let inputs = signature.inputs.filter { !$0.isOptional }
    guard inputs.count == 1 else {
      throw CommandFailure("\(model.url.lastPathComponent) takes \(inputs.count) inputs; a classifier takes one image")
    }
    return inputs[0]
  }

  /// The score of each class: the probabilities by label, or else the first output as a distribution. Nil if there are none.
  static func scores(_ outputs: [ModelValue], labels: ModelSequence?) -> [Double]? {
    for case .dictionary(let dictionary) in outputs {
      switch (dictionary, labels) {
      case (.byString(let numbers), .strings(let labels)?): return labels.map { numbers[$0] ?? 0 }
      case (.byInteger(let numbers), .integers(let labels)?): return labels.map { numbers[$0] ?? 0 }
      default: continue
      }
    }
    guard let output = outputs.lazy.compactMap(\.tensor).first, output.shape.count(where: { $0 != 1 }) <= 1 else { return nil }
    return probabilities(output.doubles)
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
