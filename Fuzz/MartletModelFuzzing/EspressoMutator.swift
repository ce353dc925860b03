import Foundation
import MartletFuzzing

/// Mutates the files of networks in the form of Apple's compiler: fields of layers and shapes, and the table of sections of weights.
enum EspressoMutator {
  /// - Parameter text: `model.espresso.net` or `model.espresso.shape`.
  static func mutate(text: [UInt8], seed: UInt64) -> [UInt8] {
    var random = FuzzRandom(seed: seed)
    guard !random.one(in: 10), var root = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
      var mutator = TextMutator(text, isBinaryAfterFirstLine: false, random: random)
      return mutator.mutated()
    }
    for _ in 0...random.below(random.one(in: 3) ? 8 : 2) {
      if var layers = root["layers"] as? [[String: Any]], !layers.isEmpty, !random.one(in: 12) {
        change(&layers, &random)
        root["layers"] = layers
      } else if var shapes = root["layer_shapes"] as? [String: Any], let name = pick(shapes, &random) {
        var shape = shapes[name] as? [String: Any] ?? [:]
        changeField(&shape, &random, others: [shape])
        shapes[name] = shape
        root["layer_shapes"] = shapes
      } else {
        changeField(&root, &random, others: [root])
      }
    }
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 256)
    write(root, to: &result)
    return result
  }

  /// Appends a value as JSON text. `JSONSerialization` takes a sixth of the time of all mutants of these networks.
  private static func write(_ value: Any, to text: inout [UInt8]) {
    switch value {
    case let string as String: write(string, to: &text)
    // The cast alone also accepts the numbers 0 and 1.
    case let flag as Bool where type(of: value) == Bool.self: text += (flag ? "true" : "false").utf8
    case let number as NSNumber: text += number.stringValue.utf8
    case let fields as [String: Any]:
      text.append(UInt8(ascii: "{"))
      for (position, name) in fields.keys.sorted().enumerated() {
        if position > 0 { text.append(UInt8(ascii: ",")) }
        write(name, to: &text)
        text.append(UInt8(ascii: ":"))
        write(fields[name] ?? NSNull(), to: &text)
      }
      text.append(UInt8(ascii: "}"))
    case let elements as [Any]:
      text.append(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        if position > 0 { text.append(UInt8(ascii: ",")) }
        write(element, to: &text)
      }
      text.append(UInt8(ascii: "]"))
    default: text += "null".utf8
    }
  }

  private static func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<32: text += ((byte < 16 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func pick(_ fields: [String: Any], _ random: inout FuzzRandom) -> String? {
    fields.isEmpty ? nil : random.pick(fields.keys.sorted())
  }

  private static func change(_ layers: inout [[String: Any]], _ random: inout FuzzRandom) {
    let position = random.below(layers.count)
    switch random.below(12) {
    case 0: layers.remove(at: position)
    case 1: layers.insert(layers[position], at: random.below(layers.count))
    case 2: layers.swapAt(position, random.below(layers.count))
    // The fields of one type with the name of another.
    case 3: layers[position]["type"] = random.pick(layers)["type"]
    case 4: layers[position]["bottom"] = random.pick(layers)[random.one(in: 2) ? "top" : "bottom"]
    case 5:
      let names = layers.compactMap { $0["top"] as? String }
      layers[position]["bottom"] = (0...random.below(4)).map { _ in names.isEmpty ? "" : random.pick(names) }.joined(separator: ",")
    case 6: layers[position]["top"] = random.pick(layers)[random.one(in: 2) ? "top" : "bottom"]
    default: changeField(&layers[position], &random, others: layers)
    }
  }

  private static func changeField(_ fields: inout [String: Any], _ random: inout FuzzRandom, others: [[String: Any]]) {
    guard let field = pick(fields, &random) else { return }
    switch random.below(10) {
    case 0: fields[field] = nil
    case 1: fields[field] = random.one(in: 2)
    case 2: fields[field] = ["", "x", "NaN", "0", ",", "\u{0}"][random.below(6)]
    case 3: fields[field] = [[1, 2] as [Any], [String: Any](), NSNull()][random.below(3)]
    case 4:
      // A field of another layer.
      let other = random.pick(others)
      if let name = pick(other, &random) { fields[name] = other[name] }
    case 5:
      let number = random.hostileDouble()
      fields[field] = NSNumber(value: number.isFinite ? number : 1e308)
    case 6, 7: fields[field] = NSNumber(value: random.below(12) - 1)
    default: fields[field] = NSNumber(value: random.hostileInteger())
    }
  }

  /// - Parameter weights: `model.espresso.weights`.
  static func mutate(weights: [UInt8], seed: UInt64) -> [UInt8] {
    var random = FuzzRandom(seed: seed)
    var bytes = weights
    for _ in 0...random.below(4) {
      guard bytes.count >= 8 else { return bytes }
      let count = bytes[0..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      let entries = Int(clamping: min(count, UInt64(bytes.count / 16)))
      let place: Int
      switch random.below(8) {
      case 0: place = 0
      case 1:
        bytes.removeLast(random.below(bytes.count))
        continue
      case 2: place = random.below(bytes.count)
      default: place = 8 + 8 * random.below(max(2 * entries, 1))
      }
      let value = random.one(in: 3) ? UInt64(random.below(80)) : UInt64(bitPattern: random.hostileInteger())
      for index in 0..<8 where place + index < bytes.count { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    return bytes
  }
}
