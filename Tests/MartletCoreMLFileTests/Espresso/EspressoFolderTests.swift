import Foundation
import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import Testing

/// Compiled networks, from the folders that `Oracles/make_espresso_cases.py` writes.
@Suite struct EspressoFolderTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/espresso")

  private static func files(_ name: String) throws -> [String: [UInt8]] {
    let folder = root.appendingPathComponent(name).path
    var files: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      if let file = try? MappedFile(contentsOfPath: folder + "/" + path) { files[path] = file.bytes.array }
    }
    return files
  }

  private static func network(_ files: [String: [UInt8]]) throws -> CoreMLNetwork {
    guard case .network(let network) = try Fixture.read(files).content else { throw OtherKind() }
    return network
  }

  private struct OtherKind: Error {}

  /// A network of one layer with the fields `change` leaves; the input x has four elements.
  private static func layer(_ change: (inout [String: Any]) -> Void) throws -> NetworkLayer {
    var files = try files("refused/field.mlmodelc")
    let text = try #require(files["model.espresso.net"])
    var net = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    var layers = try #require(net["layers"] as? [[String: Any]])
    layers[0]["secret"] = nil
    change(&layers[0])
    net["layers"] = layers
    files["model.espresso.net"] = Array(try JSONSerialization.data(withJSONObject: net))
    return try network(files).layers[0]
  }

  @Test func `Layers, shapes and weights become those of a network`() throws {
    let network = try Self.network(try Self.files("old-vector/model.mlmodelc"))
    #expect(network.layers.map(\.type) == ["reshape", "transpose", "convolution", "flatten", "innerProduct", "softmax"])
    guard case .rank5 = network.arrayMapping else { throw OtherKind() }
    guard case .convolution(let convolution) = network.layers[2].operation else { throw OtherKind() }
    #expect(convolution.kernel == [1, 3] && convolution.outputChannels == 5 && convolution.kernelChannels == 4)
    #expect(convolution.weights?.elementCount == 60 && convolution.bias?.elementCount == 5)
    guard case .same(isHeavyAtStart: false) = convolution.padding else { throw OtherKind() }
    guard case .transpose([4, 1, 2, 3, 0]) = network.layers[1].operation else { throw OtherKind() }
    #expect(network.layers[0].inputShapes == [[1, 1, 24, 1, 1]] && network.layers[0].outputShapes == [[6, 1, 4, 1, 1]])
  }

  @Test func `An activation that the compiler joined is a layer of its own`() throws {
    let network = try Self.network(try Self.files("inner_product/model.mlmodelc"))
    let joined = network.layers.filter { $0.name == "inner_product_1" }
    #expect(joined.map(\.type) == ["innerProduct", "activation"])
    #expect(joined[0].outputs == joined[1].inputs && joined[1].outputs == ["row_relu"])
    guard case .innerProduct(let product) = joined[0].operation, case .float16 = product.weights.encoding else { throw OtherKind() }
  }

  @Test func `The mapping is that of the shapes`() throws {
    for (name, isExact) in [("convolution", true), ("old-image", false)] {
      let mapping = try Self.network(try Self.files(name + "/model.mlmodelc")).arrayMapping
      if case .exact = mapping { #expect(isExact) } else { #expect(!isExact) }
    }
  }

  @Test func `Labels lie behind the description`() throws {
    let texts = try Fixture.read(try Self.files("classifier-text/model.mlmodelc"))
    #expect(texts.kind == .neuralNetworkClassifier)
    #expect(texts.description.defaultFunction.classification?.labels == .strings(["cat", "dog", "ox"]))
    let numbers = try Fixture.read(try Self.files("classifier-number/model.mlmodelc"))
    #expect(numbers.description.defaultFunction.classification?.labels == .integers([7, -3, 40]))
  }

  @Test(arguments: [
    ("quantized", "quantization_mode 2"), ("layer", "layers of the type rnn_arch"), ("field", "the field secret"),
  ])
  func `A layer that is not known is described, not refused`(name: String, reason: String) throws {
    let network = try Self.network(try Self.files("refused/\(name).mlmodelc"))
    #expect(try #require(network.refusal).contains(reason))
  }

  @Test(arguments: [
    ("compressed", CoreMLModelKind.neuralNetwork, "the compiled network is compressed; compile the model from its .mlmodel"),
    (
      "forest", .treeEnsembleRegressor,
      "models of the kind treeEnsembleRegressor are not supported in compiled form; compile the model from"
    ),
  ])
  func `A model that cannot be read is described`(name: String, kind: CoreMLModelKind, reason: String) throws {
    let model = try Fixture.read(try Self.files("refused/\(name).mlmodelc"))
    #expect(model.kind == kind && model.description.defaultFunction.inputs.map(\.name) == ["x"])
    guard case .classic(.opaque(let opaque)) = model.content else { throw OtherKind() }
    #expect(try #require(opaque.refusal).hasPrefix(reason))
  }

  @Test(arguments: ["encrypted", "unreadable"])
  func `An encrypted model is not a damaged one`(name: String) throws {
    let error = try #require(Fixture.error(try Self.files("refused/\(name).mlmodelc")))
    #expect(error.isEncrypted && error.reason.contains("encrypted"))
  }

  @Test func `Options that are off, and hints, change nothing`() throws {
    let layer = try Self.layer {
      $0["unheard_of"] = 0
      $0["also_unheard_of"] = [String: Any]()
      $0["hint_fallback_from_metal"] = 1
    }
    guard case .innerProduct = layer.operation else { throw OtherKind() }
  }

  @Test func `Layers of more blobs than are known are refused`() throws {
    let layer = try Self.layer { $0["bottom"] = "x,x" }
    guard case .unsupported(let reason) = layer.operation else { throw OtherKind() }
    #expect(reason == "inner_product layers of 2 inputs and 1 outputs are not supported")
  }

  @Test func `Damaged layers are errors that name layer and field`() throws {
    func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout [String: Any]) -> Void) {
      do {
        _ = try Self.layer(change)
        Issue.record("the layer is read", sourceLocation: sourceLocation)
      } catch {
        #expect("\(error)".contains(message), "\(error)", sourceLocation: sourceLocation)
      }
    }
    expect("layers[0] (inner_product_0).nB: 0 is not an extent") { $0["nB"] = 0 }
    expect("layers[0] (inner_product_0).nB: 4.5 is not a whole number") { $0["nB"] = 4.5 }
    expect("layers[0] (inner_product_0).nC: is missing") { $0["nC"] = nil }
    expect("layers[0] (inner_product_0).blob_weights: section 9 of the weights does not hold 8 values") { $0["blob_weights"] = 9 }
    expect("layers[0] (inner_product_0).blob_weights: section 3 of the weights does not hold 4611686018427387904 values") {
      $0["nB"] = 1 << 31
      $0["nC"] = 1 << 31
    }
    expect("layers[0] (inner_product_0).blob_biases: section -1 of the weights") { $0["blob_biases"] = -1 }
    expect("layers[0].top: names no blob") { $0["top"] = "" }
    expect("layers[0] (inner_product_0).bottom: names no blob") { $0["bottom"] = "," }
    expect("layers[0].type: is missing") { $0["type"] = 3 }
  }

  @Test func `Section tables that do not fit are refused`() throws {
    let files = try Self.files("refused/field.mlmodelc")
    func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout [UInt8]) -> Void) throws {
      var damaged = files
      var weights = try #require(files["model.espresso.weights"])
      change(&weights)
      damaged["model.espresso.weights"] = weights
      let error = try #require(Fixture.error(damaged, sourceLocation: sourceLocation))
      #expect(error.description.contains(message), "\(error)", sourceLocation: sourceLocation)
    }
    try expect("sections: 18446744073709551615 sections exceed") { for index in 0..<8 { $0[index] = 0xFF } }
    try expect("sections[1]") { for index in 0..<8 { $0[8 + 16 + 8 + index] = 0xFF } }
    try expect("section 0 occurs twice") { $0[8 + 16] = 0 }
    try expect("sections") { $0.removeLast($0.count - 9) }
  }

  @Test(arguments: ["classifier-text/model.mlmodelc", "image-old/model.mlmodelc"])
  func `Folders cut off or with any byte changed are read safely`(name: String) throws {
    let files = try Self.files(name)
    for (part, bytes) in files {
      for position in bytes.indices {
        for change in [UInt8(0x01), 0x80, 0xFF] {
          var damaged = files
          damaged[part]?[position] ^= change
          _ = try? Fixture.read(damaged)
        }
        var damaged = files
        damaged[part] = Array(bytes[..<position])
        _ = try? Fixture.read(damaged)
      }
    }
  }
}
