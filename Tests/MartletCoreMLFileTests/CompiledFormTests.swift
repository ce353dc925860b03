import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

/// The form in which this engine keeps compiled models.
@Suite struct CompiledFormTests {
  private static let part = "martlet/model.bin"
  static let damaged = [
    "linear.mlpackage", "state.mlpackage", "classifier.mlpackage", "control_flow_new.mlmodelc", "types_new.mlmodelc", "pipeline.mlmodelc",
  ]
  static let sources = Fixture.programs.flatMap { ["\($0).mlpackage", "\($0)_new.mlmodelc", "\($0)_old.mlmodelc"] } + ["pipeline.mlmodelc"]

  /// The files of a model with its compiled form among them.
  private static func compiled(_ name: String) throws -> [String: [UInt8]] {
    var files = try Fixture.files(name)
    let views = files.mapValues { MappedFile(copying: $0, name: "part").bytes }
    let folder = CoreMLFolder(files: views, name: "test")
    let identifier = CompiledForm.Identifier(high: 1, low: 2)
    let form = try #require(try CoreMLModel(folder).compiledForm(identifier: identifier, in: folder) { _ in [] })
    files[part] = form
    return files
  }

  @Test(arguments: sources)
  func `A model read from its compiled form holds the same, down to every constant`(name: String) throws {
    let original = try Fixture.read(try Fixture.files(name))
    let files = try Self.compiled(name)
    let model = try Fixture.read(files)
    #expect(original.compiledForm == nil)
    let form = try #require(model.compiledForm)
    #expect(form.identifier == CompiledForm.Identifier(high: 1, low: 2) && form.packedWeights == nil)
    #expect(form.files.first?.name == "model")
    try expectSame(model, original)
  }

  private func expectSame(_ model: CoreMLModel, _ original: CoreMLModel) throws {
    #expect(model.description == original.description)
    #expect(model.kind == original.kind && model.specificationVersion == original.specificationVersion)
    #expect(model.isUpdatable == original.isUpdatable)
    switch (model.content, original.content) {
    case (.program(let program), .program(let other)):
      #expect(ModelDump.text(program) == ModelDump.text(other))
      #expect(program.functions.map(\.opset) == other.functions.map(\.opset) && program.version == other.version)
    case (.pipeline(let stages), .pipeline(let others)):
      #expect(stages.map(\.name) == others.map(\.name) && !stages.isEmpty)
      for (stage, other) in zip(stages, others) { try expectSame(stage.model, other.model) }
    default: Issue.record("the model is of another kind")
    }
  }

  @Test func `The program's own file is not read where there is a compiled form`() throws {
    var files = try Self.compiled("linear.mlpackage")
    files["Data/com.apple.CoreML/model.mlmodel"] = [1, 2, 3]
    files["Manifest.json"] = nil
    try expectSame(try Fixture.read(files), try Fixture.model("linear.mlpackage"))
  }

  @Test func `A folder of another version of the engine or of the format is read as the original in it`() throws {
    let files = try Self.compiled("classifier.mlpackage")
    let original = try Fixture.model("classifier.mlpackage")
    // The format's version, and the first letter of the engine's.
    for offset in [8, 64] {
      var other = files
      other[Self.part]?[offset] ^= 1
      let model = try Fixture.read(other)
      #expect(model.compiledForm == nil)
      try expectSame(model, original)
      other["Manifest.json"] = nil
      #expect(Fixture.error(other)?.reason.contains("neither a model package") == true)
    }
  }

  @Test(arguments: damaged)
  func `A compiled form cut off anywhere is refused`(name: String) throws {
    let files = try Self.compiled(name)
    let bytes = try #require(files[Self.part])
    // The last constants of a file may be padding only.
    for count in stride(from: 0, to: bytes.count, by: bytes.count > 20_000 ? 7 : 1) {
      var damaged = files
      damaged[Self.part] = Array(bytes.prefix(count))
      let error = try #require(Fixture.error(damaged))
      #expect(error.field.hasPrefix("compiled model"), "\(error)")
    }
  }

  @Test(arguments: damaged)
  func `A compiled form with any byte changed is read safely`(name: String) throws {
    let files = try Self.compiled(name)
    let bytes = try #require(files[Self.part])
    var refused = 0
    for index in stride(from: 0, to: bytes.count, by: bytes.count > 20_000 ? 5 : 1) {
      for mask: UInt8 in [1, 0x80, 0xFF] {
        var damaged = files
        damaged[Self.part]?[index] ^= mask
        if (try? Fixture.read(damaged)) == nil { refused += 1 }
      }
    }
    #expect(refused > 100)
  }

  @Test func `Numbers that make no sense are refused with the reason`() throws {
    let files = try Self.compiled("linear.mlpackage")
    func reason(at offset: Int, _ bytes: [UInt8]) throws -> String {
      var damaged = files
      damaged[Self.part]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      return try #require(Fixture.error(damaged)).description
    }
    let far = [UInt8](repeating: 255, count: 8)
    #expect(try reason(at: 0, [0]).contains("is not a compiled model"))
    #expect(try reason(at: 12, [255, 255, 255, 255]).contains("header.engine"))
    for offset in [32, 40, 48, 56] { #expect(try reason(at: offset, far).contains("available bytes")) }
    let structure = 64 + CompiledForm.engineVersion.utf8.count
    // The number of texts: too many, and one that is no number.
    #expect(try reason(at: structure, [0xFF, 0xFF, 0x7F]).contains("elements exceed the remaining bytes"))
    #expect(try reason(at: structure, [UInt8](repeating: 0xFF, count: 11)).contains("more than 64 bits"))
  }

  @Test(arguments: [500_000, 64]) func `Types in one another beyond all use are refused`(count: Int) throws {
    func number(_ value: Int) -> [UInt8] { value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7) }
    // No texts; an unranked tensor, and types that each hold the one before once, or twice.
    var structure = [0] + number(count) + [1, 0]
    for index in 1..<count { structure += count > 64 ? [5] + number(index - 1) : [3, 2] + number(index - 1) + number(index - 1) }
    var file = Array("MARTLETM".utf8)
    let engine = Array(CompiledForm.engineVersion.utf8)
    for value in [1, UInt32(engine.count)] { file += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    for value in [0, 0, 64 + engine.count, structure.count, 0, 0] as [Int] {
      file += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let error = try #require(Fixture.error([Self.part: file + engine + structure]))
    #expect(error.field == "compiled model.structure" && error.reason.contains(count > 64 ? "nested too deeply" : "parts"), "\(error)")
  }

  @Test func `Models that are not made of programs have no compiled form`() throws {
    let folder = CoreMLFolder(files: [:], name: "test")
    let model = try Fixture.model("features.mlmodel")
    #expect(try model.compiledForm(identifier: .random(), in: folder) { _ in [] } == nil)
  }
}
