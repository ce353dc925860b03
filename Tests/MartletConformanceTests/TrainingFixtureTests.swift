import Foundation
import Martlet
import MartletBytes
import MartletCoreMLFile
import MartletMedia
import MartletTensor
import Testing

/// Trains the networks of `Oracles/make_training_cases.py` and compares losses and weights with PyTorch's.
struct TrainingFixtureTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/training")

  static let names = try! FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()

  private func url(_ name: String, _ file: String) -> URL { Self.folder.appendingPathComponent("\(name)/\(file)") }

  /// The samples of a case, and the loss before every tenth step.
  private func samples(_ name: String, _ trainer: Trainer) throws -> (samples: [[String: ModelValue]], losses: [Double]) {
    let arrays = Dictionary(
      uniqueKeysWithValues: try NumPyArchive.read(path: url(name, "samples.npz").path).map { ($0.name, $0.tensor) })
    let (x, y) = (try #require(arrays["x"]), try #require(arrays["y"]))
    let losses = try NumPyFile.read(path: url(name, "losses.npy").path)
    let (inputs, targets) = (Tensor(x).doubles, Tensor(y).doubles)
    let (size, width) = (inputs.count / x.shape[0], targets.count / x.shape[0])
    let labels = trainer.target == "label" ? ["cat", "owl"] : nil
    let samples = try (0..<x.shape[0]).map { index in
      let values = inputs[index * size..<(index + 1) * size].map { Float($0) }
      let target = Array(targets[index * width..<(index + 1) * width])
      let expected: ModelValue =
        if let labels {
          .string(labels[Int(target[0])])
        } else if y.dtype == .int32 {
          .tensor(try Tensor([Int32(target[0])], shape: [1]))
        } else {
          .tensor(try Tensor(target.map { Float($0) }, shape: Array(y.shape.dropFirst())))
        }
      return ["x": .tensor(try Tensor(values, shape: Array(x.shape.dropFirst()))), trainer.target: expected]
    }
    return (samples, Tensor(losses).doubles)
  }

  /// The largest difference, relative to values above 1.
  private func difference(_ a: [Double], _ b: [Double]) -> Double {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).map { abs($0 - $1) / max(1, abs($1)) }.max() ?? 0
  }

  /// The weights of each layer of a network.
  private func weights(_ url: URL) throws -> [(layer: String, values: [Double])] {
    guard case .network(let network) = try CoreMLModel(contentsOfPath: url.path).content else { return [] }
    return network.layers.flatMap { layer in
      layer.operation.weights.map { weights in
        (layer.name, unsafe weights.data.array.withUnsafeBytes { unsafe $0.bindMemory(to: Float.self).map { Double($0) } })
      }
    }
  }

  @Test(arguments: names) func `100 mini-batches give PyTorch's losses and weights`(_ name: String) throws {
    let trainer = try Trainer(contentsOf: url(name, "model.mlmodel"))
    let (samples, expected) = try samples(name, trainer)
    var losses: [Double] = []
    try trainer.train(on: TrainingData(samples)) { event in
      if event.kind == .miniBatchEnd { losses.append(event.loss ?? .nan) }
    }
    #expect(losses.count >= 100)
    let some = stride(from: 0, to: losses.count, by: 10).map { losses[$0] }
    #expect(difference(some, expected) < 1e-4, "losses \(some), not \(expected)")
    let written = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mlmodel")
    defer { try? FileManager.default.removeItem(at: written) }
    try trainer.write(to: written)
    let (found, wanted, old) = (try weights(written), try weights(url(name, "expected.mlmodel")), try weights(url(name, "model.mlmodel")))
    #expect(found.count == wanted.count && !found.isEmpty)
    for (a, b) in zip(found, wanted) { #expect(difference(a.values, b.values) < 1e-4, "\(a.layer)") }
    #expect(zip(wanted, old).contains { difference($0.values, $1.values) > 1e-3 }, "nothing was learnt")
  }
}
