import Foundation
import Martlet
import Testing

/// Models that are read without being loaded.
struct ModelAssetTests {
  private func url(_ name: String) throws -> URL {
    try #require(Bundle.module.url(forResource: name, withExtension: "mlpackage", subdirectory: "Fixtures"))
  }

  @Test func `an asset has the labels, metadata and operations of its file`() throws {
    let asset = try ModelAsset(contentsOf: try url("classifier"))
    #expect(asset.methods.map(\.classLabels) == [.strings(["cat", "dog", "bird"])])
    #expect(try ModelAsset(contentsOf: try url("numbered_classifier")).methods[0].classLabels == .integers([10, 20, 30]))
    #expect(try ModelAsset(contentsOf: try url("rgb")).methods[0].classLabels == nil)
    #expect(asset.author.isEmpty && asset.userDefinedMetadata.isEmpty && !asset.isUpdatable)
    let network = try ModelAsset(contentsOf: try url("network"))
    #expect(network.userDefinedMetadata["com.github.apple.coremltools.version"] != nil)
    guard case .program(let functions) = asset.structure, let main = functions.first, functions.count == 1 else {
      Issue.record("\(asset.structure)")
      return
    }
    let operations = main.block.operations
    #expect(main.name == "main" && main.inputs.map(\.name) == ["x"] && operations.map(\.number) == Array(operations.indices))
    let classify = try #require(operations.last { $0.operator == "classify" })
    #expect(!classify.isConstant && classify.outputs.map(\.name) == main.block.outputs && classify.inputs["probabilities"]?.count == 1)
    #expect(main.inputs[0].type.description.hasPrefix("tensor<fp"))
  }

  @Test func `a model is loaded from its asset, also from memory`() throws {
    let package = try url("classifier")
    let specification = try Data(contentsOf: package.appendingPathComponent("Data/com.apple.CoreML/model.mlmodel"))
    let x = try Tensor([Float(0.25), 0.5, 0.125], shape: [3])
    for asset in [try ModelAsset(contentsOf: package), try ModelAsset(specification: specification)] {
      guard case .string("dog")? = try Model(asset).run(["x": .tensor(x)])["label"] else {
        Issue.record("\(asset.url)")
        return
      }
    }
  }

  @Test func `files that are not models are errors`() throws {
    for body in [
      { try ModelAsset(contentsOf: URL(fileURLWithPath: "/nowhere.mlpackage")) },
      { try ModelAsset(specification: Data("not a model".utf8)) },
    ] as [() throws -> ModelAsset] {
      #expect { try body() } throws: { ($0 as? MartletError)?.kind == .invalidFile }
    }
  }

  @Test func `pictures are cropped, scaled, turned and normalised`() throws {
    let picture = try Picture(width: 2, height: 1, format: .rgb, pixels: [255, 0, 51, 0, 102, 204])
    #expect(picture.upright(from: .right).pixels == picture.pixels && picture.upright(from: .right).height == 2)
    #expect(picture.upright(from: .upMirrored).pixels == [0, 102, 204, 255, 0, 51])
    #expect(try picture.cropped(x: 1, y: 0, width: 1, height: 1).pixels == [0, 102, 204])
    #expect(throws: MartletError.self) { try picture.cropped(x: 1, y: 0, width: 2, height: 1) }
    let tall = try picture.letterboxed(width: 2, height: 3)
    #expect(tall.height == 3 && tall.pixels[..<6].allSatisfy { $0 == 0 } && Array(tall.pixels[6..<12]) == picture.pixels)
    for size in [0, -1, 1 << 40] {
      #expect(throws: MartletError.self) { try picture.resized(width: size, height: size) }
      #expect(throws: MartletError.self) { try picture.letterboxed(width: size, height: size) }
    }
    let planes = try picture.tensor(mean: [0, 0, 0], standardDeviation: [1, 1, 0.5])
    #expect(planes.shape == [1, 3, 1, 2])
    // Scale and bias are one operation, which rounds once.
    func isClose(_ a: [Float], _ b: [Float]) -> Bool { a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 2e-7 } }
    #expect(isClose(try planes.scalars(as: Float.self), [1, 0, 0, 0.4, 0.4, 1.6]))
    let last = try picture.tensor(mean: [0, 0, 0], standardDeviation: [1, 1, 0.5], isChannelsLast: true)
    #expect(last.shape == [1, 1, 2, 3])
    #expect(isClose(try last.scalars(as: Float.self), [1, 0, 0.4, 0, 0.4, 1.6]))
    #expect(throws: MartletError.self) { try picture.tensor(mean: [0], standardDeviation: [1]) }
    let half = try Picture(width: 1, height: 1, format: .rgba, pixels: [200, 100, 50, 128]).overBlack
    #expect(half.format == .rgb && half.pixels == [100, 50, 25])
  }

  @Test func `numbers become tensors of every type that holds them`() throws {
    for dataType in DataType.allCases where dataType.isInteger || dataType.isFloatingPoint {
      #expect(try Tensor([0, 1, 2], as: dataType, shape: [3]).doubles == [0, 1, 2])
    }
    #expect(throws: MartletError.self) { try Tensor([256], as: .uint8, shape: [1]) }
    #expect(throws: MartletError.self) { try Tensor([0.5], as: .int32, shape: [1]) }
    #expect(throws: MartletError.self) { try Tensor([1], as: .bfloat16, shape: [2]) }
    #expect(throws: MartletError.self) { try Tensor([1], as: .complex64, shape: [1]) }
    #expect(try Tensor([Float(1.5)]).converted(to: .float16).doubles == [1.5])
    #expect(throws: MartletError.self) { try Tensor([Float(1.5)]).converted(to: .int32) }
    #expect(throws: MartletError.self) { try Tensor([Int64.max]).converted(to: .int32) }
  }
}
