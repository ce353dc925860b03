import MartletBytes
import MartletFeatures
import Testing

import MartletCoreMLFile

@Suite struct ProgramTests {
  @Test(arguments: Fixture.programs, ["old", "new"])
  func `A compiled model holds the same program and description as its package`(name: String, syntax: String) throws {
    let package = try Fixture.model(name + ".mlpackage")
    let compiled = try Fixture.model("\(name)_\(syntax).mlmodelc")
    #expect(try ModelDump.text(#require(package.program)) == ModelDump.text(#require(compiled.program)))
    #expect(package.description == compiled.description)
    #expect(package.specificationVersion == compiled.specificationVersion)
    #expect(compiled.kind == .mlProgram)
  }

  @Test func `A program's operations, types and weights are handed on`() throws {
    let model = try Fixture.model("linear.mlpackage")
    #expect(model.specificationVersion == 6)
    let program = try #require(model.program)
    let function = try #require(program.function(named: "main"))
    #expect(function.opset == "CoreML5")
    #expect(function.opsetVersion == 15)
    #expect(function.inputs.map(\.name) == ["x"])
    #expect(function.inputs[0].type == .tensor(MILTensorType(.float32, [.constant(1), .constant(4)])))

    let linear = try function.operation("linear")
    #expect(linear.outputs[0].type.description == "tensor<fp32, [1, 3]>")
    guard case .name(let weightName)? = linear.inputs["weight"]?.bindings.first else {
      Issue.record("the weight is not named")
      return
    }
    let weight = try function.constant(weightName)
    #expect(weight.shape == [3, 4])
    #expect(weight.doubles == (0..<12).map { Double($0) })
    #expect(weight.source?.path == "weights/weight.bin")
    #expect(weight.data.owner.path.hasSuffix("weights/weight.bin"))
    let concat = try function.operation("concat")
    #expect(concat.inputs["values"]?.bindings.count == 2)
    #expect(function.block.outputs == ["z"])
    #expect(try #require(model.program(for: model.description.defaultFunction)).name == "main")
  }

  @Test(arguments: ["types.mlpackage", "types_v1.mlpackage", "types_old.mlmodelc", "types_new.mlmodelc"])
  func `Constants of every type have the same elements in weight files and in programs`(name: String) throws {
    let function = try #require(try Fixture.program(name).function(named: "main"))
    for type in ["fp16", "fp32", "bf16"] {
      #expect(try function.constant(type + "_blob").doubles == (0..<11).map { Double($0) })
    }
    #expect(try function.constant("fp16_here").doubles == (0..<11).map { Double($0) })
    for type in ["uint8", "int8", "int16", "uint16", "int4", "uint1", "uint2", "uint4", "uint3", "uint6", "int32", "uint32"] {
      let bits = Int64(type.drop { !$0.isNumber })!
      let expected = (0..<11).map { index -> Int64 in
        let value = Int64(index) % (1 << bits)
        return type == "int4" && value > 7 ? value - 16 : value
      }
      let blob = try function.constant(type + "_blob")
      #expect(blob.integers == expected, "\(type)")
      #expect(blob.source != nil)
      let here = try function.constant(type + "_here")
      #expect(here.integers == expected, "\(type)")
      #expect(here.source == nil)
    }
    let floats = try function.constant("fp32_here")
    #expect(floats.shape == [2, 3])
    #expect(floats.doubles == [0, -1.5, 0.1 as Float, .leastNonzeroMagnitude, .infinity, 3.4028235e38].map { Double($0) })
    #expect(try function.constant("bool_here").booleans == [true, false, true])
    #expect(try function.constant("strings_here").strings == ["a \"quoted\" \\ text", "Grüße\n"])
    #expect(try function.constant("empty_here").elementCount == 0)
  }

  @Test func `States are inputs of state type, read and written by operations`() throws {
    let model = try Fixture.model("state.mlpackage")
    let function = try #require(model.program?.function(named: "main"))
    #expect(function.opsetVersion == 18)
    #expect(function.inputs[1].type == .state(.tensor(MILTensorType(.float16, [.constant(1), .constant(4)]))))
    let write = try function.operation("write_state")
    #expect(write.outputs.isEmpty)
    #expect(
      model.description.defaultFunction.states.map(\.type)
        == [.state(ArrayFeature(dataType: .float16, shape: [1, 4], flexibility: .fixed))])
  }

  @Test func `Control flow has nested blocks`() throws {
    let function = try #require(try Fixture.program("control_flow.mlpackage").function(named: "main"))
    let cond = try function.operation("cond")
    #expect(cond.blocks.count == 2)
    let loop = try function.operation("while_loop")
    #expect(loop.blocks.count == 2)
    #expect(loop.inputs["loop_vars"]?.bindings.count == 2)
    #expect(loop.blocks.map(\.inputs.count) == [2, 2])
    #expect(loop.blocks.map(\.outputs.count) == [1, 2])
  }

  @Test func `A classifier's labels are a list`() throws {
    let model = try Fixture.model("classifier.mlpackage")
    let classify = try #require(model.program?.function(named: "main")).operation("classify")
    guard case .value(.list(let labels, let element))? = classify.inputs["classes"]?.bindings.first else {
      Issue.record("the classes are no list")
      return
    }
    #expect(element == .tensor(MILTensorType(.string, [])))
    #expect(labels.map(\.string) == ["cat", "dog", "bird"])
    #expect(model.description.defaultFunction.predictedFeatureName == "label")
    #expect(model.description.defaultFunction.predictedProbabilitiesName == "scores")
  }

  @Test func `Functions of one model have their own inputs, and one is the default`() throws {
    let model = try Fixture.model("functions.mlpackage")
    #expect(model.description.functions.map(\.name) == ["first", "second"])
    #expect(model.description.defaultFunction.name == "second")
    #expect(try #require(model.program(for: model.description.defaultFunction)).inputs[0].type.tensor?.shape == [3])
    #expect(model.program?.function(named: "third") == nil)
  }

  @Test func `A pipeline's models are read in order`() throws {
    for name in ["pipeline.mlmodel", "pipeline.mlmodelc"] {
      let model = try Fixture.model(name)
      #expect(model.kind == .pipeline)
      guard case .pipeline(let stages) = model.content else {
        Issue.record("no pipeline")
        return
      }
      #expect(stages.count == 2)
      #expect(stages.allSatisfy { $0.model.program != nil && $0.model.specificationVersion == 6 })
      if name.hasSuffix("mlmodel") { #expect(stages.map(\.name) == ["stage0", "stage1"]) }
    }
  }

  @Test func `A model in memory is read like one on disk`() throws {
    let model = try Fixture.read(Fixture.files("linear.mlpackage"))
    let other = try Fixture.program("linear.mlpackage")
    #expect(try ModelDump.text(#require(model.program)) == ModelDump.text(other))
  }
}
