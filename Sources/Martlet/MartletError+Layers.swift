import MartletBytes
import MartletCompiler
import MartletGraph
import MartletImport
import MartletLog
import MartletRuntime
import MartletTensor

extension MartletError {
  /// Logs the error and returns it.
  static func logged(_ error: MartletError, file: String = #fileID, line: UInt = #line) -> MartletError {
    Log.error("\(error)", file: file, line: line)
    return error
  }

  /// Converts an error of a lower layer to the public error.
  /// - Parameters:
  ///   - file: the model's file, for errors that do not name it themselves.
  ///   - method: the method that was loaded or run, likewise.
  package init(_ error: any Error, file: String? = nil, method: String? = nil) {
    switch error {
    case let error as MartletError:
      self = error
      self.file = error.file ?? file
      self.method = error.method ?? method
    case let error as FileError: self.init(error)
    case let error as ImportError: self.init(error)
    case let error as PlanError:
      self.init(Kind(error.kind), error.reason, expected: error.expected, found: error.found)
      place(error.node, file, method)
    case let error as ExecutionError:
      self.init(error.cause is CustomLayerError ? .customLayer : .executionFailed, error.reason)
      place(error.node, file, method)
    case let error as AllocationError:
      self.init(.outOfMemory, "\(error)")
      place(nil, file, method)
    case let error as WorkError:
      self.init(.outOfWork, "the model takes too much work", expected: "at most \(error.limit) units")
      place(nil, file, method)
    default:
      self.init(.executionFailed, "\(error)")
      place(nil, file, method)
    }
  }

  private init(_ error: FileError) {
    self.init(error.isEncrypted ? .encrypted : .invalidFile, error.reason)
    file = error.file
    byteOffset = error.byteOffset
    field = error.field.isEmpty ? nil : error.field
  }

  private init(_ error: ImportError) {
    self.init(error.isOverLimit ? .outOfMemory : .unsupported, error.reason, expected: error.expected, found: error.found)
    file = error.file
    method = error.method
    node = error.location
    `operator` = error.op
  }

  private mutating func place(_ node: NodePlace?, _ file: String?, _ method: String?) {
    self.file = file
    self.method = method
    if let node {
      self.node = node.source.isEmpty ? nil : node.source
      `operator` = node.op.isEmpty ? nil : node.op
    }
  }
}

extension MartletError.Kind {
  fileprivate init(_ kind: PlanError.Kind) {
    self =
      switch kind {
      case .unsupported: .unsupported
      case .invalid: .executionFailed
      case .overBudget: .outOfMemory
      }
  }
}
