import CoreML
import Testing

/// Loading and compiling models.
struct LoadingTests {
  private func sum(_ model: MLModel) throws -> [Float]? {
    let x = MLShapedArray<Float>(scalars: [1, 2, 3], shape: [1, 3])
    return floats(try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x])), "sum")
  }

  @Test func `every way to load a model`() async throws {
    let url = try Fixture.url("arithmetic.mlpackage")
    #expect(try sum(MLModel(contentsOf: url)) == [2, 4, 6])
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let configured = try MLModel(contentsOf: url, configuration: configuration)
    configuration.computeUnits = .all
    #expect(configured.configuration.computeUnits == .cpuOnly)
    #expect(try sum(try await MLModel.load(contentsOf: url)) == [2, 4, 6])
    #expect(try sum(try await MLModel.load(contentsOf: url, configuration: configuration)) == [2, 4, 6])
    let asset = try MLModelAsset(url: url)
    #expect(try sum(try await MLModel.load(asset: asset, configuration: configuration)) == [2, 4, 6])
    let handled = await withCheckedContinuation { continuation in
      MLModel.load(contentsOf: url) { result in
        nonisolated(unsafe) let result = result
        continuation.resume(returning: (try? result.get()).flatMap { try? sum($0) } ?? [])
      }
    }
    #expect(handled == [2, 4, 6])
    let fromAsset = await withCheckedContinuation { continuation in
      MLModel.load(asset, configuration: configuration) { model, error in
        continuation.resume(returning: error == nil ? model.flatMap { try? sum($0) } ?? [] : [])
      }
    }
    #expect(fromAsset == [2, 4, 6])
    let generated = await withCheckedContinuation { continuation in
      MLModel.__loadContents(of: url, configuration: configuration) { model, error in
        continuation.resume(returning: error == nil ? model.flatMap { try? sum($0) } ?? [] : [])
      }
    }
    #expect(generated == [2, 4, 6])
    let generatedError = await withCheckedContinuation { continuation in
      MLModel.__loadContents(of: URL(fileURLWithPath: "/nowhere"), configuration: configuration) { model, error in
        continuation.resume(returning: model == nil ? (error as? MLModelError)?.code : nil)
      }
    }
    #expect(generatedError == .io)
    let failed = await withCheckedContinuation { continuation in
      MLModel.load(contentsOf: URL(fileURLWithPath: "/nowhere")) { result in
        if case .failure(let error as MLModelError) = result {
          continuation.resume(returning: error.code == .io)
        } else {
          continuation.resume(returning: false)
        }
      }
    }
    #expect(failed)
    #expect(thrown { _ = try configured.parameterValue(for: .weights) }?.code == .parameters)
  }

  @Test func `a compiled model is a folder that may be moved, and the original may go`() throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    defer { try? manager.removeItem(at: folder) }
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    let original = folder.appendingPathComponent("mine.mlpackage")
    try manager.copyItem(at: try Fixture.url("arithmetic.mlpackage"), to: original)
    let compiled = try MLModel.compileModel(at: original)
    defer { try? manager.removeItem(at: compiled.deletingLastPathComponent()) }
    #expect(compiled.lastPathComponent == "mine.mlmodelc" && compiled != original)
    try manager.removeItem(at: original)
    let moved = folder.appendingPathComponent("moved.mlmodelc")
    try manager.moveItem(at: compiled, to: moved)
    #expect(try sum(MLModel(contentsOf: moved)) == [2, 4, 6])
  }

  @Test func `models are compiled in every form`() async throws {
    let url = try Fixture.url("arithmetic.mlpackage")
    let first = try await MLModel.compileModel(at: url)
    let second = await withCheckedContinuation { continuation in
      MLModel.compileModel(at: url) { result in continuation.resume(returning: try? result.get()) }
    }
    #expect(try sum(MLModel(contentsOf: first)) == [2, 4, 6])
    #expect(second != nil && second != first)
    let error = thrown { _ = try MLModel.compileModel(at: URL(fileURLWithPath: "/nowhere/x.mlpackage")) }
    #expect(error?.code == .io)
    for url in [first, second].compactMap({ $0 }) { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
  }

  @Test func `a single file is compiled, too`() throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    defer { try? manager.removeItem(at: folder) }
    let package = try Fixture.url("arithmetic.mlpackage").appendingPathComponent("Data/com.apple.CoreML")
    try manager.copyItem(at: package, to: folder)
    let file = folder.appendingPathComponent("model.mlmodel")
    #expect(try sum(MLModel(contentsOf: file)) == [2, 4, 6])
    let compiled = try MLModel.compileModel(at: file)
    defer { try? manager.removeItem(at: compiled.deletingLastPathComponent()) }
    try manager.removeItem(at: folder)
    #expect(try sum(MLModel(contentsOf: compiled)) == [2, 4, 6])
  }

  @Test func `assets are made of specifications in memory and weights`() async throws {
    let package = try Fixture.url("arithmetic.mlpackage").appendingPathComponent("Data/com.apple.CoreML")
    let specification = try Data(contentsOf: package.appendingPathComponent("model.mlmodel"))
    let weights = try Data(contentsOf: package.appendingPathComponent("weights/weight.bin"))
    for name in ["weights/weight.bin", "@model_path/weights/weight.bin"] {
      let asset = try MLModelAsset(specification: specification, blobMapping: [try #require(URL(string: name)): weights])
      #expect(try sum(try await MLModel.load(asset: asset, configuration: MLModelConfiguration())) == [2, 4, 6])
    }
    #expect(thrown { _ = try MLModelAsset(specification: specification) }?.localizedDescription.contains("weights/weight.bin") == true)
    #expect(thrown { _ = try MLModelAsset(specification: Data("no model".utf8)) }?.code == .io)
    let functions = try Data(contentsOf: try Fixture.url("functions.mlpackage/Data/com.apple.CoreML/model.mlmodel"))
    let asset = try MLModelAsset(specification: functions)
    #expect(try await asset.functionNames == ["first", "second"])
    #expect(try await asset.modelDescription(ofFunctionNamed: "first").inputDescriptionsByName["x"]?.multiArrayConstraint?.shape == [2])
    #expect(try await asset.modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint?.shape == [3])
    await #expect(throws: MLModelError.self) { _ = try await asset.modelDescription(ofFunctionNamed: "third") }
    let names = await withCheckedContinuation { continuation in asset.functionNames { names, _ in continuation.resume(returning: names) } }
    #expect(names == ["first", "second"])
    let inputs = await withCheckedContinuation { continuation in
      asset.modelDescription { description, _ in
        continuation.resume(returning: description.map { Array($0.inputDescriptionsByName.keys) })
      }
    }
    #expect(inputs == ["x"])
    let outputs = await withCheckedContinuation { continuation in
      asset.modelDescription(ofFunctionNamed: "second") { description, _ in
        continuation.resume(returning: description.map { Array($0.outputDescriptionsByName.keys) })
      }
    }
    #expect(outputs == ["y"])
  }

  @Test func `what cannot run is an error that names it`() throws {
    let error = try #require(thrown { _ = try MLModel(contentsOf: try Fixture.url("tagger.mlmodel")) })
    #expect(error.localizedDescription.contains("wordTagger"))
  }
}
