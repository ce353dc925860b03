import MartletBytes
import MartletExecuTorchFile
import Testing

@Suite struct ProgramTests {
  @Test func `A program has its methods, operators, values and constants`() throws {
    let program = try Fixture.program("constants.pte")
    #expect(program.version == 0)
    #expect(program.header?.byteCount == 32)
    #expect(program.segments.count == 1)
    #expect(program.plan(named: "forward") != nil)
    #expect(program.plan(named: "backward") == nil)

    let plan = try #require(program.plans.first)
    #expect(plan.operators.map(\.description) == ["aten::permute_copy.out", "aten::addmm.out"])
    #expect(plan.inputs.count == 1)
    #expect(plan.outputs.count == 1)
    let input = try #require(plan.values[plan.inputs[0]].tensor)
    #expect(input.scalarType == .float32)
    #expect(input.sizes == [1, 3])
    #expect(input.dimOrder == [0, 1])
    #expect(input.layout.byteCount == 12)
    #expect(input.shapeDynamism == .fixed)
    #expect(input.device == .cpu)
    guard case .planned(let location) = input.data else {
      Issue.record("the input is not planned")
      return
    }
    #expect(location.memoryID == 1)
    #expect(location.offset + 12 <= plan.bufferSizes[1])

    let constants = try plan.values.compactMap { value -> (sizes: [Int], floats: [Float])? in
      guard let tensor = value.tensor, case .constant(let data) = tensor.data else { return nil }
      return (tensor.sizes, try data.floats())
    }
    #expect(constants.contains { $0.sizes == [2, 3] && $0.floats == [0, 1, 2, 3, 4, 5] })
    #expect(constants.contains { $0.sizes == [2] && $0.floats == [0, 1] })

    #expect(plan.chains.count == 1)
    guard case .kernelCall(operatorIndex: 1, let arguments) = try #require(plan.chains[0].instructions.last) else {
      Issue.record("the last instruction is not addmm")
      return
    }
    // bias, input, weight, beta, alpha, out, out
    #expect(arguments.count == 7)
    #expect(arguments[5] == arguments[6])
    #expect(plan.outputs == [arguments[6]])
  }

  @Test(arguments: ["short_header.pte", "constant_buffer.pte", "rare_kinds.pte"])
  func `An older layout of a program has the same constants`(name: String) throws {
    let plan = try Fixture.plan(name)
    let constants = try plan.values.compactMap { value -> [Float]? in
      guard let tensor = value.tensor, case .constant(let data) = tensor.data else { return nil }
      return try data.floats()
    }
    #expect(constants.contains([0, 1, 2, 3, 4, 5]))
    #expect(constants.contains([0, 1]))
  }

  @Test func `A short header has no size of the segments`() throws {
    let header = try #require(try Fixture.program("short_header.pte").header)
    #expect(header.byteCount == 24)
    #expect(header.segmentDataByteCount == nil)
    #expect(header.segmentBaseOffset > 0)
  }

  @Test func `A program without constants has no header`() throws {
    let program = try Fixture.program("no_header.pte")
    #expect(program.header == nil)
    #expect(program.segments.filter { !$0.isEmpty }.isEmpty)
    #expect(program.plans[0].operators.map(\.description) == ["aten::add.out"])
  }

  @Test func `A dynamic tensor has bounds for extents`() throws {
    let plan = try Fixture.plan("dynamic.pte")
    let input = try #require(plan.values[plan.inputs[0]].tensor)
    #expect(input.shapeDynamism == .upperBound)
    #expect(input.sizes == [7, 3])
  }

  @Test func `A mutable tensor has its initial value and its place`() throws {
    let plan = try Fixture.plan("mutable_state.pte")
    let initial = try plan.values.compactMap { value -> ([Float], ProgramTensor.PlannedLocation)? in
      guard let tensor = value.tensor, case .mutableInitialized(let data, let location) = tensor.data else { return nil }
      return (try data.floats(), location)
    }
    try #require(initial.count == 1)
    #expect(initial[0].0 == [5, 6])
    #expect(initial[0].1.memoryID == 1)
    let zero = plan.values.compactMap(\.tensor).first { $0.sizes == [3] }
    guard case .planned = try #require(zero).data else {
      Issue.record("a state of zeros is planned and has no data")
      return
    }
  }

  @Test func `A branch is made of jumps and moves`() throws {
    let plan = try Fixture.plan("branch.pte")
    let instructions = plan.chains[0].instructions
    var jumps = 0
    var moves = 0
    for instruction in instructions {
      switch instruction {
      case .jumpIfFalse(let condition, let destination):
        jumps += 1
        #expect(destination <= instructions.count)
        switch plan.values[condition] {
        case .bool, .tensor: break
        default: Issue.record("the condition is a \(plan.values[condition].kindName)")
        }
      case .move(let source, let destination):
        moves += 1
        #expect(source != destination)
        #expect(plan.outputs.contains(destination))
      default: break
      }
    }
    #expect(jumps == 2)
    #expect(moves == 2)
  }

  @Test func `Values of every kind that exporters write are read`() throws {
    let plan = try Fixture.plan("values.pte")
    var kinds: Set<String> = []
    for value in plan.values {
      kinds.insert(value.kindName)
      switch value {
      case .intList(let items):
        for item in items { #expect(plan.values[item].int != nil) }
      case .tensorList(let items):
        #expect(items.count == 2)
        for item in items { #expect(plan.values[item].tensor != nil) }
      case .optionalTensorList(let items):
        #expect(items.count == 2)
        #expect(items[0] == nil)
        #expect(plan.values[try #require(items[1])].tensor?.scalarType == .int64)
      case .doubleList(let items): #expect(items == [2, 3])
      case .string(let text): #expect(text == "tanh")
      default: break
      }
    }
    #expect(
      kinds.isSuperset(of: [
        "none", "int", "bool", "tensor", "string", "double list", "tensor list", "optional tensor list",
      ]))
    #expect(plan.inputs.count == 4)
    #expect(plan.outputs.count == 5)
    #expect(plan.values[plan.outputs[3]].int == 4)
    #expect(plan.values[plan.outputs[4]].kindName == "none")
    #expect(plan.containerMetaType?.encodedOutputs.isEmpty == false)
  }

  @Test func `Values and instructions that exporters seldom write are read`() throws {
    let plan = try Fixture.plan("rare_kinds.pte")
    let added = Array(plan.values.suffix(5))
    guard case .boolList([true, false, true]) = added[0], case .doubleList([0.5, -2]) = added[1], case .string("añ") = added[2],
      case .optionalTensorList(let items) = added[3], case .none = added[4]
    else {
      Issue.record("read \(added)")
      return
    }
    #expect(items == [nil, 0])
    #expect(plan.chains[0].instructions.last == .free(value: 0))
    #expect(plan.bufferDevices.count == 1)
    #expect(plan.bufferDevices[1]?.type == 1)
    #expect(plan.bufferDevices[1]?.index == 2)
  }

  @Test func `Every method of a program is read, also those that only return constants`() throws {
    let program = try Fixture.program("methods.pte")
    #expect(Set(program.plans.map(\.name)) == ["forward", "double", "version", "sizes", "name"])
    let version = try #require(program.plan(named: "version"))
    #expect(version.outputs.map { version.values[$0].int } == [3])
    #expect(version.chains.flatMap(\.instructions).isEmpty)
    let sizes = try #require(program.plan(named: "sizes"))
    #expect(sizes.outputs.map { sizes.values[$0].int } == [1, 2])
    let name = try #require(program.plan(named: "name"))
    guard case .string("counting") = name.values[name.outputs[0]] else {
      Issue.record("the name is not a string")
      return
    }
  }

  @Test func `Stack traces belong to instructions`() throws {
    let chain = try Fixture.plan("stacktrace.pte").chains[0]
    #expect(chain.stacktrace.count == chain.instructions.count)
    let frames = chain.stacktrace.flatMap { $0 }
    #expect(frames.contains { $0.function == "forward" && $0.file == "make_reader_fixtures.py" && $0.line > 0 })
  }

  @Test func `External tensors are found in the data file and checked against it`() throws {
    let program = try Fixture.program("external.pte")
    let dataFile = try FlatTensorFile(Fixture.file("external.ptd"))
    let data = try ExternalData(program: program, files: [dataFile])
    let external = program.plans[0].values.compactMap { value -> (String, ProgramTensor)? in
      guard let tensor = value.tensor, case .external(let name, nil) = tensor.data else { return nil }
      return (name, tensor)
    }
    #expect(Set(external.map(\.0)) == ["linear.weight", "linear.bias"])
    for (name, tensor) in external {
      let bytes = try data.tensorData(named: name, layout: tensor.layout, program: program)
      #expect(try bytes.floats() == (name == "linear.weight" ? [0, 1, 2, 3, 4, 5] : [0, 1]))
    }

    let (name, tensor) = external[0]
    #expect(throws: FileError.self) {
      try ExternalData(program: program).tensorData(named: name, layout: tensor.layout, program: program)
    }
    let other = try #require(external.first { $0.0 != name }).1
    let error = #expect(throws: FileError.self) { try data.tensorData(named: name, layout: other.layout, program: program) }
    #expect(error?.reason.contains("expects") == true)
    #expect(throws: FileError.self) { try ExternalData(program: program, files: [dataFile, dataFile]) }
  }

  @Test func `A delegate's payload is in a segment or inline`() throws {
    for (name, isInline) in [("xnnpack_segment.pte", false), ("xnnpack_inline.pte", true)] {
      let plan = try Fixture.plan(name)
      #expect(plan.delegates.map(\.id) == ["XnnpackBackend"])
      #expect(plan.delegates[0].isInline == isInline)
      #expect(plan.delegates[0].payload.hasBytes("XH00", at: 4))
      guard case .delegateCall(delegateIndex: 0, let arguments) = try #require(plan.chains[0].instructions.first) else {
        Issue.record("the delegate is not called")
        return
      }
      #expect(arguments == plan.inputs + plan.outputs)
    }
  }
}

