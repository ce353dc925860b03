import ExecuTorch
import Testing

/// Modules of clients that stand between the program and the class, as mocks and decorators do.
struct ModuleSubclassTests {
  private final class Counting: Module {
    var calls: [String] = []

    override func load() throws { try note("load") { try super.load() } }
    override func load(with verification: ModuleVerification) throws { try note("load(with:)") { try super.load(with: verification) } }
    override func load(_ method: String) throws { try note("load(_:)") { try super.load(method) } }
    override func isLoaded() -> Bool { note("isLoaded") { super.isLoaded() } }
    override func isLoaded(_ method: String) -> Bool { note("isLoaded(_:)") { super.isLoaded(method) } }
    override func unload(_ method: String) -> Bool { note("unload") { super.unload(method) } }
    override func methodNames() throws -> Set<String> { try note("methodNames") { try super.methodNames() } }
    override func methodMetadata(_ method: String) throws -> MethodMetadata {
      try note("methodMetadata") { try super.methodMetadata(method) }
    }
    override func forward() throws -> [Value] { try note("forward") { try super.forward() } }
    override func execute(_ method: String) throws -> [Value] { try note("execute") { try super.execute(method) } }

    private func note<Result>(_ call: String, _ body: () throws -> Result) rethrows -> Result {
      calls.append(call)
      return try body()
    }
  }

  @Test func `methods of upstream's class can be overridden`() throws {
    let counting = Counting(filePath: Fixture.path("methods.pte"))
    let module: Module = counting
    try module.load()
    try module.load(with: .internalConsistency)
    try module.load("forward")
    #expect(module.isLoaded() && module.isLoaded("forward"))
    #expect(try module.methodNames().contains("rows") && module.methodMetadata("forward").inputValueTags.count == 2)
    try module.setInputs(Tensor<Float>([1, 2, 3]), Tensor<Float>([1, 2, 3]))
    let sum = [Value(Tensor<Float>([2, 4, 6]))]
    let first: [Value] = try module.forward()
    let second: [Value] = try module.execute("forward")
    #expect(first == sum && second == sum && module.unload("forward"))
    // `load()` loads with the least verification, which may be another call that clients see.
    #expect(
      counting.calls.filter { $0 != "load(with:)" } == [
        "load", "load(_:)", "isLoaded", "isLoaded(_:)", "methodNames", "methodMetadata", "forward", "execute", "unload",
      ])
  }
}
