import Martlet
import MartletBytes

extension ModelInspection.Network {
  /// Text below the line with the number of layers.
  func lines(indentation: String) -> [String] {
    let inner = indentation + "  "
    var lines = Formatting.table(layers.map { ["\($0.count)", $0.name] }, [.right, .left], indentation: inner)
    if !weights.isEmpty {
      lines.append("\(indentation)weights")
      let rows = weights.map {
        [$0.encoding, "\($0.count)", Formatting.count($0.elementCount, "element"), Formatting.bytes($0.byteCount)]
      }
      lines += Formatting.table(rows, [.left, .right, .right, .right], indentation: inner)
    }
    for item in preprocessing {
      lines.append("\(indentation)preprocessing\(item.input.isEmpty ? "" : " of \(item.input)"): \(item.text)")
    }
    for layer in customLayers {
      let parameters = layer.parameters.map { "\($0.name) = \($0.value)" }
      let weights = layer.weightCount > 0 ? [Formatting.count(layer.weightCount, "weight")] : []
      lines.append("\(indentation)custom layer \(layer.name): \(([layer.className] + parameters + weights).joined(separator: ", "))")
    }
    if let training { lines += training.lines(indentation: indentation) }
    return lines
  }

  var json: JSONValue {
    .members([
      "layers": .array(layers.map { .members(["type": .string($0.name), "count": .integer($0.count)]) }),
      "weights": .array(
        weights.map {
          .members([
            "encoding": .string($0.encoding), "count": .integer($0.count), "elementCount": .integer($0.elementCount),
            "byteCount": .integer($0.byteCount),
          ])
        }),
      "preprocessing": .array(preprocessing.map(\.json)),
      "customLayers": .array(
        customLayers.map { layer in
          .members([
            "name": .string(layer.name), "class": .string(layer.className),
            "parameters": .object(layer.parameters.map { .init($0.name, .string($0.value)) }), "weightCount": .integer(layer.weightCount),
          ])
        }),
      "training": training?.json ?? .null,
    ])
  }
}

extension ModelInspection.Network.Preprocessing {
  fileprivate var text: String {
    switch step {
    case .scale(let factor, let red, let green, let blue, let gray):
      "scale \(factor), bias red \(red), green \(green), blue \(blue), gray \(gray)"
    case .subtractMean(let count): "minus a mean image of \(Formatting.count(count, "sample"))"
    }
  }

  fileprivate var json: JSONValue {
    switch step {
    case .scale(let factor, let red, let green, let blue, let gray):
      .members([
        "input": .string(input), "scale": .finite(Double(factor)),
        "bias": .members([
          "red": .finite(Double(red)), "green": .finite(Double(green)), "blue": .finite(Double(blue)), "gray": .finite(Double(gray)),
        ]),
      ])
    case .subtractMean(let count): .members(["input": .string(input), "meanImageSampleCount": .integer(count)])
    }
  }
}

extension ModelInspection.Network.Training {
  fileprivate func lines(indentation: String) -> [String] {
    var lines = ["\(indentation)training"]
    lines.append("\(indentation)  layers: \(layers.isEmpty ? "none" : layers.joined(separator: ", "))")
    for loss in losses { lines.append("\(indentation)  loss \(loss.name): \(loss.function) of \(loss.input) and \(loss.target)") }
    if let optimizer {
      lines.append("\(indentation)  optimizer: \(optimizer), learning rate \(learningRate), mini-batches of \(miniBatchSize)")
    }
    return lines + ["\(indentation)  epochs: \(epochs)"]
  }

  fileprivate var json: JSONValue {
    .members([
      "layers": .array(layers.map { .string($0) }),
      "losses": .array(
        losses.map {
          .members([
            "name": .string($0.name), "function": .string($0.function), "input": .string($0.input), "target": .string($0.target),
          ])
        }),
      "optimizer": .optional(optimizer), "learningRate": .finite(learningRate), "miniBatchSize": .integer(miniBatchSize),
      "epochs": .integer(epochs),
    ])
  }
}
