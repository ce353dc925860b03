import FoundationEssentials
import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletImport
import MartletTensor

extension ModelInspection.Method {
  init(_ function: FunctionDescription, of model: CoreMLModel) {
    signature = MethodSignature(function, of: model)
    var counts: [String: Int] = [:]
    model.program(for: function)?.block.visit { operation in
      if operation.type != "const" { counts[operation.type, default: 0] += 1 }
    }
    operators = ModelInspection.OperatorCount.sorted(counts)
    delegates = []
    states = function.states.map { feature in
      guard case .state(let array) = feature.type else { return ModelInspection.Data(name: feature.name, type: nil, byteCount: 0) }
      let width =
        switch array.dataType {
        case .float64: 8
        case .float32, .int32: 4
        case .float16: 2
        case .int8: 1
        }
      // A size that overflows is reported as 0.
      let byteCount = (Extent.product(array.shape.map { max($0, 0) }) * width).value ?? 0
      return ModelInspection.Data(name: feature.name, type: "\(array.dataType)\(array.shape)", byteCount: byteCount)
    }
    stateWriters = states.map { _ in nil }
    weights = []
    constants = nil
    plannedByteCount = 0
  }
}

/// Constants of programs and weights of networks: count and size, with each stored piece counted once.
struct CoreMLConstants {
  private(set) var count = 0
  private(set) var byteCount = 0
  private var seen: Set<MILTensor.Source> = []

  mutating func add(_ model: CoreMLModel) {
    switch model.content {
    case .program(let program): add(program)
    case .pipeline(let stages): for stage in stages { add(stage.model) }
    case .network(let network):
      network.visit { layer in
        for weights in layer.operation.weights {
          count += 1
          // In range: each byte of the file is counted once.
          byteCount += weights.data.count
        }
      }
    case .classic: break
    }
  }

  private mutating func add(_ program: MILProgram) {
    for function in program.functions {
      function.block.visit { operation in
        for value in operation.attributes.values { add(value) }
        for argument in operation.inputs.values {
          for case .value(let value) in argument.bindings { add(value) }
        }
      }
    }
  }

  private mutating func add(_ value: MILValue) {
    guard let tensor = value.tensor, let source = tensor.source, seen.insert(source).inserted else { return }
    count += 1
    // In range: each byte of the file is counted once.
    byteCount += tensor.data.count
  }
}

extension MILBlock {
  /// Calls `body` with every operation, including those of nested blocks.
  func visit(_ body: (MILOperation) -> Void) {
    for operation in operations {
      body(operation)
      for block in operation.blocks { block.visit(body) }
    }
  }
}

extension ModelInspection {
  /// Size in bytes of a file, or of all files in a folder.
  static func storedByteCount(_ url: URL) -> Int {
    func size(_ path: String) -> Int {
      ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? any BinaryInteger).flatMap { Int(exactly: $0) } ?? 0
    }
    guard let items = try? FileManager.default.subpathsOfDirectory(atPath: url.path) else { return size(url.path) }
    var total = 0
    for item in items {
      let path = url.appendingPathComponent(item).path
      // In range: sizes of files on a disk.
      if (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeRegular { total += size(path) }
    }
    return total == 0 ? size(url.path) : total
  }
}
