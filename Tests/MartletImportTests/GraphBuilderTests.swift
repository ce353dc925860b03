import MartletGraph
import MartletImport
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// The builder that every importer stands on: graphs are built through it and run.
@Suite struct GraphBuilderTests {
  private static func builder(_ limits: GraphBuilder.Limits = GraphBuilder.Limits()) -> GraphBuilder {
    GraphBuilder("forward", file: "model", constants: ConstantPool(), limits: limits)
  }

  // MARK: Captures

  @Test func `A region two levels down sees values of all scopes around it`() throws {
    let builder = Self.builder()
    let names = Names<String, ValueID>(builder, areVariables: false)
    names.define("x", builder.input())
    names.define("y", builder.input())
    names.define("ten", builder.constant(10))
    let positiveX = try builder.isPositive(names["x"]!)
    let taken = try names.region("then") {
      let positiveY = try builder.isPositive(names["y"]!)
      names.define("sum", try builder.apply(.add, names["x"]!, names["y"]!))
      let inner = try names.region("inner then") {
        // Twice: one input serves both uses.
        [try builder.apply(.mul, try builder.apply(.add, names["sum"]!, names["x"]!), try builder.apply(.add, names["ten"]!, names["x"]!))]
      }
      return try builder.addConditional(positiveY, [inner, try names.region("inner else") { [names["sum"]!] }])
    }
    let other = try names.region("else") { [names["ten"]!] }
    let graph = try builder.graph(outputs: try builder.addConditional(positiveX, [taken, other]))
    let method = try BuiltMethod(graph)
    // (x + y + x) * (10 + x)
    #expect(try method(2, 3) == [84])
    #expect(try method(2, -3) == [-1])
    #expect(try method(-2, 3) == [10])
    // A name defined in a region is not seen outside; constants are copied, and each value is captured once.
    #expect(names["sum"] == nil)
    let outer = try #require(graph.nodes.last)
    #expect(outer.inputs.count == 3 && outer.regions.allSatisfy { $0.inputs.count == 2 })
    #expect(try #require(outer.regions[0].nodes.last).inputs.count == 3)
  }

