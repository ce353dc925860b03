import MartletBytes
import MartletTensor

/// Converts the protobuf form of a program, and checks all of it. Nesting is bounded by the decoder's limit for nested messages.
struct MILSpecificationReader {
  let path: String
  let weights: WeightFolder

  private func error(_ field: String, _ reason: String) -> FileError {
    FileError(file: path, field: field, reason: reason)
  }

  func program(_ source: MILSpecProgram) throws(FileError) -> MILProgram {
    var functions: [MILFunction] = []
    for (name, function) in source.functions.sortedByKey {
      functions.append(
        try locating("functions[\(name)]") { () throws(FileError) in try self.function(function, name: name) })
    }
    guard !functions.isEmpty else { throw error("functions", "the program has no function") }
    return MILProgram(version: source.version, functions: functions, attributes: try attributes(source.attributes))
  }

  private func function(_ source: MILSpecFunction, name: String) throws(FileError) -> MILFunction {
    guard let block = source.blockSpecializations[source.opset] else {
      throw error("block_specializations", "there is no block for the operator set '\(source.opset)'")
    }
    var function = MILFunction(
      name: name,
      inputs: try namedTypes(source.inputs, field: "inputs"),
      opset: source.opset,
      block: try locating("block") { () throws(FileError) in try self.block(block) },
      attributes: try attributes(source.attributes))
    try locating("block") { () throws(FileError) in try MILNameCheck.check(function, path: path) }
    function.block.numberOperations()
    return function
  }

  private func block(_ source: MILSpecBlock) throws(FileError) -> MILBlock {
    var operations: [MILOperation] = []
    operations.reserveCapacity(source.operations.count)
    for (index, operation) in source.operations.enumerated() {
      do {
        operations.append(try self.operation(operation))
      } catch {
        throw error.nested(in: "operations[\(index)] (\(operation.type))")
      }
    }
    return MILBlock(
      inputs: try namedTypes(source.inputs, field: "inputs"), operations: operations, outputs: source.outputs,
      attributes: try attributes(source.attributes))
  }

  private func operation(_ source: MILSpecOperation) throws(FileError) -> MILOperation {
    guard !source.type.isEmpty else { throw error("type", "the operation has no type") }
    var inputs: [String: MILArgument] = [:]
    for (parameter, argument) in source.inputs {
      do {
        inputs[parameter] = try self.argument(argument)
      } catch {
        throw error.nested(in: "inputs[\(parameter)]")
      }
    }
    var blocks: [MILBlock] = []
    for (index, nested) in source.blocks.enumerated() {
      do {
        blocks.append(try block(nested))
      } catch {
        throw error.nested(in: "blocks[\(index)]")
      }
    }
    return MILOperation(
      type: source.type, inputs: inputs, outputs: try namedTypes(source.outputs, field: "outputs"), blocks: blocks,
      attributes: try attributes(source.attributes))
  }

  private func argument(_ source: MILSpecArgument) throws(FileError) -> MILArgument {
    var bindings: [MILBinding] = []
    bindings.reserveCapacity(source.arguments.count)
    for (index, binding) in source.arguments.enumerated() {
      switch binding.binding {
      case .name(let name): bindings.append(.name(name))
      case .value(let value):
        do {
          bindings.append(.value(try self.value(value)))
        } catch {
          throw error.nested(in: "[\(index)]")
        }
      case nil: throw error("[\(index)]", "the binding is neither a name nor a value")
      }
    }
    return MILArgument(bindings)
  }

  private func attributes(_ source: [String: MILSpecValue]) throws(FileError) -> [String: MILValue] {
    var values: [String: MILValue] = [:]
    for (name, value) in source {
      do {
        values[name] = try self.value(value)
      } catch {
        throw error.nested(in: "attributes[\(name)]")
      }
    }
    return values
  }
}

// MARK: types

extension MILSpecificationReader {
  private func namedTypes(_ source: [MILSpecNamedValueType], field: String) throws(FileError) -> [MILNamedType] {
    var types: [MILNamedType] = []
    types.reserveCapacity(source.count)
    for (index, named) in source.enumerated() {
      do {
        types.append(MILNamedType(name: named.name, type: try type(named.type)))
      } catch {
        throw error.nested(in: "\(field)[\(index)] (\(named.name))")
      }
    }
    return types
  }

  private func type(_ source: MILSpecValueType) throws(FileError) -> MILType {
    switch source.type {
    case .tensorType(let tensor): return .tensor(try tensorType(tensor))
    case .listType(let list): return .list(element: try type(list.type), length: try dimension(list.length))
    case .tupleType(let tuple):
      var types: [MILType] = []
      for element in tuple.types { types.append(try type(element)) }
      return .tuple(types)
    case .dictionaryType(let dictionary):
      return .dictionary(key: try type(dictionary.keyType), value: try type(dictionary.valueType))
    case .stateType(let state): return .state(try type(state.wrappedType))
    case nil: throw error("type", "the type is missing")
    }
  }

