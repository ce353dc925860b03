import CoreML
import CoreVideo
import Foundation
import Testing

/// Samples from providers of the program's own, pictures, and tasks that run at the same time.
struct UpdateTaskSampleTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/updatable")

  private func url(_ name: String) -> URL { Self.fixtures.appendingPathComponent("\(name).mlmodel") }

  private static let colors = ["red", "green", "blue"]

  /// Pictures of one colour, made anew each time that they are asked for.
  private final class Pictures: NSObject, MLBatchProvider {
    private let lock = NSLock()
    private var positions: [Int] = []
    let count: Int

    init(count: Int) { self.count = count }

    /// The samples that were asked for, in order.
    var asked: [Int] { lock.withLock { positions } }

    func features(at index: Int) -> any MLFeatureProvider {
      let turn = lock.withLock {
        positions.append(index)
        return positions.count
      }
      let color = index % 3
      let features: [String: Any] = [
        "x": MLFeatureValue(pixelBuffer: UpdateTaskSampleTests.picture(color, darkness: turn % 60)),
        "label": UpdateTaskSampleTests.colors[color],
      ]
      // The dictionary has values of known kinds only.
      return try! MLDictionaryFeatureProvider(dictionary: features)
    }
  }

  /// 12 x 10 pixels of one colour; `color` is 0 for red, 1 for green, 2 for blue.
  private static func picture(_ color: Int, darkness: Int) -> CVPixelBuffer {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, 12, 10, kCVPixelFormatType_32BGRA, nil, &made)
    let buffer = made!
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    for row in 0..<10 {
      for column in 0..<12 {
        let pixel = unsafe base + row * CVPixelBufferGetBytesPerRow(buffer) + column * 4
        for channel in 0..<3 { unsafe pixel[channel] = channel == 2 - color ? UInt8(230 - darkness) : UInt8((row * column) % 40) }
        unsafe pixel[3] = 255
      }
    }
    return buffer
  }

  private final class End: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var context: MLUpdateContext?

    func tell(_ context: MLUpdateContext) {
      self.context = context
      semaphore.signal()
    }

    func wait() throws -> MLUpdateContext {
      try #require(semaphore.wait(timeout: .now() + 120) == .success)
      return try #require(context)
    }
  }

  @Test func `a classifier of pictures learns from a provider of the program's own`() throws {
    let pictures = Pictures(count: 10)
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 12, .shuffle: true, .seed: 3]
    let end = End()
    try MLUpdateTask(forModelAt: url("pictures"), trainingData: pictures, configuration: configuration) { end.tell($0) }.resume()
    let context = try end.wait()
    #expect(context.task.state == .completed, "\(String(describing: context.task.error))")
    // In each pass every sample is asked for once, in orders that differ.
    let passes = stride(from: 0, to: pictures.asked.count, by: 10).map { Array(pictures.asked[$0..<$0 + 10]) }
    #expect(passes.count == 12 && passes.allSatisfy { $0.sorted() == Array(0..<10) } && Set(passes).count > 6)
    for color in 0..<3 {
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(pixelBuffer: Self.picture(color, darkness: 30))])
      #expect(try context.model.prediction(from: input).featureValue(for: "label")?.stringValue == Self.colors[color])
    }
  }

  // MARK: Several tasks

  private func array(_ values: [Double]) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: [NSNumber(value: values.count)], dataType: .float32)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    return array
  }

  private func features(_ values: [Double]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(multiArray: array(values))])
  }

  private func samples() throws -> MLArrayBatchProvider {
    MLArrayBatchProvider(
      array: try (0..<21).map { index in
        let values = (0..<6).map { $0 % 3 == index % 3 ? 1.0 + Double(index % 5) / 10 : -0.5 }
        return try MLDictionaryFeatureProvider(dictionary: [
          "x": MLFeatureValue(multiArray: array(values)), "label": MLFeatureValue(string: ["ant", "bee", "cat"][index % 3]),
        ])
      })
  }

  /// The weights after a training whose handler also predicts.
  private func trained(_ samples: MLArrayBatchProvider) throws -> [Float] {
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 6, .learningRate: 0.5]
    let end = End()
    // Handlers are called by one thread at a time.
    nonisolated(unsafe) let input = try MLDictionaryFeatureProvider(dictionary: [
      "x": MLFeatureValue(multiArray: array([1, 0, 0, 1, 0, 0]))
    ])
    let handlers = MLUpdateProgressHandlers(
      forEvents: .epochEnd, progressHandler: { _ = try? $0.model.prediction(from: input) }, completionHandler: { end.tell($0) })
    try MLUpdateTask(
      forModelAt: url("dense"), trainingData: samples, configuration: configuration, progressHandlers: handlers
    ).resume()
    let context = try end.wait()
    #expect(context.task.state == .completed, "\(String(describing: context.task.error))")
    let weights = try #require(context.model.parameterValue(for: .weights.scoped(to: "product2")) as? MLMultiArray)
    return MLShapedArray<Float>(weights).scalars
  }

  @Test func `eight tasks give the same weights while a model of the same file predicts`() throws {
    // Any number of threads may predict with a model, and samples are only read.
    nonisolated(unsafe) let (model, samples) = (try MLModel(contentsOf: url("dense")), try samples())
    nonisolated(unsafe) let input = try MLDictionaryFeatureProvider(dictionary: [
      "x": MLFeatureValue(multiArray: array([1, 2, 3, 4, 5, 6]))
    ])
    @Sendable func predicted() throws -> Double? {
      try model.prediction(from: input).featureValue(for: "probabilities")?.dictionaryValue["ant"]?.doubleValue
    }
    let (expected, weights) = (try predicted(), try trained(samples))
    DispatchQueue.concurrentPerform(iterations: 16) { index in
      if index % 2 == 0 {
        #expect((try? self.trained(samples)) == weights)
      } else {
        for _ in 0..<40 { #expect((try? predicted()) == expected) }
      }
    }
    #expect(try predicted() == expected)
  }
}
