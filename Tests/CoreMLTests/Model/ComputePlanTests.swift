import CoreML
import Testing

/// What models are made of, and what their operations cost.
struct ComputePlanTests {
  private typealias Program = MLModelStructure.Program

  private func readerFixture(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("MartletCoreMLFileTests/Fixtures/\(name)")
  }

  private func program(_ structure: MLModelStructure) throws -> Program {
    guard case .program(let program) = structure else {
      Issue.record("\(structure) is no program")
      throw MLModelError(.generic)
    }
    return program
  }

  // MARK: Structure

  @Test func `the structure of a program is that of its file`() async throws {
    let main = try #require(try program(await MLModelStructure.load(contentsOf: Fixture.url("arithmetic.mlpackage"))).functions["main"])
    #expect(main.inputs.map(\.name) == ["x", "y"])
    #expect(main.block.inputs.isEmpty && main.block.outputNames == ["sum", "product"])
    #expect(main.block.operations.map(\.operatorName) == ["add", "const", "const", "linear"])
    let add = main.block.operations[0]
    #expect(add.outputs.map(\.name) == ["sum"] && add.blocks.isEmpty)
    #expect(Set(add.inputs.keys) == ["x", "y"])
    guard case .name("x")? = add.inputs["x"]?.bindings.first else {
      Issue.record("x is not bound to the input")
      return
    }
    guard case .name("product_weight_0")? = main.block.operations[3].inputs["weight"]?.bindings.first else {
      Issue.record("the weight is not bound to the constant")
      return
    }
  }

  @Test func `values that stand in a program are values`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mlmodelc")
    try FileManager.default.copyItem(at: readerFixture("linear_new.mlmodelc"), to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = folder.appendingPathComponent("model.mil")
    let source = try String(contentsOf: text, encoding: .utf8)
    try source.replacingOccurrences(of: "axis = z_axis_0", with: "axis = int32(1)").write(to: text, atomically: true, encoding: .utf8)
    let main = try #require(try program(await MLModelStructure.load(contentsOf: folder)).functions["main"])
    let concat = try #require(main.block.operations.first { $0.operatorName == "concat" })
    guard case .value? = concat.inputs["axis"]?.bindings.first, concat.inputs["axis"]?.bindings.count == 1 else {
      Issue.record("the axis is no value")
      return
    }
    #expect(concat.inputs["values"]?.bindings.count == 2)
  }

  @Test func `functions and nested blocks are all there`() async throws {
    let functions = try program(await MLModelStructure.load(contentsOf: Fixture.url("functions.mlpackage"))).functions
    #expect(Set(functions.keys) == ["first", "second"])
    let main = try #require(try program(await MLModelStructure.load(contentsOf: Fixture.url("loop.mlpackage"))).functions["main"])
    let loop = try #require(main.block.operations.first { $0.operatorName == "while_loop" })
    #expect(loop.blocks.map { $0.operations.map(\.operatorName) } == [["less"], ["const", "add", "const", "mul", "add"]])
    #expect(loop.blocks.allSatisfy { $0.inputs.count == 2 } && loop.outputs.count == 2)
  }

  @Test func `an asset in memory has a structure too`() async throws {
    let data = try Data(contentsOf: Fixture.url("optional.mlpackage").appendingPathComponent("Data/com.apple.CoreML/model.mlmodel"))
    let main = try #require(try program(await MLModelStructure.load(asset: MLModelAsset(specification: data))).functions["main"])
    #expect(main.block.operations.map(\.operatorName) == ["const", "cast", "mul"])
  }

  @Test func `pipelines have the structures of their models`() async throws {
    for name in ["pipeline.mlmodel", "pipeline.mlmodelc"] {
      guard case .pipeline(let pipeline) = try await MLModelStructure.load(contentsOf: readerFixture(name)) else {
        Issue.record("\(name) is no pipeline")
        continue
      }
      #expect(pipeline.subModels.count >= 2 && pipeline.subModelNames.count == pipeline.subModels.count)
      _ = try program(pipeline.subModels[0])
    }
  }

