import Foundation
import Martlet
import Testing

#if os(Linux)
  import CoreML
#endif

/// The code of the documentation's pages, between the marks, as it stands there.
struct MartletSnippetTests {
  private typealias Tensor = Martlet.Tensor

  /// A program made by `Oracles/make_page_fixtures.py`.
  private static func program(_ name: String) -> URL { Pages.root.appendingPathComponent("Tests/DocumentationTests/Fixtures/\(name).pte") }

  /// A file of another target's tests.
  private static func fixture(_ path: String) -> URL { Pages.root.appendingPathComponent("Tests").appendingPathComponent(path) }

  @Test func `the landing page's example runs`() throws {
    func URL(fileURLWithPath path: String) -> Foundation.URL { Self.program("image") }
    // page: Martlet
    let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"))
    let input = try Tensor([Float](repeating: 0, count: 3 * 224 * 224), shape: [1, 3, 224, 224])
    let outputs = try model.run([.tensor(input)])
    // end
    #expect(outputs.count == 1)
    #expect(try outputs[0].tensor?.scalars() == [0, 0, 0, 0] as [Float])
  }

  @Test func `a forest takes a table`() throws {
    func URL(fileURLWithPath path: String) -> Foundation.URL { Self.fixture("Fixtures/classic/tree-classifier-softmax/model.mlmodel") }
    let rows = try Tensor([Double](repeating: 0.5, count: 15), shape: [3, 5])
    // page: Martlet
    let forest = try Model(contentsOf: URL(fileURLWithPath: "forest.mlmodel"))
    let results = try forest.run(table: ["x": .tensor(rows)])  // rows: [10000, 50]
    // end
    #expect(results["label"]?.rowCount == 3)
  }

  @Test func `models are loaded`() throws {
    func URL(fileURLWithPath path: String) -> Foundation.URL { Self.program("image") }
    // page: GettingStarted
    let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"))
    // end
    // page: GettingStarted
    try model.load()
    // end
    #expect(model.methods.map(\.name) == ["forward"])
  }

  @Test func `options are set`() throws {
    func URL(fileURLWithPath path: String) -> Foundation.URL {
      Self.fixture("ExecuTorchTests/Fixtures/external").appendingPathExtension(path.hasSuffix(".ptd") ? "ptd" : "pte")
    }
    // page: GettingStarted
    var options = ModelOptions()
    options.dataFiles = [URL(fileURLWithPath: "weights.ptd")]
    options.threads = 1
    let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"), options: options)
    // end
    try model.load()
    #expect(try model.run([.tensor(try Tensor([1, 2, 3] as [Float], shape: [1, 3]))]).count == 1)
  }

  @Test func `models are inspected, run and profiled`() throws {
    let model = try Model(contentsOf: Self.program("image"))
    // page: GettingStarted
    for method in model.methods {
      print(method.name)
      for input in method.inputs { print("  takes", input) }
      for output in method.outputs { print("  gives", output) }
    }
    // end
    #expect(model.methods.flatMap(\.inputs).map { "\($0)" } == ["input0: float32[1, 3, 224, 224]"])
    #expect(model.methods.flatMap(\.outputs).map { "\($0)" } == ["output0: float32[1, 4]"])
    // page: GettingStarted
    let pixels = [Float](repeating: 0.5, count: 3 * 224 * 224)
    let image = try Tensor(pixels, shape: [1, 3, 224, 224])

    let outputs = try model.run([.tensor(image)])
    if let scores = outputs[0].tensor {
      let values: [Float] = try scores.scalars()
      print(scores.shape, values.max() ?? 0)
    }
    // end
    let expected: [Float] = [1.5, 6, 10.5, 15]
    #expect(try outputs[0].tensor?.scalars() == expected)
    // page: GettingStarted
    let results = try model.run(["input0": .tensor(image)])
    print(results["output0"]?.tensor?.shape ?? [])
    // end
    #expect(try results["output0"]?.tensor?.scalars() == expected)
    // page: GettingStarted
    let (_, kernels) = try model.profile([.tensor(image)])
    for kernel in kernels.sorted(by: { $0.duration > $1.duration }).prefix(5) {
      print(kernel.label, kernel.duration)
    }
    // end
    #expect(!kernels.isEmpty && kernels.allSatisfy { !$0.label.isEmpty })
  }