@Suite struct DataFileTests {
  @Test func `A data file of the first schema is read`() throws {
    let file = try FlatTensorFile(Fixture.file("old_schema.ptd"))
    #expect(file.entries.count == 3)
    let weight = try #require(file.entries["weight"])
    #expect(weight.layout?.scalarType == .float32)
    #expect(weight.layout?.sizes == [2, 3])
    #expect(try weight.data.floats() == [0, 1, 2, 3, 4, 5])
    let index = try #require(file.entries["index"])
    #expect(index.layout?.scalarType == .int64)
    #expect(try index.data.load(Int64.self, at: 8) == -8)
    #expect(index.data.count == 16)
    let blob = try #require(file.entries["blob"])
    #expect(blob.layout == nil)
    #expect(try blob.data.text() == "bytes")
  }

  @Test func `A bundled program has test cases and the program itself`() throws {
    let bundle = try BundledProgram(Fixture.file("bundled.bpte"))
    #expect(bundle.testSuites.map(\.methodName) == ["forward"])
    let testCase = try #require(bundle.testSuites.first?.testCases.first)
    guard case .tensor(let layout, let data) = try #require(testCase.inputs.first),
      case .tensor(_, let output) = try #require(testCase.expectedOutputs.first)
    else {
      Issue.record("inputs and outputs are not tensors")
      return
    }
    #expect(layout.scalarType == .float32)
    #expect(layout.sizes == [1, 3])
    #expect(try data.floats() == [1, 1, 1])
    // Weights 0...5 and biases 0, 1 applied to ones.
    #expect(try output.floats() == [3, 13])
    #expect(bundle.program.array == (try Fixture.bytes("constants.pte")))
    #expect(try ExecuTorchProgram(bundle.program).plans.count == 1)
  }

  @Test func `Files are told apart by their identifier`() throws {
    #expect(ExecuTorchFileKind(of: try Fixture.file("constants.pte")) == .program)
    #expect(ExecuTorchFileKind(of: try Fixture.file("external.ptd")) == .flatTensor)
    #expect(ExecuTorchFileKind(of: try Fixture.file("bundled.bpte")) == .bundledProgram)
    #expect(ExecuTorchFileKind(of: MappedFile(copying: [1, 2, 3]).bytes) == nil)

    let wrongKind = #expect(throws: FileError.self) { try ExecuTorchProgram(Fixture.file("external.ptd")) }
    #expect(wrongKind?.reason == "'FT01' is not 'ET12' (ExecuTorch program)")
    var bytes = try Fixture.bytes("constants.pte")
    bytes[7] = UInt8(ascii: "9")
    let wrongVersion = #expect(throws: FileError.self) { try ExecuTorchProgram(MappedFile(copying: bytes).bytes) }
    #expect(wrongVersion?.reason == "ExecuTorch program of version 'ET19' is not supported, only 'ET12'")
  }
}