  /// A field of a protobuf message.
  private func field(_ number: Int, _ content: Data) -> Data {
    var bytes: [UInt8] = []
    func append(_ value: Int) {
      var value = value
      while value > 127 {
        bytes.append(UInt8(value & 127) | 128)
        value >>= 7
      }
      bytes.append(UInt8(value))
    }
    append(number << 3 | 2)
    append(content.count)
    return Data(bytes) + content
  }

  @Test func `neural networks have layers, which the CPU computes`() async throws {
    func layer(_ name: String, _ kind: Int, _ input: String, _ output: String, _ parameters: Data = Data()) -> Data {
      field(1, field(1, Data(name.utf8)) + field(2, Data(input.utf8)) + field(3, Data(output.utf8)) + field(kind, parameters))
    }
    // A ReLU and a softmax.
    let network = layer("first", 130, "x", "h", field(10, Data())) + layer("second", 175, "h", "y")
    // Arrays of 3 float32 numbers.
    let array = field(3, field(5, Data([10, 1, 3, 16, 0xA0, 0x80, 0x04])))
    let description = field(2, field(1, field(1, Data("x".utf8)) + array) + field(10, field(1, Data("y".utf8)) + array))
    let model = Data([8, 4]) + description + field(500, network)
    let asset = try MLModelAsset(specification: model)
    let plan = try await MLComputePlan.load(asset: asset, configuration: MLModelConfiguration())
    guard case .neuralNetwork(let found) = plan.modelStructure else {
      Issue.record("\(plan.modelStructure) is no neural network")
      return
    }
    #expect(found.layers.map(\.name) == ["first", "second"])
    #expect(found.layers.map(\.type) == ["activation", "softmax"])
    #expect(found.layers.map(\.inputNames) == [["x"], ["h"]] && found.layers.map(\.outputNames) == [["h"], ["y"]])
    #expect(found.layers.allSatisfy { plan.deviceUsage(for: $0)?.preferred == MLComputeDevice.allComputeDevices[0] })

    // The same network in a pipeline.
    let pipeline = Data([8, 4]) + description + field(202, field(1, model) + field(2, Data("net".utf8)))
    let whole = try await MLComputePlan.load(
      asset: MLModelAsset(specification: pipeline), configuration: MLModelConfiguration())
    guard case .pipeline(let stages) = whole.modelStructure, case .neuralNetwork(let stage)? = stages.subModels.first else {
      Issue.record("\(whole.modelStructure) is no pipeline of a network")
      return
    }
    #expect(stages.subModelNames == ["net"] && stage.layers.map(\.name) == ["first", "second"])
    #expect(stage.layers.allSatisfy { whole.deviceUsage(for: $0) != nil })
    // A layer of another model.
    #expect(found.layers.allSatisfy { whole.deviceUsage(for: $0) == nil } && stage.layers.allSatisfy { plan.deviceUsage(for: $0) == nil })

    // A layer that the engine cannot run.
    let custom = layer("mine", 500, "x", "y", field(10, Data("Swirl".utf8)))
    let other = try MLModelAsset(specification: Data([8, 4]) + description + field(500, custom))
    await #expect { try await MLComputePlan.load(asset: other, configuration: MLModelConfiguration()) } throws: {
      "\($0)".contains("Swirl")
    }
  }

  @Test func `models of other kinds are unsupported, and files that are none an error`() async throws {
    guard case .unsupported = try await MLModelStructure.load(contentsOf: Fixture.url("features.mlmodel")) else {
      Issue.record("an identity model has a structure")
      return
    }
    await #expect { try await MLModelStructure.load(contentsOf: URL(fileURLWithPath: "/nowhere.mlpackage")) } throws: {
      ($0 as? MLModelError)?.code == .io
    }
  }

  // MARK: Plan

  /// The costs of the operations of a block that have any.
  private func costs(_ plan: MLComputePlan, _ block: Program.Block) -> [(op: String, weight: Double)] {
    block.operations.compactMap { operation in plan.estimatedCost(of: operation).map { (operation.operatorName, $0.weight) } }
  }

  @Test(arguments: [
    "arithmetic.mlpackage", "classifier.mlpackage", "functions.mlpackage", "half.mlpackage", "loop.mlpackage", "optional.mlpackage",
    "rgb.mlpackage", "state.mlpackage",
  ])
  func `costs of a function add up to one`(name: String) async throws {
    let plan = try await MLComputePlan.load(contentsOf: try Fixture.url(name), configuration: MLModelConfiguration())
    for (function, content) in try program(plan.modelStructure).functions {
      let costs = costs(plan, content.block)
      #expect(!costs.isEmpty, "\(function)")
      #expect(costs.allSatisfy { (0...1).contains($0.weight) }, "\(costs)")
      #expect(abs(costs.reduce(0) { $0 + $1.weight } - 1) < 1e-9, "\(costs)")
    }
  }

  @Test func `operations run on the processor, and constants on nothing`() async throws {
    let plan = try await MLComputePlan.load(contentsOf: try Fixture.url("arithmetic.mlpackage"), configuration: MLModelConfiguration())
    let main = try #require(try program(plan.modelStructure).functions["main"])
    for operation in main.block.operations {
      let usage = plan.deviceUsage(for: operation)
      if operation.operatorName == "const" {
        #expect(usage == nil && plan.estimatedCost(of: operation) == nil)
      } else {
        #expect(usage?.preferred == MLComputeDevice.allComputeDevices[0] && usage?.supported == MLComputeDevice.allComputeDevices)
        guard case .cpu? = usage?.preferred else {
          Issue.record("\(operation.operatorName) does not run on the processor")
          continue
        }
        #expect(try #require(plan.estimatedCost(of: operation)).weight > 0)
      }
    }
  }

  @Test func `a loop costs what its body does`() async throws {
    let plan = try await MLComputePlan.load(contentsOf: try Fixture.url("loop.mlpackage"), configuration: MLModelConfiguration())
    let main = try #require(try program(plan.modelStructure).functions["main"])
    let loop = try #require(main.block.operations.first { $0.operatorName == "while_loop" })
    let own = try #require(plan.estimatedCost(of: loop)).weight
    let nested = loop.blocks.flatMap { costs(plan, $0) }.reduce(0) { $0 + $1.weight }
    #expect(nested <= own + 1e-12 && own > 0)
    #expect(plan.deviceUsage(for: loop.blocks[1].operations[0]) == nil)
    #expect(plan.deviceUsage(for: loop.blocks[1].operations[1]) != nil)
  }

  @Test func `the models of a pipeline share its cost`() async throws {
    let plan = try await MLComputePlan.load(contentsOf: readerFixture("pipeline.mlmodel"), configuration: MLModelConfiguration())
    guard case .pipeline(let pipeline) = plan.modelStructure else {
      Issue.record("no pipeline")
      return
    }
    let sums = pipeline.subModels.map { model -> Double in
      guard case .program(let program) = model, let main = program.functions["main"] else { return 0 }
      return costs(plan, main.block).reduce(0) { $0 + $1.weight }
    }
    #expect(abs(sums.reduce(0, +) - 1) < 1e-9 && sums.allSatisfy { $0 < 1 }, "\(sums)")
  }

  @Test func `operations of another model have no plan`() async throws {
    let plan = try await MLComputePlan.load(contentsOf: try Fixture.url("arithmetic.mlpackage"), configuration: MLModelConfiguration())
    let other = try #require(try program(await MLModelStructure.load(contentsOf: Fixture.url("classifier.mlpackage"))).functions["main"])
    #expect(plan.deviceUsage(for: other.block.operations[0]) == nil && plan.estimatedCost(of: other.block.operations[0]) == nil)
    // Those of the same model are known, wherever they were read.
    let same = try #require(try program(await MLModelStructure.load(contentsOf: Fixture.url("arithmetic.mlpackage"))).functions["main"])
    #expect(plan.deviceUsage(for: same.block.operations[0]) != nil)
  }

  @Test func `a function that is not there is an error`() async throws {
    let configuration = MLModelConfiguration()
    configuration.functionName = "third"
    let url = try Fixture.url("functions.mlpackage")
    await #expect { try await MLComputePlan.load(contentsOf: url, configuration: configuration) } throws: {
      ($0 as? MLModelError)?.code == .parameters
    }
    configuration.functionName = "second"
    let plan = try await MLComputePlan.load(contentsOf: url, configuration: configuration)
    let second = try #require(try program(plan.modelStructure).functions["second"])
    #expect(plan.deviceUsage(for: second.block.operations[0]) != nil)
  }
}
