import Foundation
import Martlet
import MartletMedia

/// Files with the samples of a training.
struct SampleFiles {
  private enum Content {
    case table([String: ModelColumn])
    /// Pictures with their labels, and the picture input.
    case pictures([(path: String, label: ModelValue)], input: ValueSignature)
  }

  let count: Int
  private let content: Content
  private let signature: MethodSignature
  private let target: String

  /// - Parameters:
  ///   - signature: the features of a sample as inputs.
  ///   - target: the name of the expected value.
  init(path: String, signature: MethodSignature, target: String) throws {
    self.signature = signature
    self.target = target
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure("there is no file \(path)")
    }
    if !isFolder.boolValue {
      content = .table(try TableInput(path: path, signature: signature).columns())
    } else if let columns = try Self.arrays(in: path, signature) {
      content = .table(columns)
    } else {
      content = try Self.pictures(in: path, signature, target)
    }
    switch content {
    case .table(let columns):
      let counts = Set(columns.values.map { $0.rowCount ?? 0 })
      guard counts.count == 1, let only = counts.first else {
        throw CommandFailure("\(path): the features have different numbers of samples")
      }
      count = only
    case .pictures(let pictures, _): count = pictures.count
    }
  }

  /// The arrays `NAME.npy` of a folder; nil if there are none.
  private static func arrays(in folder: String, _ signature: MethodSignature) throws -> [String: ModelColumn]? {
    var columns: [String: ModelColumn] = [:]
    for input in signature.inputs {
      let path = folder + "/" + input.name + ".npy"
      if FileManager.default.fileExists(atPath: path) { columns[input.name] = .tensor(Tensor(try NumPyFile.read(path: path))) }
    }
    return columns.isEmpty ? nil : columns
  }

  private static func pictures(in folder: String, _ signature: MethodSignature, _ target: String) throws -> Content {
    let inputs = signature.inputs.filter { $0.name != target }
    guard inputs.count == 1, case .image = inputs[0].kind, let label = signature.inputs.first(where: { $0.name == target }) else {
      throw CommandFailure("\(folder) has no .npy files, and the model does not take a picture and a label")
    }
    var pictures: [(path: String, label: ModelValue)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where !name.hasPrefix(".") {
      let own = folder + "/" + name
      let value: ModelValue
      if case .string = label.kind {
        value = .string(name)
      } else {
        guard let number = Int(name, radix: 10) else { throw CommandFailure("\(own): the model's labels are integers") }
        value = .int(number)
      }
      for file in try FileManager.default.contentsOfDirectory(atPath: own).sorted()
      where [".jpg", ".jpeg", ".png", ".ppm"].contains(where: file.lowercased().hasSuffix) {
        pictures.append((own + "/" + file, value))
      }
    }
    guard !pictures.isEmpty else { throw CommandFailure("\(folder) has no pictures in folders named by labels") }
    return .pictures(pictures, input: inputs[0])
  }

  /// The samples for a trainer.
  func data(for trainer: Trainer) throws -> TrainingData {
    switch content {
    case .table(let columns): try trainer.data(table: columns)
    case .pictures(let pictures, let input):
      TrainingData(count: pictures.count) { index in
        [input.name: try Self.picture(pictures[index].path, input), target: pictures[index].label]
      }
    }
  }

  private static func picture(_ path: String, _ input: ValueSignature) throws -> ModelValue {
    guard case .image(let image) = input.kind else { throw CommandFailure("\(input) does not take a picture") }
    return .image(try PictureInput(fit: .crop).picture(path: path, for: image))
  }

  /// The share of samples whose label a model predicts; nil if it predicts no label.
  func accuracy(of model: Model) throws -> Double? {
    let outputs = try model.signature().outputs.map(\.name)
    guard outputs.contains(target), count > 0 else { return nil }
    let data = try samples()
    var hits = 0
    for index in 0..<count {
      var inputs = try data(index)
      let expected = inputs.removeValue(forKey: target)
      let found = try model.run(inputs)[target]
      if case .string(let a)? = expected, case .string(let b)? = found, a == b { hits += 1 }
      if case .int(let a)? = expected, case .int(let b)? = found, a == b { hits += 1 }
    }
    return Double(hits) / Double(count)
  }

  private func samples() throws -> (Int) throws -> [String: ModelValue] {
    switch content {
    case .table(let columns):
      return { row in
        var values: [String: ModelValue] = [:]
        for input in signature.inputs { values[input.name] = try columns[input.name]?.value(row, for: input) }
        return values
      }
    case .pictures(let pictures, let input):
      return { [input.name: try Self.picture(pictures[$0].path, input), target: pictures[$0].label] }
    }
  }
}
