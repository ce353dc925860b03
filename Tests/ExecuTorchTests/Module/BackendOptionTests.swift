import ExecuTorch
import Foundation
import Martlet
import Testing

struct BackendOptionTests {
  /// A program whose products are large enough for every precision, its input, and what the engine itself makes of it.
  private static let rows = (0..<32 * 64).map { Float(cos(Double($0))) }

  private func engineResult(_ precision: Precision) throws -> [Float] {
    var options = ModelOptions()
    options.precision = precision
    let model = try Model(contentsOf: URL(fileURLWithPath: Fixture.path("layer.pte")), options: options)
    let outputs = try model.run([.tensor(Martlet.Tensor(Self.rows, shape: [32, 64]))])
    return try #require(outputs.first?.tensor).scalars(as: Float.self)
  }

  private func options(_ precision: BackendOption..., backend: String = "XnnpackBackend") throws -> BackendOptionsMap {
    try BackendOptionsMap(options: [backend: precision])
  }

  private func result(_ module: Module) throws -> [Float] {
    try ExecuTorch.Tensor<Float>(module.forward(ExecuTorch.Tensor<Float>(Self.rows, shape: [32, 64]))).scalars()
  }

  @Test func `an option has a key and a value of one type`() {
    let flag = BackendOption("a", true)
    let number = BackendOption("b", 7)
    let text = BackendOption("c", "seven")
    #expect([flag.key, number.key, text.key] == ["a", "b", "c"])
    #expect([flag.type, number.type, text.type] == [.boolean, .integer, .string])
    #expect(flag.boolValue && flag.intValue == 0 && flag.stringValue == nil)
    #expect(number.intValue == 7 && !number.boolValue && number.stringValue == nil)
    #expect(text.stringValue == "seven" && text.intValue == 0)
  }

  @Test func `options and maps are compared by value`() throws {
    #expect(BackendOption("k", 1) == BackendOption("k", 1) && BackendOption("k", 1) != BackendOption("k", true))
    #expect(BackendOption("k", 1) != BackendOption("l", 1) && BackendOption("k", 1) != BackendOption("k", 2))
    #expect(Set([BackendOption("k", "v"), BackendOption("k", "v")]).count == 1)
    let one = try BackendOptionsMap(options: ["X": [BackendOption("k", 1)]])
    let same = try BackendOptionsMap(options: ["X": [BackendOption("k", 1)]])
    let other = try BackendOptionsMap(options: ["X": [BackendOption("k", 2)]])
    #expect(one == same && one.hash == same.hash && one != other)
    #expect(one.options["X"] == [BackendOption("k", 1)])
  }

  @Test func `descriptions name keys and values`() throws {
    #expect(try BackendOptionsMap(options: [:]).description == "<ExecuTorchBackendOptionsMap (empty)>")
    let text = try BackendOptionsMap(options: ["X": [BackendOption("threads", 4)]]).description
    #expect(text.contains("X") && text.contains("threads") && text.contains("4"))
  }

  @Test func `what upstream's runtime cannot hold is refused`() throws {
    let longest = String(repeating: "k", count: 63)
    _ = try BackendOptionsMap(options: [longest: [BackendOption(longest, String(repeating: "v", count: 255))]])
    _ = try BackendOptionsMap(options: ["X": [BackendOption("a", Int(Int32.max)), BackendOption("b", Int(Int32.min))]])
    let wrong: [[String: [BackendOption]]] = [
      ["": []], [longest + "k": []], ["X": [BackendOption("", 1)]], ["X": [BackendOption(longest + "k", 1)]],
      ["X": [BackendOption("k", String(repeating: "v", count: 256))]], ["X": [BackendOption("k", Int(Int32.max) + 1)]],
      ["X": [BackendOption("k", Int(Int32.min) - 1)]], ["X": [BackendOption("k", 1), BackendOption("k", true)]],
    ]
    for options in wrong {
      #expect(try thrown { try BackendOptionsMap(options: options) }.code == .invalidArgument, "\(options)")
    }
  }

  @Test(arguments: Precision.allCases)
  func `the option precision reaches the engine, with the program or with a method`(precision: Precision) throws {
    let expected = try engineResult(precision)
    let option = BackendOption("precision", precision.rawValue)
    let byProgram = Fixture.module("layer.pte")
    try byProgram.load(options: try options(option))
    #expect(try result(byProgram) == expected)
    let byMethod = Fixture.module("layer.pte")
    try byMethod.load("forward", options: try options(option, backend: "Any"))
    #expect(try result(byMethod) == expected)
  }

  /// Whether products of bfloat16 are fast here, as the processor's flags tell.
  private static let hasTiles: Bool = {
    let flags = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    return flags.contains("amx_bf16") && flags.contains("avx512_bf16") && ProcessInfo.processInfo.environment["MARTLET_ISA"] == nil
  }()

  @Test(.enabled(if: hasTiles))
  func `with tiles each precision has results of its own, and without the option they are exact`() throws {
    let results = try Precision.allCases.map(engineResult)
    #expect(Set(results).count == Precision.allCases.count)
    #expect(try result(Fixture.module("layer.pte")) == engineResult(.exact))
  }

  @Test func `a method keeps the precision that it was loaded with`() throws {
    let module = Fixture.module("layer.pte")
    try module.load("forward", options: try options(BackendOption("precision", "fast")))
    try module.load("forward", options: try options(BackendOption("precision", "exact")))
    #expect(try result(module) == engineResult(.fast))
    module.unload("forward")
    #expect(try result(module) == engineResult(.exact))
  }

  @Test func `other precisions, and two at once, are refused`() throws {
    let wrong = [
      try options(BackendOption("precision", "quick")), try options(BackendOption("precision", 1)),
      try BackendOptionsMap(options: ["X": [BackendOption("precision", "fast")], "Y": [BackendOption("precision", "exact")]]),
    ]
    for options in wrong {
      let module = Fixture.module("layer.pte")
      #expect(try thrown { try module.load(options: options) }.code == .invalidArgument)
      #expect(try thrown { try module.load("forward", options: options) }.code == .invalidArgument)
      #expect(try result(module) == engineResult(.exact))
    }
  }
}
