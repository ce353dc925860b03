import MartletBytes
import MartletFeatures
import MartletTensor

/// Reads networks that Apple's compiler made, as operations of neural networks.
///
/// The format is undocumented. This reader follows public descriptions and files: `model.espresso.net` lists layers as JSON, in the order of
/// execution; `model.espresso.shape` has the shapes of blobs; `model.espresso.weights` has the values that layers refer to by number. A blob
/// has the axes seq, n, k, h and w, of which w is the last one, k the channels. Blobs of networks with the exact mapping also have a rank.
///
/// A layer that there is no operation for becomes `NetworkOperation.unsupported`, so that the network can be described but not imported.
struct EspressoReader {
  /// Largest size of the two JSON files.
  private static let largestFile = 16 << 20

  private struct Net: Decodable {
    var format_version: Int?
    var storage: String?
    var metadata_in_weights: EspressoValue?
    var transform_params: [String: [String: EspressoValue]]?
    var layers: [[String: EspressoValue]]
  }

  private struct Shapes: Decodable {
    struct Shape: Decodable {
      var seq: Double?
      var n: Double?
      var k: Double?
      var h: Double?
      var w: Double?
      var _rank: Double?
    }

    var layer_shapes: [String: Shape]
  }

  /// The form of a net file, seen from its first bytes.
  enum Form {
    case json
    /// Compressed with LZFSE or another algorithm of Apple's.
    case compressed
    /// Neither JSON nor a compressed file.
    case unknown
  }

  static func form(of net: ByteView) -> Form {
    if net.hasBytes("pbze", at: 0) || net.hasBytes("bvx", at: 0) { return .compressed }
    for index in 0..<min(net.count, 64) {
      guard let byte = try? net.load(UInt8.self, at: index) else { break }
      if byte == UInt8(ascii: "{") { return .json }
      guard [0x20, 0x09, 0x0A, 0x0D].contains(byte) else { break }
    }
    return .unknown
  }

  private let net: Net
  private let file: ByteView
  private let shapes: [String: [Int]]
  let blobs: EspressoBlobs
  private let folder: CoreMLFolder

  init(_ folder: CoreMLFolder) throws(FileError) {
    func open(_ name: String) throws(FileError) -> ByteView {
      let file = try folder.open(name, part: name)
      guard file.count <= Self.largestFile else { throw file.error(field: name, "\(file.count) bytes are more than \(Self.largestFile)") }
      return file
    }
    self.folder = folder
    file = try open("model.espresso.net")
    net = try file.decodedJSON(as: Net.self, part: "model.espresso.net")
    shapes = folder.hasFile("model.espresso.shape") ? try Self.shapes(try open("model.espresso.shape")) : [:]
    let storage = net.storage ?? "model.espresso.weights"
    blobs = try EspressoBlobs(folder.open(storage, part: "storage"))
  }

  /// The shapes of blobs: of their rank where the file has one, otherwise [seq, n, k, h, w].
  private static func shapes(_ file: ByteView) throws(FileError) -> [String: [Int]] {
    var shapes: [String: [Int]] = [:]
    for (blob, shape) in try file.decodedJSON(as: Shapes.self, part: "model.espresso.shape").layer_shapes {
      var extents: [Int] = []
      for extent in [shape.seq, shape.n, shape.k, shape.h, shape.w] {
        guard let number = Int(exactly: extent ?? 1), Extent(number).count != nil || number == -1 else {
          throw file.error(field: "layer_shapes.\(blob)", "\(extent ?? 1) is not an extent")
        }
        extents.append(number)
      }
      if let rank = shape._rank {
        guard let count = Int(exactly: rank), (0...5).contains(count) else {
          throw file.error(field: "layer_shapes.\(blob)", "\(rank) is not a rank")
        }
        extents.removeFirst(5 - count)
      }
      shapes[blob] = extents
    }
    return shapes
  }

  // MARK: Networks

  /// - Parameters:
  ///   - classifier: the labels of a classifier.
  ///   - transforms: image transforms by input that lie outside of the net file; those in it win.
  /// - Returns: the network; or the reason why it cannot run as a whole.
  func network(
    _ function: FunctionDescription, classifier: CoreMLNetwork.Classifier?, transforms: [String: EspressoTransform]
  ) throws(FileError) -> (network: CoreMLNetwork, refusal: String?) {
    var refusal: String?
    if let version = net.format_version, version != 200 { refusal = "networks of the format version \(version) are not supported" }
    if let list = net.metadata_in_weights, !list.isOff { refusal = "the metadata of the network lie in its weights" }
    var layers: [NetworkLayer] = []
    layers.reserveCapacity(net.layers.count)
    for (position, fields) in net.layers.enumerated() {
      layers += try self.layers(try EspressoLayer(fields, position: position, of: file))
    }
    var transforms = transforms
    for (input, fields) in net.transform_params ?? [:] { transforms[input] = EspressoTransform(fields) }
    var preprocessing: [NetworkPreprocessing] = []
    for input in function.inputs {
      guard case .image(let image) = input.type, let transform = transforms[input.name] else { continue }
      guard let step = transform.step(image) else {
        refusal = "the transform of the image '\(input.name)' is not supported"
        continue
      }
      preprocessing.append(NetworkPreprocessing(feature: input.name, step: step))
    }
    let (arrays, images) = mapping(of: function)
    let network = CoreMLNetwork(
      layers: layers, preprocessing: preprocessing, arrayMapping: arrays, imageMapping: images, classifier: classifier, training: nil)
    return (network, refusal)
  }

