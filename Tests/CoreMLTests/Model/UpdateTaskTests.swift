import CoreML
import Foundation
import Testing

/// Updatable models, made by `Oracles/make_training_cases.py`.
struct UpdateTaskTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/updatable")

  private func url(_ name: String) -> URL { Self.fixtures.appendingPathComponent("\(name).mlmodel") }

  /// Collects what handlers are told, from other threads.
  private final class Record: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    private var kept: [MLUpdateContext] = []
    private let end = DispatchSemaphore(value: 0)

    func add(_ line: String, keeping context: MLUpdateContext? = nil) {
      lock.lock()
      defer { lock.unlock() }
      lines.append(line)
      if let context { kept.append(context) }
    }

    var all: [String] { lock.withLock { lines } }
    var contexts: [MLUpdateContext] { lock.withLock { kept } }

    func finish(_ context: MLUpdateContext) {
      add("end", keeping: context)
      end.signal()
    }

    /// The context of the end.
    func wait() throws -> MLUpdateContext {
      try #require(end.wait(timeout: .now() + 60) == .success)
      return try #require(contexts.last)
    }
  }

  private func array(_ values: [Double]) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: [NSNumber(value: values.count)], dataType: .float32)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    return array
  }

  private func numbers(_ value: Any) throws -> [Double] {
    let array = try #require(value as? MLMultiArray)
    return (0..<array.count).map { array[$0].doubleValue }
  }

  /// Samples of three classes, which a network can tell apart.
  private func samples(_ count: Int, input: String = "x") throws -> MLArrayBatchProvider {
    let classes = ["ant", "bee", "cat"]
    return MLArrayBatchProvider(
      array: try (0..<count).map { index in
        let values = (0..<6).map { $0 % 3 == index % 3 ? 1.0 + Double(index % 5) / 10 : -0.5 }
        return try MLDictionaryFeatureProvider(dictionary: [
          input: MLFeatureValue(multiArray: array(values)), "label": MLFeatureValue(string: classes[index % 3]),
        ])
      })
  }

  private func label(_ model: MLModel, _ values: [Double], input: String = "x") throws -> String? {
    try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [input: MLFeatureValue(multiArray: array(values))]))
      .featureValue(for: "label")?.stringValue
  }

  private func temporary(_ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).appendingPathComponent(name)
  }

  // MARK: Networks

  @Test func `events come in order with their metrics, and the model learns`() throws {
    let record = Record()
    let handlers = MLUpdateProgressHandlers(
      forEvents: [.trainingBegin, .miniBatchEnd, .epochEnd],
      progressHandler: { context in
        let epoch = context.metrics[.epochIndex] as? Int ?? -1
        switch context.event {
        case .trainingBegin: record.add("begin")
        case .miniBatchEnd: record.add("batch \(epoch) \(context.metrics[.miniBatchIndex] as? Int ?? -1)", keeping: context)
        case .epochEnd: record.add("epoch \(epoch)")
        default: record.add("?")
        }
      }, completionHandler: { record.finish($0) })
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 2, .miniBatchSize: 16, .learningRate: 0.5]
    let task = try MLUpdateTask(
      forModelAt: url("dense"), trainingData: samples(30), configuration: configuration, progressHandlers: handlers)
    #expect(task.state == .suspended && task.error == nil && !task.taskIdentifier.isEmpty)
    task.resume()
    let end = try record.wait()
    #expect(record.all == ["begin", "batch 0 0", "batch 0 1", "epoch 0", "batch 1 0", "batch 1 1", "epoch 1", "end"])
    #expect(task.state == .completed && task.error == nil && end.event == [] && end.task === task)
    #expect(end.parameters[.epochs] as? Int == 2 && end.parameters[.learningRate] as? Double == 0.5)
    let losses = record.contexts.compactMap { $0.metrics[.lossValue] as? Double }
    #expect(losses.count == 5 && losses[3] < losses[0])

    // Contexts that were kept have the weights of their moment.
    let key = MLParameterKey.weights.scoped(to: "product0")
    let weights = try record.contexts.map { try numbers($0.model.parameterValue(for: key)) }
    #expect(weights[0] != weights[1] && weights[3] == weights[4])
    let original = try MLModel(contentsOf: url("dense"))
    #expect(try numbers(original.parameterValue(for: key)) != weights[4])
    #expect(try numbers(original.parameterValue(for: .biases.scoped(to: "product0"))).count == 10)
  }

  @Test func `a trained model predicts, is written, loads, and trains on`() throws {
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 20, .learningRate: 0.5]
    let record = Record()
    try MLUpdateTask(forModelAt: url("dense"), trainingData: samples(30), configuration: configuration) { record.finish($0) }.resume()
    let end = try record.wait()
    let sample = (0..<6).map { $0 % 3 == 1 ? 1.2 : -0.5 }
    #expect(try label(end.model, sample) == "bee")
    let folder = temporary("trained.mlmodelc")
    try end.model.write(to: folder)
    // What is there is replaced.
    try end.model.write(to: folder)
    let written = try MLModel(contentsOf: folder)
    #expect(try label(written, sample) == "bee")
    #expect(written.modelDescription.isUpdatable && written.modelDescription.classLabels as? [String] == ["ant", "bee", "cat"])
    for layer in ["product0", "product2"] {
      let key = MLParameterKey.weights.scoped(to: layer)
      #expect(try numbers(written.parameterValue(for: key)) == numbers(end.model.parameterValue(for: key)))
    }
    let next = Record()
    try MLUpdateTask(forModelAt: folder, trainingData: samples(30), configuration: configuration) { next.finish($0) }.resume()
    let later = try next.wait()
    let (before, after) = (end.metrics[.lossValue] as? Double ?? 0, later.metrics[.lossValue] as? Double ?? 0)
    #expect(after < before)
    try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  @Test func `parameters have descriptions, and values outside of them are refused`() throws {
    let description = try MLModel(contentsOf: url("dense")).modelDescription
    let parameters = description.parameterDescriptionsByKey
    #expect(parameters[.miniBatchSize]?.defaultValue as? Int == 8)
    #expect(parameters[.miniBatchSize]?.numericConstraint?.enumeratedNumbers == [8, 16])
    #expect(parameters[.learningRate]?.numericConstraint?.maxNumber == 1 && parameters[.shuffle]?.defaultValue as? Bool == false)
    #expect(Set(description.trainingInputDescriptionsByName.keys) == ["x", "label"])
    #expect(try MLModel(contentsOf: url("dense")).parameterValue(for: .learningRate) as? Double == 0.05)
    for (key, value) in [
      (MLParameterKey.learningRate, 2.0 as Any), (.miniBatchSize, 9), (.epochs, 0), (.epochs, "many"), (.beta1, 0.5),
      (.numberOfNeighbors, 1), (.learningRate.scoped(to: "elsewhere"), 0.1), (.shuffle, 3.5),
    ] {
      let configuration = MLModelConfiguration()
      configuration.parameters = [key: value]
      #expect("\(key) \(value)") {
        _ = try MLUpdateTask(forModelAt: url("dense"), trainingData: samples(3), configuration: configuration) { _ in }
      } throws: { ($0 as? MLModelError)?.code == .parameters }
    }
  }

  @Test func `descriptions of parameters come back equal from an archive, and say what is allowed`() throws {
    func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
      let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }
    let description = try MLModel(contentsOf: url("dense")).modelDescription
    let copy = try archived(description)
    #expect(copy.isUpdatable && copy.parameterDescriptionsByKey == description.parameterDescriptionsByKey)
    #expect(copy.trainingInputDescriptionsByName == description.trainingInputDescriptionsByName)
    #expect(copy.parameterDescriptionsByKey.count == 6 && Set(copy.parameterDescriptionsByKey.values).count == 6)
    for (key, parameter) in copy.parameterDescriptionsByKey {
      #expect(try parameter.key == key && archived(parameter) == parameter)
      if let constraint = parameter.numericConstraint { #expect(try archived(constraint) == constraint) }
    }
    #expect(copy.parameterDescriptionsByKey[.shuffle]?.defaultValue as? Bool == false)
    #expect(copy.parameterDescriptionsByKey[.miniBatchSize]?.description == "miniBatchSize: 8, one of 8, 16")
    #expect(copy.parameterDescriptionsByKey[.learningRate]?.numericConstraint?.description == "0...1")
  }

  @Test func `states and events have Apple's numbers`() {
    let states: [MLTaskState] = [.suspended, .running, .cancelling, .completed, .failed]
    #expect(states.map(\.rawValue) == [1, 2, 3, 4, 5])
    let events: [MLUpdateProgressEvent] = [.trainingBegin, .epochEnd, .miniBatchEnd, []]
    #expect(events.map(\.rawValue) == [1, 2, 4, 0])
    #expect(MLUpdateProgressEvent([.trainingBegin, .miniBatchEnd]).rawValue == 5)
  }

  @Test func `a handler changes parameters`() throws {
    let record = Record()
    let handlers = MLUpdateProgressHandlers(
      forEvents: .epochEnd,
      progressHandler: { context in
        record.add("\(context.parameters[.learningRate] as? Double ?? 0)")
        context.task.resume(withParameters: [.learningRate: 0.25, .epochs: 3])
      }, completionHandler: { record.finish($0) })
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 100]
    let task = try MLUpdateTask(
      forModelAt: url("dense"), trainingData: samples(8), configuration: configuration, progressHandlers: handlers)
    task.resume()
    _ = try record.wait()
    #expect(record.all == ["0.05", "0.25", "0.25", "end"] && task.state == .completed)

    let refused = Record()
    let other = MLUpdateProgressHandlers(
      forEvents: .epochEnd, progressHandler: { $0.task.resume(withParameters: [.learningRate: 7]) },
      completionHandler: { refused.finish($0) })
    let failing = try MLUpdateTask(forModelAt: url("dense"), trainingData: samples(8), progressHandlers: other)
    failing.resume()
    _ = try refused.wait()
    #expect(failing.state == .failed && (failing.error as? MLModelError)?.code == .parameters)
  }

  @Test func `a task is cancelled, while it runs and before`() throws {
    let record = Record()
    let handlers = MLUpdateProgressHandlers(
      forEvents: .miniBatchEnd, progressHandler: { $0.task.cancel() }, completionHandler: { record.finish($0) })
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 1000]
    let task = try MLUpdateTask(
      forModelAt: url("dense"), trainingData: samples(30), configuration: configuration, progressHandlers: handlers)
    task.resume()
    _ = try record.wait()
    #expect(task.state == .failed && (task.error as? MLModelError)?.code == .update)

    let early = Record()
    let other = try MLUpdateTask(forModelAt: url("dense"), trainingData: samples(3)) { early.finish($0) }
    other.cancel()
    _ = try early.wait()
    #expect(other.state == .failed && other.error != nil)
    other.resume()
    #expect(other.state == .failed)
  }

  @Test func `samples that do not fit fail with the feature's name`() throws {
    let good = try array([1, 2, 3, 4, 5, 6])
    for (features, name) in [
      (["x": MLFeatureValue(multiArray: good)], "label"), (["label": MLFeatureValue(string: "ant")], "x"),
      (["x": MLFeatureValue(multiArray: try array([1, 2])), "label": MLFeatureValue(string: "ant")], "x"),
      (["x": MLFeatureValue(multiArray: good), "label": MLFeatureValue(int64: 1)], "label"),
      (["x": MLFeatureValue(multiArray: good), "label": MLFeatureValue(string: "dog")], "label"),
    ] {
      let record = Record()
      let batch = MLArrayBatchProvider(array: [try MLDictionaryFeatureProvider(dictionary: features)])
      let task = try MLUpdateTask(forModelAt: url("dense"), trainingData: batch) { record.finish($0) }
      task.resume()
      _ = try record.wait()
      let error = try #require(task.error as? MLModelError)
      #expect(task.state == .failed && error.code == .update && error.localizedDescription.contains("'\(name)'"), "\(error)")
    }
  }

  @Test func `models that break a rule are refused`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path).filter { $0.hasPrefix("broken-") }
    #expect(names.count == 15)
    for name in names {
      // The format allows weights in half precision, which this engine does not train.
      let code: MLModelError.Code = name == "broken-half.mlmodel" ? .update : .io
      #expect("\(name)") {
        _ = try MLUpdateTask(forModelAt: Self.fixtures.appendingPathComponent(name), trainingData: samples(3)) { _ in }
      } throws: { ($0 as? MLModelError)?.code == code }
    }
    #expect { _ = try MLUpdateTask(forModelAt: URL(fileURLWithPath: "/nowhere.mlmodel"), trainingData: samples(3)) { _ in } } throws: {
      ($0 as? MLModelError)?.code == .io
    }
  }

  @Test func `a model predicts while a task trains`() throws {
    // Any number of threads may predict with a model.
    nonisolated(unsafe) let model = try MLModel(contentsOf: url("dense"))
    let sample = (0..<6).map { $0 % 3 == 1 ? 1.2 : -0.5 }
    let expected = try label(model, sample)
    let record = Record()
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 50, .learningRate: 0.5]
    try MLUpdateTask(forModelAt: url("dense"), trainingData: samples(30), configuration: configuration) { record.finish($0) }.resume()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20 {
        let found = try? self.label(model, sample)
        #expect(found == expected)
      }
    }
    _ = try record.wait()
    #expect(try label(model, sample) == expected)
  }

  // MARK: Neighbours and pipelines

  private func points(_ rows: [([Double], String)]) throws -> MLArrayBatchProvider {
    MLArrayBatchProvider(
      array: try rows.map { row, label in
        try MLDictionaryFeatureProvider(dictionary: [
          "x": MLFeatureValue(multiArray: array(row)), "label": MLFeatureValue(string: label),
        ])
      })
  }

  @Test(arguments: ["neighbors", "neighbors-empty", "neighbors-pipeline"])
  func `nearest neighbours take samples`(_ name: String) throws {
    // The pipeline's first model doubles the numbers.
    let scale = name == "neighbors-pipeline" ? 0.5 : 1
    let place = [4.4 * scale, 4.4 * scale]
    let record = Record()
    let rows = [[4.0, 4], [4, 5], [5, 4]].map { ($0.map { $0 * scale }, "middle") }
    try MLUpdateTask(forModelAt: url(name), trainingData: points(rows)) { record.finish($0) }.resume()
    let end = try record.wait()
    #expect(end.task.state == .completed, "\(String(describing: end.task.error))")
    #expect(try label(MLModel(contentsOf: url(name)), place) != "middle")
    #expect(try label(end.model, place) == "middle")
    let folder = temporary("neighbors.mlmodelc")
    try end.model.write(to: folder)
    #expect(try label(MLModel(contentsOf: folder), place) == "middle")
    let next = Record()
    try MLUpdateTask(forModelAt: folder, trainingData: points([([20, 20], "new"), ([20, 21], "new")])) { next.finish($0) }.resume()
    let later = try next.wait()
    #expect(try label(later.model, [20, 20]) == "new" && label(later.model, place) == "middle")
    try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  @Test func `the number of neighbours is a parameter`() throws {
    let model = try MLModel(contentsOf: url("neighbors"))
    let description = try #require(model.modelDescription.parameterDescriptionsByKey[.numberOfNeighbors])
    #expect(description.defaultValue as? Int == 3 && description.numericConstraint?.minNumber == 1)
    #expect(description.numericConstraint?.maxNumber == 5 && description.numericConstraint?.enumeratedNumbers == nil)
    #expect(try model.parameterValue(for: .numberOfNeighbors) as? Int == 3)
    let configuration = MLModelConfiguration()
    configuration.parameters = [.numberOfNeighbors: 1]
    let one = try MLModel(contentsOf: url("neighbors"), configuration: configuration)
    #expect(try one.parameterValue(for: .numberOfNeighbors) as? Int == 1)
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(multiArray: array([0, 0.2]))])
    let (near, all) = (try one.prediction(from: input), try model.prediction(from: input))
    #expect(near.featureValue(for: "probabilities")?.dictionaryValue["near"]?.doubleValue == 1)
    #expect(all.featureValue(for: "probabilities")?.dictionaryValue["near"]?.doubleValue != 1)
    configuration.parameters = [.numberOfNeighbors: 6]
    #expect { _ = try MLModel(contentsOf: url("neighbors"), configuration: configuration) } throws: {
      ($0 as? MLModelError)?.code == .parameters
    }
  }

  @Test func `keys have the scopes of pipelines, and others are refused`() throws {
    let count = MLParameterKey.numberOfNeighbors
    let neighbors = url("neighbors-pipeline")
    for key in [count, count.scoped(to: "neighbors")] {
      let configuration = MLModelConfiguration()
      configuration.parameters = [key: 1]
      let model = try MLModel(contentsOf: neighbors, configuration: configuration)
      for other in [count, count.scoped(to: "neighbors")] { #expect(try model.parameterValue(for: other) as? Int == 1) }
      let record = Record()
      try MLUpdateTask(forModelAt: neighbors, trainingData: points([([0, 0], "near")]), configuration: configuration) {
        record.finish($0)
      }.resume()
      let end = try record.wait()
      #expect(try end.model.parameterValue(for: count.scoped(to: "neighbors")) as? Int == 1)
      #expect(throws: MLModelError.self) { try end.model.parameterValue(for: count.scoped(to: "embedding")) }
    }
    let weights = MLParameterKey.weights
    let dense = try MLModel(contentsOf: url("dense-pipeline"))
    let whole = try numbers(dense.parameterValue(for: weights.scoped(to: "dense").scoped(to: "product0")))
    #expect(try numbers(dense.parameterValue(for: weights.scoped(to: "product0"))) == whole && whole.count == 60)
    // Both models have a layer of this name.
    #expect(try numbers(dense.parameterValue(for: weights.scoped(to: "first.product0"))) != whole)
    #expect(weights.scoped(to: "dense").scoped(to: "product0").description == "dense.product0.weights")
    #expect(try dense.parameterValue(for: .learningRate.scoped(to: "dense")) as? Double == 0.05)
    for (name, key, value) in [
      ("neighbors-pipeline", count.scoped(to: "embedding"), 1), ("neighbors-pipeline", count.scoped(to: "model1"), 1),
      ("neighbors-pipeline", .learningRate, 0.1), ("neighbors", count.scoped(to: "model0"), 1), ("dense", .learningRate, 2.0),
      ("dense-pipeline", .learningRate.scoped(to: "other"), 0.1), ("dense-pipeline", .weights.scoped(to: "dense.product0"), 1),
    ] as [(String, MLParameterKey, Any)] {
      let configuration = MLModelConfiguration()
      configuration.parameters = [key: value]
      #expect("\(name) \(key)") {
        _ = try MLModel(contentsOf: url(name), configuration: configuration)
      } throws: { ($0 as? MLModelError)?.code == .parameters }
    }
    for key in [count.scoped(to: "model0"), weights, weights.scoped(to: "dense"), weights.scoped(to: "first.product2"), .beta1] {
      #expect("\(key)") { _ = try dense.parameterValue(for: key) } throws: { ($0 as? MLModelError)?.code == .parameters }
    }
  }

  @Test func `a network trains at the end of a pipeline`() throws {
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 20, .learningRate.scoped(to: "dense"): 0.5]
    let record = Record()
    try MLUpdateTask(
      forModelAt: url("dense-pipeline"), trainingData: samples(30, input: "start"), configuration: configuration
    ) { record.finish($0) }.resume()
    let end = try record.wait()
    #expect(end.task.state == .completed, "\(String(describing: end.task.error))")
    let sample = (0..<6).map { $0 % 3 == 2 ? 1.2 : -0.5 }
    #expect(try label(end.model, sample, input: "start") == "cat")
    let folder = temporary("pipeline.mlmodelc")
    try end.model.write(to: folder)
    #expect(try label(MLModel(contentsOf: folder), sample, input: "start") == "cat")
    try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  @Test func `a written model takes the place of an older one`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func make(_ name: String, _ content: String) throws -> URL {
      let item = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: item, withIntermediateDirectories: true)
      try Data(content.utf8).write(to: item.appendingPathComponent("model.mil"))
      return item
    }
    let old = try make("old.mlmodelc", "old"), new = try make("new.mlmodelc", "new")
    let replaced = try FileManager.default.replaceItemAt(old, withItemAt: new)
    #expect(replaced?.path == old.path)
    #expect(try Data(contentsOf: old.appendingPathComponent("model.mil")) == Data("new".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old.mlmodelc"])
    // What is not there leaves the old item in its place.
    #expect(throws: (any Error).self) { _ = try FileManager.default.replaceItemAt(old, withItemAt: new) }
    #expect(try Data(contentsOf: old.appendingPathComponent("model.mil")) == Data("new".utf8))
    // A file, and an item that is not there yet.
    let file = folder.appendingPathComponent("file"), newer = folder.appendingPathComponent("newer")
    try Data("1".utf8).write(to: newer)
    _ = try FileManager.default.replaceItemAt(file, withItemAt: newer)
    try Data("2".utf8).write(to: newer)
    _ = try FileManager.default.replaceItemAt(file, withItemAt: newer)
    #expect(try Data(contentsOf: file) == Data("2".utf8))
  }

  @Test func `there are no model collections`() async throws {
    await #expect { _ = try await MLModelCollection.endAccessing(identifier: "all") } throws: {
      ($0 as? MLModelError)?.code == .modelCollection
    }
    let result = await withCheckedContinuation { continuation in
      let progress = MLModelCollection.beginAccessing(identifier: "all") { result in
        continuation.resume(returning: (result.failureCode))
      }
      #expect(progress.totalUnitCount == 1)
    }
    #expect(result == .modelCollection)
    let end = await withCheckedContinuation { continuation in
      MLModelCollection.endAccessing(identifier: "all") { isDone, error in
        continuation.resume(returning: isDone ? nil : (error as? MLModelError)?.code)
      }
    }
    #expect(end == .modelCollection)
    let other = await withCheckedContinuation { continuation in
      MLModelCollection.endAccessing(identifier: "all") { result in
        switch result {
        case .success(): continuation.resume(returning: MLModelError.Code?.none)
        case .failure(let error): continuation.resume(returning: (error as? MLModelError)?.code)
        }
      }
    }
    #expect(other == .modelCollection)
    #expect(MLModelCollection.didChangeNotification.rawValue == "MLModelCollectionDidChangeNotification")
  }
}

extension Result where Success == MLModelCollection, Failure == any Error {
  fileprivate var failureCode: MLModelError.Code? {
    if case .failure(let error) = self { (error as? MLModelError)?.code } else { nil }
  }
}
