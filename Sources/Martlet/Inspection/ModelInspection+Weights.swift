import MartletBytes
import MartletExecuTorchFile
import MartletTensor

extension ModelInspection.Weights {
  /// - Parameters:
  ///   - tables: by address, the constants of which a call reads some rows.
  ///   - namedData: looks up named data in the program or in a data file.
  static func of(_ plan: ExecutionPlan, tables: [UInt: GraphUses.Table], namedData: (String) -> ByteView?) -> [Self] {
    var sum = WeightSum()
    for value in plan.values {
      guard case .tensor(let tensor) = value else { continue }
      func table(_ bytes: ByteView?) -> GraphUses.Table? { bytes.flatMap { $0.isEmpty ? nil : tables[$0.address] } }
      switch tensor.data {
      case .constant(let bytes):
        let table = table(bytes)
        sum.add(Piece(bytes), table?.elements ?? "\(tensor.layout.scalarType)", isTable: table != nil)
      case .external(let name, _):
        let table = table(namedData(name))
        sum.add(named: name, tensor.layout.byteCount ?? 0, table?.elements ?? "\(tensor.layout.scalarType)", isTable: table != nil)
      case .mutableInitialized, .planned, .callerProvided: continue
      }
    }
    for delegate in plan.delegates where delegate.id == "XnnpackBackend" {
      // A payload that cannot be read is reported with the delegates.
      guard let graph = try? XNNPACKGraph(delegate.payload, namedData: namedData) else { continue }
      for value in graph.values {
        guard let data = value.data else { continue }
        sum.add(Piece(data), value.elementName, isTable: false)
        if let scales = value.quantization?.scales { sum.add(Piece(scales.data), value.elementName, isTable: false, isPart: true) }
      }
    }
    return sum.result
  }
}

/// Adds up constants, each once.
private struct WeightSum {
  private struct Key: Hashable {
    let type: String
    let isTable: Bool
  }

  private var seen: Set<Piece> = []
  private var names: Set<String> = []
  private var sums: [Key: (count: Int, byteCount: Extent)] = [:]

  /// - Parameter isPart: true for scales, which belong to another constant.
  mutating func add(_ piece: Piece, _ type: String, isTable: Bool, isPart: Bool = false) {
    guard piece.byteCount > 0, seen.insert(piece).inserted else { return }
    add(piece.byteCount, Key(type: type, isTable: isTable), isPart: isPart)
  }

  mutating func add(named name: String, _ byteCount: Int, _ type: String, isTable: Bool) {
    guard names.insert(name).inserted else { return }
    add(byteCount, Key(type: type, isTable: isTable), isPart: false)
  }

  private mutating func add(_ byteCount: Int, _ key: Key, isPart: Bool) {
    let sum = sums[key] ?? (0, Extent(0))
    sums[key] = (sum.count + (isPart ? 0 : 1), sum.byteCount + byteCount)
  }

  var result: [ModelInspection.Weights] {
    sums.map { ModelInspection.Weights(type: $0.type, isTable: $0.isTable, count: $1.count, byteCount: $1.byteCount.clamped) }
      .sorted { ($1.byteCount, $0.type) < ($0.byteCount, $1.type) }
  }
}

extension ExecutionPlan {
  /// The results of a method that has no inputs and runs nothing.
  var constants: [String]? {
    guard inputs.isEmpty, chains.allSatisfy(\.instructions.isEmpty) else { return nil }
    var texts: [String] = []
    for output in outputs {
      switch values[output] {
      case .int(let value): texts.append("\(value)")
      case .double(let value): texts.append("\(value)")
      case .bool(let value): texts.append("\(value)")
      case .string(let value): texts.append("\"\(value)\"")
      default: return nil
      }
    }
    return texts
  }
}

extension XNNPACKValue {
  /// The type of the stored elements, with the extent of a group.
  fileprivate var elementName: String {
    let name =
      switch dataType {
      case .qcint4, .qbint4: "int4"
      case .qint8, .qcint8, .qdint8, .qpint8: "int8"
      case .quint8: "uint8"
      case .qint32, .qcint32, .int32: "int32"
      case .float32, .pfloat32: "float32"
      case .float16: "float16"
      case .bfloat16: "bfloat16"
      }
    if case .blockwise(_, let size, _) = quantization { return "\(name), groups of \(size)" }
    return name
  }
}

extension XNNPACKValue.Quantization {
  fileprivate var scales: XNNPACKValue.Scales? {
    switch self {
    case .perChannel(_, let scales), .blockwise(_, _, let scales): scales
    case .perTensor, .perTokenDynamic: nil
    }
  }
}