  @Test func `models run in tasks`() async throws {
    let model = try Model(contentsOf: Self.program("image"))
    let image = try Tensor([Float](repeating: 0.5, count: 3 * 224 * 224), shape: [1, 3, 224, 224])
    // page: GettingStarted
    let outputs = try await model.run([.tensor(image)])
    // end
    #expect(try outputs[0].tensor?.scalars() == [1.5, 6, 10.5, 15] as [Float])
  }

  @Test func `an operator is registered`() throws {
    func URL(fileURLWithPath path: String) -> Foundation.URL { Self.program("custom") }
    // page: CustomOperators
    let scaleShift = CustomOperator("my::scale_shift.out") { arguments in
      [try arguments.tensor(0)]
    } kernel: { call in
      let x = try call.input(0).elements(as: Float.self)
      let y = try call.output(0).elements(as: Float.self)
      let scale = Float(try call.arguments.double(1))
      let shift = try call.optionalInput(2)?.elements(as: Float.self).first ?? 0
      for index in x.indices { y[index] = scale * x[index] + shift }
    }

    var options = ModelOptions()
    options.customOperators = [scaleShift]
    let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"), options: options)
    // end
    let outputs = try model.run([.tensor(try Tensor([1, 2, 3] as [Float], shape: [3]))])
    #expect(try outputs[0].tensor?.scalars() == [2.5, 4.5, 6.5] as [Float])
  }

  @Test func `a store gives models`() async throws {
    let modelURL = Self.fixture("MartletTests/Fixtures/network.mlpackage")
    let image = try Tensor([Float](repeating: 1, count: 192), shape: [1, 3, 8, 8])
    let caches = FileManager.default.temporaryDirectory.appendingPathComponent("Pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: caches) }
    /// The page's store, with a cache of the test's own.
    func ModelStore() -> Martlet.ModelStore {
      var options = Martlet.ModelStore.Options()
      options.cacheDirectory = caches.appendingPathComponent("first")
      return Martlet.ModelStore(options: options)
    }
    // page: ModelStores
    let store = ModelStore()

    let model = try await store.model(at: modelURL)
    let outputs = try await model.run(["image": .tensor(image)])
    // end
    #expect(outputs["scores"]?.tensor?.shape == [1, 5])
    #expect(try await store.model(at: modelURL) === model)
    #if os(Linux)
      let packageURL = modelURL
      func load() async throws {
        // page: ModelStores
        let compiled = try await store.compiledModel(at: packageURL)
        let model = try MLModel(contentsOf: compiled)
        // end
        #expect(compiled.path.hasPrefix(caches.path))
        #expect(model.modelDescription.inputDescriptionsByName.keys.sorted() == ["image"])
      }
      try await load()
    #endif
  }

  @Test func `a store has a budget`() async throws {
    let detector = Self.fixture("MartletTests/Fixtures/network.mlpackage")
    let classifier = Self.fixture("MartletTests/Fixtures/classifier.mlpackage")
    let caches = FileManager.default.temporaryDirectory.appendingPathComponent("Pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: caches) }
    func URL(fileURLWithPath path: String) -> Foundation.URL { caches }
    // page: ModelStores
    var options = ModelStore.Options()
    options.memoryBudget = 512 << 20
    options.cacheDirectory = URL(fileURLWithPath: "/var/cache/my-service")
    let store = ModelStore(options: options)

    try await store.prewarm([detector, classifier])  // at start, not at the first request
    await store.unload(classifier)
    // end
    #expect(try FileManager.default.contentsOfDirectory(atPath: caches.path).isEmpty == false)
    #expect(try await store.model(at: detector) === store.model(at: detector))
  }

  @Test(arguments: ["Martlet", "GettingStarted", "CustomOperators", "ModelStores"])
  func `the code of a page is the code that is tested`(page: String) throws {
    try Pages.check("Sources/Martlet/Martlet.docc/\(page).md", page: page, testedIn: #filePath)
  }
}
