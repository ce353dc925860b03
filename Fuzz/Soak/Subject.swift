import Foundation
import Martlet
import MartletCLI

/// A model file with inputs and the outputs of an undisturbed run.
struct Subject: Sendable {
  let path: String
  let inputs: [ModelValue]
  /// nil if the outputs differ from run to run.
  let expected: [[UInt8]]?
  /// Durations of loading the model, including its first run, and of a later run, in nanoseconds.
  let loadDuration: UInt64
  let runDuration: UInt64

  init(path: String) throws {
    self.path = path
    var start = DispatchTime.now().uptimeNanoseconds
    let model = try Model(contentsOf: URL(fileURLWithPath: path))
    guard let method = model.methods.first(where: { $0.name == model.defaultMethod }) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    let generated = GeneratedInput(seed: 1, memoryLimit: 4 << 30)
    inputs = try method.inputs.map { try generated.random($0, shape: nil) }
    let first = Self.bytes(of: try model.run(inputs))
    loadDuration = DispatchTime.now().uptimeNanoseconds - start
    start = DispatchTime.now().uptimeNanoseconds
    let second = Self.bytes(of: try model.run(inputs))
    runDuration = DispatchTime.now().uptimeNanoseconds - start
    expected = first == second ? first : nil
  }

  static func bytes(of outputs: [ModelValue]) -> [[UInt8]] {
    outputs.map { output in
      switch output {
      case .tensor(let tensor): unsafe tensor.withUnsafeBytes { unsafe Array($0) }
      // A dictionary's order differs from run to run.
      case .dictionary(.byString(let numbers)): Array("\(numbers.sorted { $0.key < $1.key })".utf8)
      case .dictionary(.byInteger(let numbers)): Array("\(numbers.sorted { $0.key < $1.key })".utf8)
      case .int, .double, .bool, .string, .image, .sequence, .none: Array("\(output)".utf8)
      }
    }
  }

  func isExpected(_ outputs: [ModelValue]) -> Bool { expected.map { $0 == Self.bytes(of: outputs) } ?? true }
}
