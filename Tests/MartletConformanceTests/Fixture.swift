import Foundation
import MartletConformance
import MartletMedia
import MartletTensor

/// A folder for one test's files, removed with the object.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-cases-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Makes a case folder; `json` is the text of its `case.json`.
  @discardableResult
  func addCase(_ name: String, _ json: String, tensors: [String: HostTensor] = [:], files: [String] = []) throws -> String {
    let folder = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileContents.write(Array(json.utf8), path: "\(folder)/case.json")
    for (file, tensor) in tensors { try NumPyFile.write(tensor, path: "\(folder)/\(file)") }
    for file in files { try FileContents.write([], path: "\(folder)/\(file)") }
    return folder
  }
}

func tensor<Element>(_ dtype: DType, _ shape: [Int], _ elements: [Element]) -> HostTensor {
  let bytes = unsafe elements.withUnsafeBytes { unsafe [UInt8]($0) }
  return HostTensor(dtype: dtype, shape: shape, bytes: bytes)!
}

func floats(_ elements: [Float], shape: [Int]? = nil) -> HostTensor {
  tensor(.float32, shape ?? [elements.count], elements)
}

struct TestError: Error, CustomStringConvertible {
  var description: String
}

/// A model that is a closure over its call count.
final class ClosureModel: CaseModel, @unchecked Sendable {
  // One case runs on one task; nothing else sees the count.
  private var callCount = 0
  private let body: (Int, String?, [CaseValue]) throws -> [CaseValue]

  init(_ body: @escaping (Int, String?, [CaseValue]) throws -> [CaseValue]) {
    self.body = body
  }

  func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue] {
    defer { callCount += 1 }
    return try body(callCount, method, inputs)
  }
}

struct NamedModel: CaseModel {
  var outputs: [String: CaseValue]

  func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue] {
    throw TestError(description: "runs by name only")
  }

  func run(method: String?, inputs: [NamedCaseValue], outputs names: [String]) throws -> [String: CaseValue] {
    outputs
  }
}
