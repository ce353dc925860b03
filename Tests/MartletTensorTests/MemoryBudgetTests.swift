import MartletTensor
import Testing

@Suite struct MemoryBudgetTests {
  @Test func `Memory is charged while it is allocated and refunded when it is freed`() throws {
    let budget = MemoryBudget(limit: 1 << 20)
    try Allowance.$current.withValue(Allowance(memory: budget)) {
      do {
        let storage = try TensorStorage(allocating: 600_000)
        let zeros = try TensorStorage.zeroed(allocating: 400_000)
        #expect(budget.held == 1_000_000)
        let error = #expect(throws: AllocationError.self) { try TensorStorage(allocating: 100_000) }
        #expect(error?.limit == 1 << 20)
        #expect(budget.held == 1_000_000)
        withExtendedLifetime((storage, zeros)) {}
      }
      #expect(budget.held == 0)
      // Far beyond the limit: nothing is allocated, mapped or charged.
      #expect(throws: AllocationError.self) { try TensorStorage.zeroed(allocating: 1 << 40) }
      #expect(throws: AllocationError.self) { try TensorStorage(reserving: 1 << 40) }
      #expect(throws: AllocationError.self) { try TensorStorage(allocating: 1 << 40, inLargePages: true) }
      #expect(budget.held == 0)
    }
    _ = try TensorStorage(allocating: 2 << 20)
  }

  @Test func `What an operation holds is refunded when it ends`() throws {
    let budget = MemoryBudget(limit: 1000)
    do {
      let allowance = Allowance(memory: budget)
      try allowance.hold(600)
      #expect(throws: AllocationError.self) { try allowance.hold(600) }
      #expect(throws: AllocationError.self) { try allowance.hold(.max) }
      #expect(budget.held == 600)
    }
    #expect(budget.held == 0)
  }

  @Test func `Work ends at the limit or when it is cancelled`() throws {
    let limited = Allowance(workLimit: 10)
    try limited.spend(4)
    try limited.spend(6)
    try limited.check()
    #expect(throws: WorkError.self) { try limited.spend(1) }
    #expect(throws: WorkError.self) { try limited.check() }
    #expect(throws: WorkError.self) { try Allowance(workLimit: 10).spend(.max) }
    let cancellation = Cancellation()
    let allowance = Allowance(cancellation: cancellation)
    try allowance.spend(1)
    cancellation.cancel()
    #expect(throws: CancellationError.self) { try allowance.spend(1) }
    #expect(Allowance.units(operations: 0) == 1)
    #expect(Allowance.units(operations: 25_000) == 3)
    #expect(Allowance.units(operations: .infinity) == .max)
  }
}
