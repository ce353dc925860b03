import FoundationEssentials
import Martlet
import MartletBytes
import MartletPixels
import MartletVision

/// The observations in one picture as a table or JSON.
struct ObservationReport {
  let path: String
  let observations: [Observation]
  let mapping: PictureMapping
  /// Number of classes, and of numbers of an array, to show.
  let top: Int
  /// The file with the drawn observations.
  let drawn: String?

  /// A box in pixels of the upright picture from the upper left: x, y, width, height.
  private func pixels(_ box: NormalizedBox) -> [Double] {
    let box = mapping.pictureBox(of: box)
    let (width, height) = (Double(mapping.uprightWidth), Double(mapping.uprightHeight))
    // In range: floating-point numbers.
    return [box.x * width, (1 - box.y - box.height) * height, box.width * width, box.height * height]
  }

  // MARK: Text

  var text: String {
    var classes = 0
    let rows = observations.compactMap { observation -> [String]? in
      switch observation {
      case .object(let object):
        return [
          Formatting.fixed(Double(object.confidence), 3), object.classes.first?.identifier ?? "",
          pixels(object.box).map { Formatting.fixed($0, 1) }.joined(separator: ", "),
        ]
      case .classification(let found):
        classes += 1
        return classes <= top ? [Formatting.fixed(Double(found.confidence), 3), found.identifier] : nil
      case .picture(let name, let picture): return [name, "image of \(picture.width) × \(picture.height)"]
      case .value(let name, let value): return [name, describe(value)]
      }
    }
    let name = URL(fileURLWithPath: path).lastPathComponent
    let lines = rows.isEmpty ? ["  nothing found"] : Formatting.table(rows, [.left, .left, .left], indentation: "  ")
    return ([name] + lines + (drawn.map { ["  drawn into \($0)"] } ?? [])).joined(separator: "\n")
  }

  private func describe(_ value: ModelValue) -> String {
    guard case .tensor(let tensor) = value else { return value.kind }
    let numbers = tensor.doubles.prefix(top).map { Formatting.fixed($0, 4) }
    return "\(value.kind) " + numbers.joined(separator: ", ") + (tensor.elementCount > top ? ", …" : "")
  }

  // MARK: JSON

  var json: JSONValue {
    .members([
      "file": .string(path), "width": .integer(mapping.uprightWidth), "height": .integer(mapping.uprightHeight),
      "observations": .array(observations.map(json)), "drawn": .optional(drawn),
    ])
  }

  private func json(_ observation: Observation) -> JSONValue {
    switch observation {
    case .object(let object):
      .members([
        "kind": .string("object"), "confidence": .finite(Double(object.confidence)), "labels": .array(object.classes.map(json)),
        "box": .array(pixels(object.box).map { .finite($0) }),
      ])
    case .classification(let found):
      .members([
        "kind": .string("classification"), "label": .string(found.identifier), "confidence": .finite(Double(found.confidence)),
      ])
    case .picture(let name, let picture):
      .members([
        "kind": .string("picture"), "name": .string(name), "width": .integer(picture.width), "height": .integer(picture.height),
      ])
    case .value(let name, .tensor(let tensor)):
      .members([
        "kind": .string("value"), "name": .string(name), "shape": .integers(tensor.shape),
        "numbers": .array(tensor.doubles.prefix(top).map { .finite($0) }),
      ])
    case .value(let name, let value):
      .members(["kind": .string("value"), "name": .string(name), "value": .string(value.kind)])
    }
  }

  private func json(_ found: RankedClass) -> JSONValue {
    .members(["label": .string(found.identifier), "confidence": .finite(Double(found.confidence))])
  }
}
