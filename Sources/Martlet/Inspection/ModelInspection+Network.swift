import MartletBytes
import MartletCoreMLFile
import MartletTensor

extension ModelInspection {
  /// The layers and parameters of a neural network.
  public struct Network: Sendable, Hashable {
    /// Weights of one encoding.
    public struct Weights: Sendable, Hashable {
      /// `float32`, `float16`, `int8`, `4-bit linear` or `4-bit table`, for example.
      public let encoding: String
      public let count: Int
      public let elementCount: Int
      /// Size in the file, with scales, biases and tables.
      public let byteCount: Int
    }

    /// Preprocessing of an image input.
    public struct Preprocessing: Sendable, Hashable {
      public enum Step: Sendable, Hashable {
        /// `sample * factor + bias`.
        case scale(factor: Float, red: Float, green: Float, blue: Float, gray: Float)
        /// Subtracts an image with this number of samples.
        case subtractMean(sampleCount: Int)
      }

      /// Empty for the only image input.
      public let input: String
      public let step: Step
    }

    /// A layer that the program must provide.
    public struct CustomLayer: Sendable, Hashable {
      public let name: String
      public let className: String
      /// Sorted by name. Values are written as in Swift.
      public let parameters: [Parameter]
      public let weightCount: Int

      public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
      }
    }

    /// What training changes, and how.
    public struct Training: Sendable, Hashable {
      public struct Loss: Sendable, Hashable {
        public let name: String
        /// `categoricalCrossEntropy` or `meanSquaredError`.
        public let function: String
        public let input: String
        public let target: String
      }

      /// The layers whose weights change.
      public let layers: [String]
      public let losses: [Loss]
      /// `sgd` or `adam`; nil if the file names none.
      public let optimizer: String?
      public let learningRate: Double
      public let miniBatchSize: Int
      public let epochs: Int
    }

    /// Layers by type, with those of branches and loops; most frequent first.
    public let layers: [OperatorCount]
    /// The largest first.
    public let weights: [Weights]
    public let preprocessing: [Preprocessing]
    public let customLayers: [CustomLayer]
    /// Nil for a network that is not made to be trained.
    public let training: Training?

    init(_ network: CoreMLNetwork) {
      var types: [String: Int] = [:]
      var encodings: [String: Weights] = [:]
      var custom: [CustomLayer] = []
      var updatable: [String] = []
      network.visit { layer in
        types[layer.type, default: 0] += 1
        if layer.isUpdatable { updatable.append(layer.name) }
        for weights in layer.operation.weights {
          let encoding = weights.encoding.text
          let known = encodings[encoding]
          encodings[encoding] = Weights(
            encoding: encoding, count: (known?.count ?? 0) + 1,
            elementCount: (Extent(known?.elementCount ?? 0) + weights.elementCount).clamped,
            byteCount: (Extent(known?.byteCount ?? 0) + weights.storedByteCount).clamped)
        }
        if case .custom(let layerClass) = layer.operation { custom.append(CustomLayer(layer.name, layerClass)) }
      }
      layers = OperatorCount.sorted(types)
      weights = encodings.values.sorted { ($1.byteCount, $0.encoding) < ($0.byteCount, $1.encoding) }
      preprocessing = network.preprocessing.map { Preprocessing($0) }
      customLayers = custom
      training = network.training.map { Training($0, layers: updatable) }
    }
  }
}

extension NetworkWeights {
  fileprivate var storedByteCount: Int {
    let parameters =
      switch encoding {
      case .float32, .float16: 0
      case .int8(let scales): scales.count
      case .quantized(_, .linear(let scales, let biases)): scales.count + biases.count
      case .quantized(_, .table(let entries)): entries.count
      }
    // In range: parts of a file in memory.
    return data.count + 4 * parameters
  }
}

extension NetworkWeights.Encoding {
  fileprivate var text: String {
    switch self {
    case .float32: "float32"
    case .float16: "float16"
    case .int8: "int8"
    case .quantized(let bits, .linear): "\(bits)-bit linear"
    case .quantized(let bits, .table): "\(bits)-bit table"
    }
  }
}

extension ModelInspection.Network.Preprocessing {
  fileprivate init(_ source: NetworkPreprocessing) {
    input = source.feature
    step =
      switch source.step {
      case .scale(let factor, let red, let green, let blue, let gray):
        .scale(factor: factor, red: red, green: green, blue: blue, gray: gray)
      case .subtract(let mean): .subtractMean(sampleCount: mean.count)
      }
  }
}

extension NetworkCustomLayer.Value {
  fileprivate var text: String {
    switch self {
    case .double(let number): "\(number)"
    case .string(let text): text.debugDescription
    case .int(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    }
  }
}

extension ModelInspection.Network.CustomLayer {
  fileprivate init(_ name: String, _ layer: NetworkCustomLayer) {
    self.name = name
    className = layer.className
    parameters = layer.parameters.sortedByKey.map { Parameter(name: $0, value: $1.text) }
    weightCount = layer.weights.count
  }
}

extension ModelInspection.Network.Training {
  fileprivate init(_ source: NetworkTraining, layers: [String]) {
    self.layers = layers
    losses = source.losses.map { Loss(name: $0.name, function: $0.function.rawValue, input: $0.input, target: $0.target) }
    optimizer =
      switch source.optimizer {
      case .stochasticGradientDescent: "sgd"
      case .adam: "adam"
      case nil: nil
      }
    learningRate = source.learningRate.defaultValue
    miniBatchSize = source.miniBatchSize.defaultValue
    epochs = source.epochs.defaultValue
  }
}