  private func tensorType(_ source: MILSpecTensorType) throws(FileError) -> MILTensorType {
    let dataType = try dataType(source.dataType)
    if source.rank < 0 {
      guard source.dimensions.isEmpty else {
        throw error("type", "the rank is unknown but \(source.dimensions.count) dimensions are given")
      }
      return MILTensorType(dataType, nil)
    }
    guard source.rank == source.dimensions.count else {
      throw error("type", "the rank is \(source.rank) but \(source.dimensions.count) dimensions are given")
    }
    var dimensions: [MILDimension] = []
    dimensions.reserveCapacity(source.dimensions.count)
    for item in source.dimensions { dimensions.append(try dimension(item)) }
    return MILTensorType(dataType, dimensions)
  }

  private func dimension(_ source: MILSpecDimension) throws(FileError) -> MILDimension {
    switch source.dimension {
    case .constant(let constant):
      guard let extent = Int(exactly: constant.size) else { throw error("type", "an extent of \(constant.size) is too large") }
      return .constant(extent)
    case .unknown(let unknown): return .unknown(variadic: unknown.variadic)
    case nil: throw error("type", "a dimension is neither constant nor unknown")
    }
  }

  private func dataType(_ source: MILSpecDataType) throws(FileError) -> MILDataType {
    switch source {
    case .bool: return .bool
    case .string: return .string
    case .float8E4M3Fn: return .float8E4M3FN
    case .float8E5M2: return .float8E5M2
    case .float16: return .float16
    case .float32: return .float32
    case .float64: return .float64
    case .bfloat16: return .bfloat16
    case .int8: return .int8
    case .int16: return .int16
    case .int32: return .int32
    case .int64: return .int64
    case .int4: return .int4
    case .uint8: return .uint8
    case .uint16: return .uint16
    case .uint32: return .uint32
    case .uint64: return .uint64
    case .uint4: return .uint4
    case .uint2: return .uint2
    case .uint1: return .uint1
    case .uint6: return .uint6
    case .uint3: return .uint3
    case .unusedType: throw error("type.dataType", "the element type is missing")
    case .UNRECOGNIZED(let number): throw error("type.dataType", "\(number) is not a known element type")
    }
  }
}

// MARK: values

extension MILSpecificationReader {
  private func value(_ source: MILSpecValue) throws(FileError) -> MILValue {
    let type = try type(source.type)
    switch source.value {
    case .blobFileValue(let blob):
      guard case .tensor(let tensor) = type else { throw error("blobFileValue", "a value in a weight file cannot have the type \(type)") }
      return .tensor(
        try locating("blobFileValue") { () throws(FileError) in
          try weights.tensor(tensor, fileName: blob.fileName, recordOffset: blob.offset)
        })
    case .immediateValue(let immediate):
      switch (immediate.value, type) {
      case (.tensor(let value), .tensor(let type)): return .tensor(try tensor(value, type))
      case (.list(let value), .list(let element, let length)):
        if let extent = length.extent, extent != value.values.count {
          throw error("list", "there are \(value.values.count) values, but the type has \(extent)")
        }
        return .list(try values(value.values), element: element)
      case (.tuple(let value), .tuple(let types)):
        guard types.count == value.values.count else {
          throw error("tuple", "there are \(value.values.count) values, but the type has \(types.count)")
        }
        return .tuple(try values(value.values))
      case (.dictionary(let value), .dictionary):
        var pairs: [(key: MILValue, value: MILValue)] = []
        for pair in value.values { pairs.append((try self.value(pair.key), try self.value(pair.value))) }
        return .dictionary(pairs)
      case (nil, _): throw error("immediateValue", "the value is missing")
      default: throw error("immediateValue", "the value does not have its type, \(type)")
      }
    case nil: throw error("", "the value is missing")
    }
  }

  private func values(_ source: [MILSpecValue]) throws(FileError) -> [MILValue] {
    var values: [MILValue] = []
    values.reserveCapacity(source.count)
    for (index, item) in source.enumerated() {
      do { values.append(try value(item)) } catch { throw error.nested(in: "[\(index)]") }
    }
    return values
  }

  private func tensor(_ source: MILSpecTensorValue, _ type: MILTensorType) throws(FileError) -> MILTensor {
    let builder = MILTensorBuilder(type: type, path: path)
    switch (source.value, type.dataType) {
    case (.strings(let list), .string): return try builder.strings(list.values)
    case (.bools(let list), .bool): return try builder.elements(list.values.map { $0 ? 1 : 0 as UInt8 })
    case (.floats(let list), .float32): return try builder.elements(list.values.map(\.bitPattern))
    case (.doubles(let list), .float64): return try builder.elements(list.values.map(\.bitPattern))
    case (.longInts(let list), .int64), (.longInts(let list), .uint64): return try builder.elements(list.values)
    case (.ints(let list), .int32), (.ints(let list), .uint32): return try builder.elements(list.values)
    case (.ints(let list), let type) where type.isInteger:
      return try builder.integers(list.values.map { Int64(widening: $0) })
    case (.bytes(let list), let type) where type != .string: return try builder.bytes([UInt8](list.values))
    // The list may be missing for values without elements.
    case (nil, _): return try type.dataType == .string ? builder.strings([]) : builder.bytes([])
    default: throw error("tensor", "the values do not match the type \(type)")
    }
  }
}