  /// The mapping that the shapes of the inputs tell: blobs have the rank of arrays, and images have four axes, or else all have five.
  private func mapping(of function: FunctionDescription) -> (CoreMLNetwork.ArrayMapping, CoreMLNetwork.ImageMapping) {
    var arrays = CoreMLNetwork.ArrayMapping.rank5
    var images = CoreMLNetwork.ImageMapping.rank5
    for input in function.inputs {
      guard let rank = shapes[input.name]?.count else { continue }
      switch input.type {
      case .multiArray(let array) where rank == array.shape.count && rank < 5: arrays = .exact
      case .image where rank == 4: images = .rank4
      default: break
      }
    }
    // Arrays may be absent; then the images tell.
    if images == .rank4, !function.inputs.contains(where: { if case .multiArray = $0.type { true } else { false } }) { arrays = .exact }
    return (arrays, images)
  }

  /// The number of axes of a blob; 5 without the exact mapping; nil if the file does not tell.
  func rank(ofBlob name: String) -> Int? { shapes[name]?.count }

  // MARK: Layers

  /// The layers that one layer of the file stands for: its operation, and activations that the compiler joined to it.
  private func layers(_ layer: EspressoLayer) throws(FileError) -> [NetworkLayer] {
    var parts: [(type: String, operation: NetworkOperation)]
    do throws(EspressoFailure) {
      parts = [try operation(of: layer)]
      parts += try fusedActivations(of: layer).map { ("activation", .activation($0)) }
      try layer.checkFields()
    } catch {
      switch error {
      case .damaged(let error): throw error
      case .unsupported(let reason): parts = [(layer.type, .unsupported(reason))]
      }
    }
    guard parts.count == 1 || layer.outputs.count == 1 else {
      throw file.error(field: "layers (\(layer.name))", "an activation follows a layer of \(layer.outputs.count) outputs")
    }
    return parts.enumerated().map { position, part in
      // No blob of the file has a comma in its name.
      func between(_ position: Int) -> [String] { ["\(layer.outputs[0]),\(position)"] }
      let outputs = position + 1 < parts.count ? between(position) : layer.outputs
      return NetworkLayer(
        name: layer.name, type: part.type, inputs: position == 0 ? layer.inputs : between(position - 1), outputs: outputs,
        inputShapes: position == 0 ? noted(layer.inputs) : [], outputShapes: position + 1 == parts.count ? noted(outputs) : [],
        isUpdatable: false, operation: part.operation)
    }
  }

  private func noted(_ blobs: [String]) -> [[Int]] {
    let shapes = blobs.compactMap { self.shapes[$0] }
    return shapes.count == blobs.count ? shapes : []
  }

  private func fusedActivations(of layer: EspressoLayer) throws(EspressoFailure) -> [NetworkActivation] {
    var activations: [NetworkActivation] = []
    for (field, activation) in [("relu", NetworkActivation.relu), ("tanh", .tanh)] {
      let flags = [try layer.flag("fused_\(field)"), try layer.flag("has_\(field)")]
      if flags.contains(true) { activations.append(activation) }
    }
    return activations
  }
}

/// How the pixels of an image become a blob.
struct EspressoTransform {
  var scale: Float
  var red: Float
  var green: Float
  var blue: Float
  /// Of grey images.
  var gray: Float
  /// Nil if the file does not say it.
  var isBGR: Bool?
  /// True for something else than scale and biases.
  var isUnknown = false
}

extension EspressoTransform {
  private static let knownFields: Set<String> = ["scale", "bias_r", "bias_g", "bias_b", "bias_a", "is_network_bgr"]

  init(_ fields: [String: EspressoValue]) {
    func number(_ field: String, _ defaultValue: Double) -> Float { Float(fields[field]?.number ?? defaultValue) }
    self.init(
      scale: number("scale", 1), red: number("bias_r", 0), green: number("bias_g", 0), blue: number("bias_b", 0),
      gray: number("bias_a", 0), isBGR: fields["is_network_bgr"]?.number.map { $0 != 0 })
    isUnknown = fields.contains { !Self.knownFields.contains($0.key) && !$0.value.isOff }
  }

  /// The preprocessing of an image; nil if it is not known.
  func step(_ image: ImageFeature) -> NetworkPreprocessing.Step? {
    guard !isUnknown else { return nil }
    switch image.colorSpace {
    case .grayscale, .grayscaleFloat16:
      guard red == green, green == blue, red == 0 || red == gray else { return nil }
    case .rgb: guard isBGR != true else { return nil }
    case .bgr: guard isBGR != false else { return nil }
    }
    return .scale(scale, red: red, green: green, blue: blue, gray: gray)
  }
}
