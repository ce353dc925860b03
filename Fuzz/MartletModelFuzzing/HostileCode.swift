import Martlet
import MartletFuzzing

/// Custom layers and custom models that break their contracts: shapes without sense, features that nobody declared, errors.
enum HostileCode {
  struct Refusal: Error {}

  static func layers(_ seed: UInt64) -> CustomLayers {
    CustomLayers { _ in
      CustomLayers.Implementation(
        outputShapes: { inputs in
          var random = FuzzRandom(seed: seed)
          switch random.below(8) {
          case 0: return []
          case 1: throw Refusal()
          case 2: return inputs + inputs
          case 3: return inputs.map { _ in [] }
          case 4: return inputs.map { $0.map { _ in Int(random.hostileInteger()) } }
          case 5: return inputs.map { $0 + [random.below(4)] }
          default: return inputs
          }
        },
        evaluate: { call in
          for output in 0..<call.outputCount {
            unsafe try call.output(output).elements(as: Float.self).initialize(repeating: .nan)
          }
          if seed % 8 == 7 { throw Refusal() }
        })
    }
  }

  static func model(_ seed: UInt64) -> CustomModel {
    CustomModel(
      predict: { features in
        var random = FuzzRandom(seed: seed)
        switch random.below(6) {
        case 0: return [:]
        case 1: throw Refusal()
        case 2: return features.merging(["y": .double(.nan)]) { _, new in new }
        default:
          // Values under other names, which may have other types.
          let names = features.keys.sorted() + ["y", "size", "mean", "value"]
          let values = features.keys.sorted().compactMap { features[$0] } + [.int(.max), .string(""), .none]
          return Dictionary(names.map { ($0, random.pick(values)) }, uniquingKeysWith: { first, _ in first })
        }
      },
      predictBatch: seed % 2 == 0 ? { @Sendable features in seed % 4 == 0 ? [] : features } : nil)
  }
}