  @Test func `A region that fails leaves the scopes around it as they were`() throws {
    let builder = Self.builder()
    let names = Names<String, ValueID>(builder, areVariables: true)
    names.define("x", builder.input())
    #expect(throws: CallError.self) {
      _ = try names.branch("branch") {
        names.assign("x", try builder.apply(.add, names["x"]!, names["x"]!))
        throw CallError("no such operator")
      }
    }
    #expect(builder.level == 0)
    #expect(try BuiltMethod(try builder.graph(outputs: [names["x"]!]))(4) == [4])
  }

  // MARK: Assignment

  @Test func `What a nested branch assigns is seen behind the conditionals`() throws {
    let builder = Self.builder()
    let names = Names<String, ValueID>(builder, areVariables: true)
    names.define("a", builder.input())
    names.define("b", builder.input())
    names.define("v", builder.constant(0))
    let isA = try builder.isPositive(names["a"]!)
    let taken = try names.branch("a") {
      let isB = try builder.isPositive(names["b"]!)
      let inner = try names.branch("b") { names.assign("v", try builder.apply(.add, names["v"]!, builder.constant(1))) }
      try names.addConditional(isB, [inner, try names.branch("not b") {}])
      names.assign("v", try builder.apply(.add, names["v"]!, builder.constant(10)))
    }
    let other = try names.branch("not a") { names.assign("w", builder.constant(5)) }
    try names.addConditional(isA, [taken, other])
    let method = try BuiltMethod(try builder.graph(outputs: [names["v"]!]))
    #expect(try method(1, 1) == [11])
    #expect(try method(1, -1) == [10])
    #expect(try method(-1, 1) == [0])
    // Assigned on one side only, so it has a value behind the conditional, and that may be none.
    #expect(names["w"] != nil)
  }

  @Test(arguments: [(1, [1, 1, 2]), (4, [4, 10, 2]), (-3, [1, 1, 2])] as [(Float, [Double])])
  func `A loop carries what its body reads and assigns`(limit: Float, expected: [Double]) throws {
    let builder = Self.builder()
    let names = Names<Int, ValueID>(builder, areVariables: true)
    let (index, sum, alias, end, last) = (0, 1, 2, 3, 4)
    let zero = builder.constant(0)
    // Two names of one value, of which the body changes one.
    for name in [index, sum, alias] { names.define(name, zero) }
    names.define(end, builder.input())
    var flag: ValueID?
    let body = try names.branch("loop") {
      names.assign(index, try builder.apply(.add, names[index]!, builder.constant(1)))
      names.assign(sum, try builder.apply(.add, names[sum]!, names[index]!))
      // Read before it is assigned, and first assigned here.
      names.assign(last, try builder.apply(.add, names[alias]!, builder.constant(2)))
      flag = try builder.isPositive(try builder.apply(.sub, names[end]!, names[index]!))
    }
    try names.addLoop(body, while: flag!)
    let method = try BuiltMethod(try builder.graph(outputs: [names[index]!, names[sum]!, names[last]!]))
    #expect(try method(limit) == expected)
  }

  @Test func `A loop inside a branch carries values of the scope around both`() throws {
    let builder = Self.builder()
    let names = Names<String, ValueID>(builder, areVariables: true)
    names.define("n", builder.input())
    names.define("product", builder.constant(1))
    let isPositive = try builder.isPositive(names["n"]!)
    let taken = try names.branch("then") {
      var flag: ValueID?
      let body = try names.branch("loop") {
        names.assign("product", try builder.apply(.mul, names["product"]!, names["n"]!))
        names.assign("n", try builder.apply(.sub, names["n"]!, builder.constant(1)))
        flag = try builder.isPositive(names["n"]!)
      }
      try names.addLoop(body, while: flag!)
    }
    try names.addConditional(isPositive, [taken, try names.branch("else") {}])
    let method = try BuiltMethod(try builder.graph(outputs: [names["product"]!, names["n"]!]))
    #expect(try method(5) == [120, 0])
    #expect(try method(-1) == [1, -1])
  }

  @Test func `Extents that change from round to round are open`() throws {
    let builder = Self.builder()
    let names = Names<String, ValueID>(builder, areVariables: true)
    names.define("list", builder.input())
    var flag: ValueID?
    let body = try names.branch("loop") {
      let signature = TensorSignature(TensorType(.float32, [2]))
      let longer = builder.intermediate(Concat(axis: 0, dtype: .float32), [names["list"]!, names["list"]!], signature)
      names.assign("list", longer)
      flag = builder.addScalar(.bool(false))
    }
    try names.addLoop(body, while: flag!)
    #expect(builder.type(of: names["list"]!) == .tensor(TensorSignature(dtype: .float32, dimensions: [.symbolic(bound: nil)])))
  }

  // MARK: Limits, errors and origins

  @Test func `Regions are not nested beyond the limit`() throws {
    let builder = Self.builder(GraphBuilder.Limits(nesting: 2))
    #expect(throws: CallError.self) {
      _ = try builder.region("1") {
        _ = try builder.region("2") {
          _ = try builder.region("3") { [] }; return []
        }; return []
      }
    }
    #expect(throws: Never.self) {
      _ = try builder.region("1") {
        _ = try builder.region("2") { [] }; return []
      }
    }
  }

  @Test(arguments: [GraphBuilder.Limits(operands: 5), GraphBuilder.Limits(nodes: 2)])
  func `Operands and nodes of all operations are limited together`(_ limits: GraphBuilder.Limits) throws {
    let builder = Self.builder(limits)
    let x = builder.input()
    func sum() throws { _ = try builder.operation("sum", "") { try builder.apply(.add, x, x) } }
    try sum()
    try sum()
    let error = try #require(throws: CallError.self) { try sum() }
    #expect(error.isOverLimit)
    #expect(throws: CallError.self) { try builder.graph(outputs: []) }
  }

  @Test(arguments: [[1 << 40, 1 << 40], [1 << 62, 0, 1 << 62], [1001]])
  func `A declared shape beyond the memory limit is refused`(_ shape: [Int]) throws {
    let signature = TensorSignature(TensorType(.float32, shape))
    for adds in [
      { (builder: GraphBuilder) in _ = builder.addInput(.tensor(signature)) },
      { _ = $0.intermediate(Full(shape: [], dtype: .float32), [$0.addScalar(.int(0))], signature) },
      { _ = $0.addState(StateDeclaration(name: "s", type: TensorType(.float32, shape), initial: nil)) },
    ] {
      let builder = Self.builder(GraphBuilder.Limits(byteCount: 4000))
      #expect(throws: Never.self) { try builder.checkLimits() }
      adds(builder)
      let error = try #require(throws: CallError.self) { try builder.graph(outputs: []) }
      #expect(error.isOverLimit && error.expected == "at most 4000 bytes", "\(error.reason)")
    }
  }

  @Test func `Lists of numbers are limited together`() throws {
    let builder = Self.builder(GraphBuilder.Limits(numbers: 10))
    try builder.admit(numbers: 6)
    #expect(throws: CallError.self) { try builder.admit(numbers: 5) }
  }

  @Test func `Only what depends on unchanged variables and constants alone is invariant in a loop`() {
    var body = Graph(name: "body")
    let signature = TensorSignature(TensorType(.float32, [1]))
    let (kept, changed) = (body.addInput(.tensor(signature)), body.addInput(.tensor(signature)))
    func node(_ op: any Operator, _ inputs: [ValueID?]) -> ValueID { body.addNode(op, inputs, type: .tensor(signature), source: "") }
    let ofKept = node(Flip(axes: [0]), [kept])
    let ofChanged = node(Flip(axes: [0]), [changed])
    let random = node(RandomTensor(.uniform(low: 0, high: 1), shape: nil, dtype: .float32), [kept])
    let ofState = node(ReadState(state: 0), [])
    body.outputs = [ofKept, kept, ofChanged]
    #expect(body.isLoopInvariant(ofKept))
    for value in [ofChanged, random, ofState, changed] { #expect(!body.isLoopInvariant(value)) }
  }

  @Test func `A stored constant may be larger than the memory limit`() throws {
    let builder = Self.builder(GraphBuilder.Limits(byteCount: 4))
    _ = builder.addConstant(Constant(HostTensor(zeros: .float32, shape: [100])))
    #expect(throws: Never.self) { try builder.checkLimits() }
  }

  @Test func `Errors say where they occurred, the innermost place first`() throws {
    let builder = Self.builder()
    let error = try #require(throws: ImportError.self) {
      try builder.located(at: "operation 7", op: "cond") {
        try builder.located(at: "operation 3", op: "conv") { throw CallError("has no kernel") }
      }
    }
    #expect(error.description == "model: method forward, conv (operation 3): has no kernel")
  }

  @Test func `Nodes know the operation that they come from, in regions too`() throws {
    let builder = Self.builder()
    let x = builder.input()
    try builder.operation("if", "a", source: "if a") {
      let flag = try builder.isPositive(x)
      let branches = try (0..<2).map { branch in
        try builder.region("branch") {
          let inner = builder.capture(x)
          return [try builder.operation("add", "\(branch)", source: "add \(branch)") { try builder.apply(.add, inner, inner) }]
        }
      }
      _ = try builder.addConditional(flag, branches)
    }
    let node = try #require(try builder.graph(outputs: []).nodes.last)
    #expect(node.source == "if a" && node.origins.map(\.operation.op) == ["if"])
    #expect(node.regions.map { $0.nodes[0].source } == ["add 0", "add 1"])
    #expect(node.regions.map { $0.nodes[0].origins[0].operation.number } == [1, 2])
  }

  // MARK: Inlining

  /// `state += x` if x is positive; the result is the state.
  private static func accumulator() throws -> Graph {
    let builder = Self.builder()
    let state = builder.addState(StateDeclaration(name: "sum", type: TensorType(.float32, [1]), initial: nil))
    let x = builder.input()
    let flag = try builder.isPositive(x)
    let branches = try [true, false].map { adds in
      try builder.region("branch") {
        let old = builder.intermediate(ReadState(state: state), [], .oneElement)
        guard adds else { return [old] }
        let sum = try builder.apply(.add, old, builder.capture(x))
        _ = builder.addNode(WriteState(state: state), [sum], types: [])
        return [sum]
      }
    }
    return try builder.graph(outputs: try builder.addConditional(flag, branches))
  }

  @Test func `Calls of one inlined model share its states, which follow the method's own`() throws {
    let builder = Self.builder()
    let own = builder.addState(StateDeclaration(name: "own", type: TensorType(.float32, [1]), initial: nil))
    let x = builder.input()
    let model = try Self.accumulator()
    var results = builder.inline(model, inputs: [x], identifier: "a")
    results += builder.inline(model, inputs: [x], identifier: "a")
    results += builder.inline(model, inputs: [x], identifier: "b")
    results.append(builder.stateAtEntry(own, .oneElement))
    let graph = try builder.graph(outputs: results)
    #expect(graph.states.map(\.name) == ["own", "forward/a/sum", "forward/b/sum"])
    let method = try BuiltMethod(graph)
    #expect(try method(3) == [3, 6, 3, 0])
    #expect(try method(1) == [7, 8, 4, 0])
    #expect(try method(-1) == [8, 8, 4, 0])
  }

  // MARK: Numbers and composition

  @Test func `Arithmetic on known numbers is folded, on others it becomes nodes`() throws {
    let builder = Self.builder()
    let x = builder.addInput(.tensor(TensorSignature(dtype: .float32, dimensions: [.fixed(6), .symbolic(bound: 8)])))
    let (rows, columns) = (try builder.extent(of: x, axis: 0), try builder.extent(of: x, axis: -1))
    #expect(try builder.arithmetic(.floorDivide, rows, GraphNumber(4)) == GraphNumber(1))
    #expect(throws: CallError.self) { try builder.arithmetic(.floorDivide, rows, GraphNumber(0)) }
    guard case .computed(let size) = try builder.product(of: x, axes: 0..<2) else { return #expect(Bool(false)) }
    #expect(columns.known == nil && builder.type(of: size) == .scalar(.int))
    var operands: [ValueID?] = [x]
    #expect(try builder.intArguments([rows, .computed(size)], "shape", &operands) == [.constant(6), .operand(1)])
    #expect(operands == [x, size])
    #expect(throws: CallError.self) { try builder.intArguments([.known(.int(.max))], "shape", &operands) }
  }
}
