import Foundation
import Testing

/// The fields of the format's messages of networks, as the definition of the format states them.
struct FormatFields {
  struct Field {
    let type: String
    let name: String
    let number: Int
  }

  /// Fields by message. Names of nested messages have those of the outer ones before them.
  private var messages: [String: [Field]] = [:]

  init() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/MartletCoreMLFile/Specification/Protos/neural_network.proto")
    // Names of messages; empty for enumerations and choices.
    var open: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == ";" }.map(String.init)
      if words.first == "message", words.count > 2 {
        open.append((open + [words[1]]).filter { !$0.isEmpty }.joined(separator: "."))
        if words.last == "{}" { open.removeLast() }
      } else if words.last == "{" {
        open.append("")
      } else if words == ["}"] {
        open.removeLast()
      } else if let equals = words.firstIndex(of: "="), equals >= 2, let number = Int(words[equals + 1]),
        let message = open.last(where: { !$0.isEmpty })
      {
        messages[message, default: []].append(Field(type: words[equals - 2], name: words[equals - 1], number: number))
      }
    }
  }

  func fields(of message: String) -> [Field] { messages[message] ?? [] }

  /// The field numbers that lead from a layer to weights, without those inside nested networks.
  func pathsToWeights() -> [[Int]] { paths(from: "NeuralNetworkLayer", passing: []) }

  private func paths(from message: String, passing: Set<String>) -> [[Int]] {
    if message == "WeightParams" { return [[]] }
    if passing.contains(message) { return [] }
    return fields(of: message).flatMap { field in
      paths(from: field.type, passing: passing.union([message])).map { [field.number] + $0 }
    }
  }
}

/// A serialised field with bytes, text or a message.
func serializedField(_ number: Int, _ content: [UInt8]) -> [UInt8] {
  serializedNumber(number << 3 | 2) + serializedNumber(content.count) + content
}

func serializedNumber(_ value: Int) -> [UInt8] { value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + serializedNumber(value >> 7) }
