import FoundationEssentials
import MartletSystem
import Martlet
import MartletMedia

/// Files with the samples of a training.
struct SampleFiles {
  let data: TrainingData
  private let target: String

  init(path: String, for trainer: Trainer) throws {
    let signature = trainer.sampleSignature
    target = trainer.target
    if try !isExistingFolder(path) {
      data = try trainer.data(table: TableInput(path: path, signature: signature).columns())
    } else if let columns = try Self.arrays(in: path, signature) {
      data = try trainer.data(table: columns)
    } else {
      data = try Self.pictures(in: path, signature, target)
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

  private static func pictures(in folder: String, _ signature: MethodSignature, _ target: String) throws -> TrainingData {
    let inputs = signature.inputs.filter { $0.name != target }
    guard inputs.count == 1, case .image(let image) = inputs[0].kind,
      let label = signature.inputs.first(where: { $0.name == target })
    else {
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
    let samples = pictures
    return TrainingData(count: samples.count) { index in
      [inputs[0].name: .image(try PictureInput(fit: .crop).picture(path: samples[index].path, for: image)), target: samples[index].label]
    }
  }

  /// The share of samples whose label a model predicts; nil if it predicts no label.
  func accuracy(of model: Model) throws -> Double? {
    let outputs = try model.signature().outputs.map(\.name)
    guard outputs.contains(target), data.count > 0 else { return nil }
    var hits = 0
    for index in 0..<data.count {
      var inputs = try data.features(at: index)
      let expected = inputs.removeValue(forKey: target)
      let found = try model.run(inputs)[target]
      if case .string(let a)? = expected, case .string(let b)? = found, a == b { hits += 1 }
      if case .int(let a)? = expected, case .int(let b)? = found, a == b { hits += 1 }
    }
    return Double(hits) / Double(data.count)
  }
}
