import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// What kernels are estimated to take, and whose cost it is.
@Suite struct CostModelTests {
  private static func operation(_ number: Int, _ op: String) -> SourceOperation {
    SourceOperation(number: number, op: op, name: "v\(number)")
  }

  private static func step(
    flops: Double = 0, bytes: Double = 0, work: KernelWork = .elementwise, elementCount: Int = 1, origins: [NodeOrigin] = []
  ) -> PlannedStep {
    PlannedStep(
      kernel: { _ in }, label: "kernel", source: "", origins: origins, work: work, flops: flops, bytes: bytes, elementCount: elementCount)
  }

  @Test func kernelsTakeAsLongAsArithmeticOrMemoryWhicheverIsLonger() {
    let model = CostModel(workers: 1)
    let nothing = model.seconds(of: Self.step())
    #expect(nothing > 0)
    let arithmetic = model.seconds(of: Self.step(flops: 1e9, bytes: 8, work: .product))
    let memory = model.seconds(of: Self.step(bytes: 1e9))
    #expect(model.seconds(of: Self.step(flops: 1e9, bytes: 1e9, work: .product)) == max(arithmetic, memory))
    #expect(arithmetic > 10 * nothing && memory > 10 * nothing)
    // The same arithmetic takes longer where operands do not stay in registers.
    #expect(model.seconds(of: Self.step(flops: 1e9, work: .depthwise)) > arithmetic)
    #expect(model.seconds(of: Self.step(flops: 1e9, work: .single)) > model.seconds(of: Self.step(flops: 1e9)))
  }

  @Test func narrowVectorsTakeLongerForArithmeticOnly() {
    var narrow = MachineProfile.current
    narrow.vectorByteCount /= 2
    let (wide, slow) = (CostModel(workers: 1), CostModel(workers: 1, machine: narrow))
    let product = Self.step(flops: 1e9, work: .product)
    #expect(slow.seconds(of: product) > 1.9 * wide.seconds(of: product))
    #expect(slow.seconds(of: Self.step(bytes: 1e9)) == wide.seconds(of: Self.step(bytes: 1e9)))
  }

  @Test func threadsShareLargeKernelsOnly() {
    let (one, four) = (CostModel(workers: 1), CostModel(workers: 4))
    let large = Self.step(flops: 1e9, bytes: 1e6, work: .product)
    #expect(four.seconds(of: large) < one.seconds(of: large) / 3)
    let small = Self.step(flops: 1000, bytes: 1000)
    #expect(four.seconds(of: small) == one.seconds(of: small))
  }

  @Test func theCostOfAKernelIsDividedAmongItsOperations() {
    let operations = [Self.operation(0, "conv"), Self.operation(1, "relu"), Self.operation(2, "add"), Self.operation(3, "mul")]
    let model = CostModel(workers: 1)
    var costs = OperationCosts(operations, model: model)
    let conv = [NodeOrigin(operations[0])].absorbing([NodeOrigin(operations[1])])
    let fused = Self.step(flops: 1e9, bytes: 1e5, work: .product, elementCount: 10_000, origins: conv)
    costs.add(fused, measured: 2)
    let pair = [NodeOrigin(operations[2])].joined(with: [NodeOrigin(operations[3])])
    let pointwise = Self.step(flops: 1e6, bytes: 1e5, elementCount: 10_000, origins: pair)
    costs.add(pointwise, measured: 1)
    let all = costs.costs
    #expect(all.map(\.operation) == operations)
    #expect(abs(all.reduce(0) { $0 + $1.estimate } - model.seconds(of: fused) - model.seconds(of: pointwise)) < 1e-12)
    #expect(abs(all.reduce(0) { $0 + $1.measurement } - 3) < 1e-12)
    #expect(all[0].estimate > 100 * all[1].estimate && all[1].estimate > 0)
    #expect(all[2].estimate == all[3].estimate)
    #expect(all.allSatisfy { $0.kernels == ["kernel"] })
  }

