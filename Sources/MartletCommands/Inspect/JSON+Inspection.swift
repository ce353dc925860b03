import FoundationEssentials
import Martlet
import MartletBytes

extension ModelInspection {
  /// Sizes are in bytes.
  var json: JSONValue {
    .members([
      "file": .string(url.path), "kind": .string("\(kind)"), "schemaVersion": .integer(schemaVersion),
      "byteCount": .integer(byteCount),
      "constants": .members(["count": .integer(constantCount), "byteCount": .integer(constantByteCount)]),
      "stateByteCount": .integer(stateByteCount),
      "methods": .array(methods.map(\.json)),
      "externalData": .array(externalData.map(\.json)), "namedData": .array(namedData.map(\.json)),
      "testSuites": .array(
        testSuites.map { .members(["method": .string($0.method), "caseCount": .integer($0.caseCount)]) }),
      "model": component?.json ?? .null,
    ])
  }
}

extension ModelInspection.Component {
  fileprivate var json: JSONValue {
    .members([
      "name": .string(name), "kind": .string(kind), "sizes": .object(sizes.map { .init($0.name, .integer($0.count)) }),
      "stages": .array(stages.map(\.json)), "network": network?.json ?? .null,
      "refusal": .optional(refusal), "reference": .optional(reference),
    ])
  }
}

extension ModelInspection.Data {
  fileprivate var json: JSONValue {
    .members(["name": .optional(name), "type": .optional(type), "byteCount": .integer(byteCount)])
  }

  /// - Parameter writer: the operator that writes a state.
  fileprivate func json(writer: String?) -> JSONValue {
    .members(["name": .optional(name), "type": .optional(type), "byteCount": .integer(byteCount), "writer": .optional(writer)])
  }
}

extension ModelInspection.OperatorCount {
  fileprivate var json: JSONValue { .members(["name": .string(name), "count": .integer(count)]) }
}

extension ModelInspection.Method {
  fileprivate var json: JSONValue {
    .members([
      "name": .string(signature.name), "inputs": .array(signature.inputs.map(\.json)),
      "outputs": .array(signature.outputs.map(\.json)), "operators": .array(operators.map(\.json)),
      "delegates": .array(
        delegates.map { delegate in
          .members([
            "id": .string(delegate.id), "byteCount": .integer(delegate.byteCount), "callCount": .integer(delegate.callCount),
            "operators": delegate.operators.map { .array($0.map(\.json)) } ?? .null, "problem": .optional(delegate.problem),
          ])
        }),
      "states": .array(zip(states, stateWriters).map { $0.json(writer: $1) }), "plannedByteCount": .integer(plannedByteCount),
      "weights": .array(
        weights.map {
          .members([
            "type": .string($0.type), "count": .integer($0.count), "byteCount": .integer($0.byteCount), "isTable": .boolean($0.isTable),
          ])
        }),
      "constants": constants.map { .array($0.map { .string($0) }) } ?? .null,
      "labels": signature.classLabels.map { .array($0.texts.map { .string($0) }) } ?? .null,
    ])
  }
}

extension ValueSignature {
  /// A dynamic extent is an object with its bound, or null where there is none. Flexible shapes have their default and their choices.
  var json: JSONValue {
    var members: [JSONValue.Member] = [.init("name", .string(name))]
    switch kind {
    case .tensor(let dataType, let shape, let isDynamic):
      let extents = zip(shape, isDynamic).map { extent, isDynamic in
        isDynamic ? JSONValue.members(["maximum": extent < 0 ? .null : .integer(extent)]) : .integer(extent)
      }
      members += [
        .init("kind", .string("tensor")), .init("dataType", .string(dataType.rawValue)), .init("shape", .array(extents)),
      ]
    case .image(let image):
      members += [
        .init("kind", .string("image")), .init("width", .integer(image.width)), .init("height", .integer(image.height)),
        .init("color", .string(image.isGray ? "gray" : "rgb")),
      ]
    case .dictionary(let keys): members += [.init("kind", .string("dictionary")), .init("keys", .string(keys.rawValue))]
    case .sequence(let element): members += [.init("kind", .string("sequence")), .init("elements", .string(element.rawValue))]
    case .unsupported(let type): members += [.init("kind", .string("unsupported")), .init("type", .string(type))]
    case .int, .double, .bool, .string, .none: members.append(.init("kind", .string("\(kind)")))
    }
    if isOptional { members.append(.init("isOptional", .boolean(true))) }
    if let flexibleShapes { members += flexibleShapes.jsonMembers }
    return .object(members)
  }
}

extension FlexibleShapes {
  fileprivate var jsonMembers: [JSONValue.Member] {
    let choices: JSONValue.Member =
      switch self.choices {
      case .enumerated(let shapes): .init("enumeratedShapes", .array(shapes.map { .integers($0) }))
      case .ranges(let ranges):
        .init(
          "extentRanges",
          .array(
            ranges.map { range in
              .members(["minimum": .integer(range.lowerBound), "maximum": range.upperBound == .max ? .null : .integer(range.upperBound)])
            }))
      }
    return [.init("defaultShape", .integers(defaultShape)), choices]
  }
}

extension GraphDescription {
  /// Values are referenced by their positions in `values`.
  var json: JSONValue {
    .members([
      "name": .string(name), "inputs": .integers(inputs), "outputs": .integers(outputs),
      "states": .array(states.map { .members(["name": .string($0.name), "type": .string($0.value)]) }),
      "values": .array(values.map(\.json)),
      "nodes": .array(
        nodes.map { node in
          .members([
            "operator": .string(node.name),
            "attributes": .object(node.attributes.map { JSONValue.Member($0.name, .string($0.value)) }),
            "inputs": .array(node.inputs.map { $0.map { .integer($0) } ?? .null }), "outputs": .integers(node.outputs),
            "regions": .array(node.regions.map(\.json)), "source": .string(node.source),
          ])
        }),
    ])
  }
}

extension GraphDescription.Value {
  fileprivate var json: JSONValue {
    let (origin, literal): (String, String?) =
      switch self.origin {
      case .input: ("input", nil)
      case .constant: ("constant", nil)
      case .literal(let text): ("literal", text)
      case .node: ("node", nil)
      case .none: ("none", nil)
      }
    var members: [JSONValue.Member] = [.init("type", .string(type)), .init("origin", .string(origin))]
    if let literal { members.append(.init("literal", .string(literal))) }
    if let name { members.append(.init("name", .string(name))) }
    return .object(members)
  }
}
