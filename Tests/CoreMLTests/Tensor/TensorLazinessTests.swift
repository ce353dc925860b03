import CoreML
import Testing

/// When tensors are computed, and how often.
@Suite(.serialized)
struct TensorLazinessTests {
  @Test func `chains of any length are computed and released`() async {
    var x = MLTensor([0] as [Float])
    for _ in 0..<100_000 { x = x + 1 }
    #expect(await matches(x, [1], [100_000]))
    // Never computed: releasing it must not need stack for all of it.
    var y = MLTensor([0] as [Float])
    for _ in 0..<100_000 { y = y * 2 + MLTensor([1] as [Float]) }
    #expect(y.shape == [1])
  }

  @Test func `expressions that share parts are computed in no more steps than there are`() async {
    // As a tree this would have 2^60 leaves.
    var x = MLTensor([1] as [Float])
    for _ in 0..<60 { x = (x + x) * 0.5 }
    #expect(await matches(x, [1], [1]))
  }

  @Test func `a part that several tensors share stays as it was computed first`() async {
    let noise = MLTensor(randomUniform: [1000], scalarType: Float.self)
    let shared = (noise * 3).sin()
    let (first, second) = (shared + 1, shared * 2)
    let a = await first.numbers()
    let b = await second.numbers()
    #expect(zip(a, b).allSatisfy { abs(2 * ($0 - 1) - $1) < 1e-6 })
    let sorted = noise.topK(10)
    let values = await sorted.values.numbers()
    let indices = await sorted.indices.numbers()
    let all = await noise.numbers()
    #expect(zip(values, indices).allSatisfy { all[Int($1)] == $0 })
  }

  @Test func `a loop that repeats an expression with other data makes no new plans`() async {
    func step(_ index: Int) async -> Double {
      let logits = MLTensor((0..<50).map { Float(($0 * 7 + index) % 50) })
      let probabilities = (logits / Float(1 + index % 3)).softmax()
      let (values, indices) = probabilities.topK(5)
      let limit = values.sum() * Float(0.5)
      let chosen = (values.cumulativeSum() .< limit).cast(to: Float.self).sum()
      return await indices.gathering(atIndices: chosen.cast(to: Int32.self), alongAxis: 0).numbers()[0]
    }
    let plans = TensorPlans(capacity: 8)
    await TensorPlans.$current.withValue(plans) {
      _ = await step(0)
      let count = plans.plannedCount
      #expect(count > 0)
      for index in 1..<20 { #expect(await step(index) >= 0) }
      #expect(plans.plannedCount == count)
    }
  }

  @Test func `plans that were not used for long make room for others`() async {
    let plans = TensorPlans(capacity: 3)
    await TensorPlans.$current.withValue(plans) {
      for extent in 1...10 {
        #expect(await matches(MLTensor(ones: [extent], scalarType: Float.self).sum(), [], [Double(extent)]))
        // This one is used again and again.
        #expect(await matches(MLTensor([1.0]) + MLTensor([2.0]), [1], [3]))
      }
      #expect(plans.count <= 3)
      #expect(plans.plannedCount == 11)
    }
  }

  @Test func `a value that somebody holds is computed once, with what is computed first`() async {
    let plans = TensorPlans(capacity: 8)
    await TensorPlans.$current.withValue(plans) {
      let shared = MLTensor([1, 2] as [Float]).exp()
      let sum = shared.sum()
      _ = await sum.numbers()
      #expect(plans.plannedCount == 1)
      // Both are there already.
      _ = await shared.numbers()
      _ = await sum.numbers()
      #expect(plans.plannedCount == 1)
    }
  }

  @Test func `operations on scalars become one node of the engine's graph`() async {
    let x = MLTensor([-1, 0, 1] as [Float])
    func nodes(_ expression: () -> MLTensor) async -> Int {
      let plans = TensorPlans(capacity: 8)
      return await TensorPlans.$current.withValue(plans) {
        _ = await expression().numbers()
        return plans.nodeCount
      }
    }
    let (scale, offset): (Float, Float) = (2, 0.5)
    #expect(await nodes { 0.5 * x * (1 + (scale * (x + 0.044715 * x.pow(3))).tanh()) } == 1)
    #expect(await nodes { ((x * scale + offset).squared() .> 1).cast(to: Int32.self) * 3 } == 1)
  }

  @Test func `many tasks may use one expression`() async {
    let x = MLTensor((0..<1000).map { Float($0) })
    let shared = (x * 2).squared()
    let sums = await withTaskGroup(of: Double.self) { group in
      for index in 0..<16 {
        group.addTask { await (shared + Float(index)).sum(alongAxes: 0).numbers()[0] - 1000 * Double(index) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let expected = (0..<1000).reduce(0.0) { $0 + Double(4 * $1 * $1) }
    #expect(sums.allSatisfy { abs($0 - expected) < expected * 1e-5 })
  }

  @Test func `tensors are made, shared, computed and released by many tasks at once`() async {
    let base = MLTensor(rangeFrom: Float(0), to: 64, by: 1).reshaped(to: [8, 8])
    let products = (0..<4).map { base.matmul(base.transposed()) * Float($0) }
    let isRight = await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          var all = true
          for round in 0..<20 {
            let product = products[(task + round) % 4] - products[round % 4]
            let (values, indices) = product.reshaped(to: [-1]).topK(3)
            let gathered = product.flattened().gathering(atIndices: indices, alongAxis: 0)
            // Released without ever being computed.
            var unused = values
            for _ in 0..<50 { unused += gathered }
            all = await (values .== gathered).all().numbers() == [1] && all
          }
          return all
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(isRight)
  }

  @Test func `results larger than what a plan keeps`() async {
    // Temporary memory of several megabytes, twice with one plan.
    for factor in [1, 2] as [Float] {
      let x = MLTensor(repeating: factor, shape: [1024, 1024])
      let y = x.transposed().matmul(x).transposed().cumulativeSum(alongAxis: 1)
      #expect(await matches(y[5, 1023], [], [Double(factor * factor) * 1024 * 1024]))
    }
  }

  @Test func `the compute policy changes no results`() async throws {
    let x = MLTensor([1, 2, 3] as [Float])
    let inside = withMLTensorComputePolicy(.cpuOnly) { x * 2 }
    #expect(await matches(inside, [3], [2, 4, 6]))
    let awaited = await withMLTensorComputePolicy(MLComputePolicy(.all)) { await (x + 1).numbers() }
    #expect(awaited == [2, 3, 4])
    struct Failure: Error {}
    #expect(throws: Failure.self) { try withMLTensorComputePolicy(.cpuAndGPU) { throw Failure() } }
    #expect(MLComputePolicy.cpuOnly == MLComputePolicy(.cpuOnly) && MLComputePolicy.cpuOnly != .cpuAndGPU)
    #expect(Set([MLComputePolicy.cpuOnly, .cpuOnly, .cpuAndGPU]).count == 2)
  }
}
