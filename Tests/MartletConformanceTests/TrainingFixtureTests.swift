import Foundation
import Martlet
import MartletMedia
import MartletTensor
import Testing

/// Trains the networks of `Oracles/make_training_cases.py` and compares losses and weights with PyTorch's.
struct TrainingFixtureTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/training")

  static let names = try! FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()

  private func array(_ name: String, _ file: String) throws -> HostTensor {
    try NumPyFile.read(path: Self.folder.appendingPathComponent("\(name)/\(file).npy").path)
  }

  /// The samples of a case.
  private func samples(_ name: String, _ trainer: Trainer) throws -> [[String: ModelValue]] {
    let (x, y) = (try array(name, "x"), try array(name, "y"))
    let (inputs, targets) = (Tensor(x).doubles, Tensor(y).doubles)
    let (size, width) = (inputs.count / x.shape[0], targets.count / x.shape[0])
    let labels = trainer.target == "label" ? ["cat", "dog", "owl"] : nil
    return try (0..<x.shape[0]).map { index in
      let values = inputs[index * size..<(index + 1) * size].map { Float($0) }
      let target = Array(targets[index * width..<(index + 1) * width])
      let expected: ModelValue =
        if let labels {
          .string(labels[Int(target[0])])
        } else if y.dtype == .int64 {
          .tensor(try Tensor([Int32(target[0])], shape: [1]))
        } else {
          .tensor(try Tensor(target.map { Float($0) }, shape: [width]))
        }
      return ["x": .tensor(try Tensor(values, shape: Array(x.shape.dropFirst()))), trainer.target: expected]
    }
  }

  /// The largest difference, relative to values above 1.
  private func difference(_ a: [Double], _ b: [Double]) -> Double {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).map { abs($0 - $1) / max(1, abs($1)) }.max() ?? 0
  }

  @Test(arguments: names) func `100 mini-batches give PyTorch's losses and weights`(_ name: String) throws {
    let url = Self.folder.appendingPathComponent("\(name)/model.mlmodel")
    let trainer = try Trainer(contentsOf: url)
    var losses: [Double] = []
    try trainer.train(on: TrainingData(try samples(name, trainer))) { event in
      if event.kind == .miniBatchEnd { losses.append(event.loss ?? .nan) }
    }
    let expected = Tensor(try array(name, "losses")).doubles
    #expect(difference(losses, expected) < 1e-4, "losses \(losses.prefix(3)) … \(losses.suffix(2)), not \(expected.prefix(3)) …")
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder.appendingPathComponent(name).path) {
      let parts = file.split(separator: ".").map(String.init)
      guard parts.count == 3, ["weights", "biases"].contains(parts[1]) else { continue }
      let found = parts[1] == "weights" ? try trainer.weights(ofLayer: parts[0]) : try trainer.biases(ofLayer: parts[0])
      let wanted = try array(name, "\(parts[0]).\(parts[1])")
      #expect(found.shape == wanted.shape)
      #expect(difference(found.doubles, Tensor(wanted).doubles) < 1e-4, "\(file)")
    }
  }
}