  @Test func absorbedOperationsTakeNoMoreThanHalf() {
    let operations = (0..<4).map { Self.operation($0, "op") }
    var costs = OperationCosts(operations, model: CostModel(workers: 1))
    let origins = [NodeOrigin(operations[0])].absorbing(operations.dropFirst().map { NodeOrigin($0) })
    costs.add(Self.step(elementCount: 1_000_000, origins: origins))
    let all = costs.costs
    #expect(abs(all[0].estimate - all.dropFirst().reduce(0) { $0 + $1.estimate }) < 1e-15)
  }

  @Test func kernelsWithoutAnOperationAreNobodysCost() {
    var costs = OperationCosts([Self.operation(0, "op")], model: CostModel(workers: 1))
    costs.add(Self.step())
    #expect(costs.unattributed > 0 && costs.costs[0].estimate == 0 && costs.costs[0].kernels.isEmpty)
  }
}

/// Which operations of a file the nodes come from, before and after the passes.
@Suite struct NodeOriginTests {
  private static func origin(_ number: Int, _ op: String) -> [NodeOrigin] {
    [NodeOrigin(SourceOperation(number: number, op: op, name: "v\(number)"))]
  }

  @Test func aFusedNodeComesFromAllItsOperations() throws {
    var graph = Graph(name: "g")
    let type = ValueType.tensor(TensorSignature(TensorType(.float32, [2, 8])))
    let x = graph.addInput(type)
    let weight = graph.addConstant(Constant(HostTensor(zeros: .float32, shape: [8, 8])))
    let product = graph.addNode(MatMul(dtype: .float32), [x, weight], types: [type], source: "linear", origins: Self.origin(0, "linear"))[0]
    let relu = Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu")
    let y = graph.addNode(relu, [product], types: [type], source: "relu", origins: Self.origin(1, "relu"))[0]
    graph.outputs = [y]
    #expect(graph.operations.map(\.op) == ["linear", "relu"])
    let optimized = try PassPipeline.standard.run(on: graph)
    #expect(optimized.nodes.count == 1)
    #expect(optimized.nodes[0].origins.map(\.operation.op) == ["linear", "relu"])
    #expect(optimized.nodes[0].origins.map(\.isAbsorbed) == [false, true])
    let plan = try Planner.plan(
      PreparedGraph(optimized), inputs: [.tensor(TensorType(.float32, [2, 8]))], packed: PackedStore(), workers: 1)
    #expect(plan.steps.allSatisfy { $0.origins == optimized.nodes[0].origins })
  }

  @Test func copiesOfOutputsBelongToWhatMadeThem() throws {
    var graph = Graph(name: "g")
    let x = graph.addInput(.tensor(TensorSignature(TensorType(.float32, [2, 3]))))
    let y = graph.addNode(
      Permute(axes: [1, 0]), [x], types: [.tensor(TensorSignature(TensorType(.float32, [3, 2])))], source: "transpose",
      origins: Self.origin(0, "transpose"))[0]
    graph.outputs = [y]
    let plan = try Planner.plan(PreparedGraph(graph), inputs: [.tensor(TensorType(.float32, [2, 3]))], packed: PackedStore(), workers: 1)
    #expect(plan.steps.count == 1 && plan.steps[0].origins == Self.origin(0, "transpose"))
  }

  @Test func operationsAreNumberedAnewInTheirOrder() {
    var graph = Graph(name: "g")
    let x = graph.addScalar(.int(1))
    var inner = Graph(name: "inner")
    let flag = inner.addScalar(.bool(true))
    inner.addNode(ScalarFunction(.not), [flag], types: [.scalar(.bool)], source: "", origins: Self.origin(7, "inner"))
    graph.addNode(Conditional(), [x], types: [], regions: [inner], source: "", origins: Self.origin(4, "cond"))
    graph.addNode(ScalarFunction(.not), [x], types: [.scalar(.bool)], source: "", origins: Self.origin(9, "last"))
    let renumbered = graph.withOperations(numberedFrom: 20)
    #expect(renumbered.operations.map(\.number) == [20, 21, 22])
    #expect(renumbered.operations.map(\.op) == ["cond", "inner", "last"])
  }
}
