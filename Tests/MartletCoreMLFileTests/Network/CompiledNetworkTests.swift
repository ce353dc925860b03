import Foundation
import MartletBytes
import MartletCoreMLFile
import CoreMLMessages
import SwiftProtobuf
import Testing

/// The form in which this engine keeps compiled networks.
struct CompiledNetworkTests {
  private static let part = "martlet/model.bin"

  /// A pipeline of a network with weights of several encodings.
  private static func files() throws -> [String: [UInt8]] {
    var last = "x"
    func product(_ name: String, _ fill: (inout SpecWeightParams) -> Void) -> SpecNeuralNetworkLayer {
      NetworkSample.layer {
        // Each layer reads the result of the one before.
        ($0.input, $0.output, last) = ([last], [name == "int8" ? "y" : name], name)
        $0.name = name
        $0.innerProduct.inputChannels = 5
        $0.innerProduct.outputChannels = 5
        fill(&$0.innerProduct.weights)
      }
    }
    let network = Sample.model([.array("x", 5)], [.array("y", 5)]) {
      $0.neuralNetwork.layers = [
        product("float32") { $0.floatValue = (0..<25).map { Float($0) } },
        product("float16") { $0.float16Value = .init((0..<50).map { UInt8($0) }) },
        product("packed") {
          $0.rawValue = .init((0..<10).map { UInt8($0) })
          $0.quantization.numberOfBits = 3
          $0.quantization.linearQuantization.scale = [0.5]
        },
        product("int8") {
          $0.int8RawValue = .init((0..<25).map { UInt8($0) })
          $0.quantization.numberOfBits = 8
          $0.quantization.linearQuantization.scale = [0.25]
        },
      ]
    }
    let pipeline = Sample.model([.array("x", 5)], [.array("y", 5)]) {
      $0.pipeline.models = [network]
      $0.pipeline.names = ["only"]
    }
    let manifest = #"{"rootModelIdentifier": "a", "itemInfoEntries": {"a": {"path": "model.mlmodel"}}}"#
    return ["Manifest.json": Array(manifest.utf8), "Data/model.mlmodel": try pipeline.serializedBytes()]
  }

  /// The files with the compiled form among them.
  private static func compiled() throws -> [String: [UInt8]] {
    var files = try files()
    let folder = CoreMLFolder(files: files.mapValues { MappedFile(copying: $0, name: "part").bytes }, name: "test")
    let identifier = CompiledForm.Identifier(high: 1, low: 2)
    files[part] = try CoreMLModel(folder).compiledForm(identifier: identifier, in: folder) { _ in [] }
    return files
  }

  private static func network(_ model: CoreMLModel) throws -> CoreMLNetwork {
    guard case .pipeline(let stages) = model.content, case .network(let network)? = stages.first?.model.content else {
      throw Sample.OtherKind()
    }
    return network
  }

  @Test func `a network read from its compiled form has the same weights, aligned and in that file`() throws {
    var files = try Self.compiled()
    let original = try Self.network(try Fixture.read(try Self.files()))
    // The original is not read.
    files["Manifest.json"] = nil
    files["Data/model.mlmodel"] = nil
    let model = try Fixture.read(files)
    let form = try #require(model.compiledForm)
    #expect(form.files.map(\.name) == ["model"])
    let network = try Self.network(model)
    #expect(network.layers.map(\.name) == ["float32", "float16", "packed", "int8"])
    for (layer, other) in zip(network.layers, original.layers) {
      #expect(layer.operation.weights.count == 1)
      for (weights, expected) in zip(layer.operation.weights, other.operation.weights) {
        #expect(weights.data.array == expected.data.array && weights.elementCount == expected.elementCount)
        #expect(weights.data.isAligned(to: 16) && weights.data.owner === form.files[0].bytes.owner)
      }
    }
  }

  @Test func `a compiled network that is cut off or changed anywhere is read or refused`() throws {
    let files = try Self.compiled()
    let bytes = try #require(files[Self.part])
    var refusals = 0
    for index in 0..<bytes.count {
      for mask: UInt8 in [1, 0x80, 0xFF] {
        var damaged = files
        damaged[Self.part]?[index] ^= mask
        do throws(FileError) { _ = try Fixture.read(damaged) } catch { refusals += 1 }
      }
      var short = files
      short[Self.part] = Array(bytes[..<index])
      // The last bytes are weights.
      #expect(throws: FileError.self) { _ = try Fixture.read(short) }
    }
    #expect(refusals > bytes.count / 2)
  }
}
