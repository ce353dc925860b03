// Stands in for github.com/JacopoMangiavacchi/SwiftCoreMLTools: the parts that MNIST.swift uses. Weights are normal random numbers with He's
// scale.
import Foundation

public enum FeatureType: Int {
  case float = 65568
  case int = 131104
}

/// A part of a model in a builder.
public protocol Item {}

@resultBuilder public enum ItemBuilder {
  public static func buildBlock(_ items: any Item...) -> [any Item] { items }
}

public struct Model {
  private let bytes: Data

  public init(
    version: Int, shortDescription: String, author: String, license: String, userDefined: [String: String],
    @ItemBuilder _ items: () -> [any Item]
  ) {
    let items = items()
    var model = Message()
    model.set(1, version)
    model.set(2) { description in
      for case let feature as any Feature in items { description.set(feature.field) { feature.write(&$0) } }
      description.set(100) { metadata in
        metadata.set(1, shortDescription)
        metadata.set(3, author)
        metadata.set(4, license)
        for (key, value) in userDefined {
          metadata.set(100) { entry in
            entry.set(1, key)
            entry.set(2, value)
          }
        }
      }
    }
    model.set(10, true)
    for case let network as NeuralNetwork in items { model.set(500) { network.write(&$0) } }
    bytes = model.data
  }

  public var coreMLData: Data? { bytes }
}

// MARK: Features

protocol Feature: Item {
  var field: UInt64 { get }
  var name: String { get }
  var shape: [Int] { get }
  var featureType: FeatureType { get }
}

extension Feature {
  func write(_ message: inout Message) {
    message.set(1, name)
    message.set(3) { type in
      type.set(5) { array in
        array.set(1, shape)
        array.set(2, featureType.rawValue)
      }
    }
  }
}

public struct Input: Feature {
  let field: UInt64 = 1, name: String, shape: [Int], featureType: FeatureType
  public init(name: String, shape: [Int], featureType: FeatureType = .float) {
    (self.name, self.shape, self.featureType) = (name, shape, featureType)
  }
}

public struct Output: Feature {
  let field: UInt64 = 10, name: String, shape: [Int], featureType: FeatureType
  public init(name: String, shape: [Int], featureType: FeatureType = .float) {
    (self.name, self.shape, self.featureType) = (name, shape, featureType)
  }
}

public struct TrainingInput: Feature {
  let field: UInt64 = 50, name: String, shape: [Int], featureType: FeatureType
  public init(name: String, shape: [Int], featureType: FeatureType = .float) {
    (self.name, self.shape, self.featureType) = (name, shape, featureType)
  }
}

// MARK: Training

public struct CategoricalCrossEntropy {
  let name: String, input: String, target: String
  public init(name: String, input: String, target: String) { (self.name, self.input, self.target) = (name, input, target) }
}

public struct Adam {
  fileprivate let bytes: Data

  public init(
    learningRateDefault: Double, learningRateMax: Double, miniBatchSizeDefault: UInt, miniBatchSizeRange: [UInt], beta1Default: Double,
    beta1Max: Double, beta2Default: Double, beta2Max: Double, epsDefault: Double, epsMax: Double
  ) {
    var adam = Message()
    func set(_ field: UInt64, _ value: Double, _ most: Double) {
      adam.set(field) { parameter in
        parameter.set(1, value)
        parameter.set(10) { $0.set(2, most) }
      }
    }
    set(1, learningRateDefault, learningRateMax)
    adam.set(2) { parameter in
      parameter.set(1, Int(miniBatchSizeDefault))
      parameter.set(11) { $0.set(1, miniBatchSizeRange.map { Int($0) }) }
    }
    set(3, beta1Default, beta1Max)
    set(4, beta2Default, beta2Max)
    set(5, epsDefault, epsMax)
    bytes = adam.data
  }
}

// MARK: Layers

public struct NeuralNetwork: Item {
  private let losses: [CategoricalCrossEntropy], optimizer: Adam, epochs: UInt, epochSet: [UInt], shuffle: Bool, layers: [any Item]

  public init(
    losses: [CategoricalCrossEntropy], optimizer: Adam, epochDefault: UInt, epochSet: [UInt], shuffle: Bool,
    @ItemBuilder _ layers: () -> [any Item]
  ) {
    (self.losses, self.optimizer, self.epochs, self.epochSet, self.shuffle) = (losses, optimizer, epochDefault, epochSet, shuffle)
    self.layers = layers()
  }

  func write(_ network: inout Message) {
    for case let layer as any Layer in layers {
      network.set(1) { message in
        message.set(1, layer.name)
        for name in layer.input { message.set(2, name) }
        for name in layer.output { message.set(3, name) }
        if layer.updatable { message.set(10, true) }
        message.set(layer.field) { layer.write(&$0) }
      }
    }
    network.set(10) { update in
      for loss in losses {
        update.set(1) { layer in
          layer.set(1, loss.name)
          layer.set(10) { entropy in
            entropy.set(1, loss.input)
            entropy.set(2, loss.target)
          }
        }
      }
      update.set(2) { $0.set(11, bytes: optimizer.bytes) }
      update.set(3) { parameter in
        parameter.set(1, Int(epochs))
        parameter.set(11) { $0.set(1, epochSet.map { Int($0) }) }
      }
      update.set(10) { $0.set(1, shuffle) }
    }
  }
}

protocol Layer: Item {
  var name: String { get }
  var input: [String] { get }
  var output: [String] { get }
  var updatable: Bool { get }
  var field: UInt64 { get }
  func write(_ message: inout Message)
}

extension Layer {
  var updatable: Bool { false }

  /// Updatable weights: random ones, or zeros for an `inputCount` of 0.
  func weights(_ count: Int, inputCount: Int) -> Data {
    var random = SystemRandomNumberGenerator()
    var values = Data(capacity: 4 * count)
    for _ in 0..<count {
      let (a, b) = (Double.random(in: 1e-9..<1, using: &random), Double.random(in: 0..<1, using: &random))
      let normal = (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
      let value = inputCount == 0 ? 0 : Float(normal * (2 / Double(inputCount)).squareRoot())
      withUnsafeBytes(of: value.bitPattern.littleEndian) { values.append(contentsOf: $0) }
    }
    var message = Message()
    message.set(1, bytes: values)
    message.set(50, true)
    return message.data
  }
}

public struct EdgeSizes {
  let startEdgeSize: Int, endEdgeSize: Int
  public init(startEdgeSize: Int, endEdgeSize: Int) { (self.startEdgeSize, self.endEdgeSize) = (startEdgeSize, endEdgeSize) }
}

public enum PaddingType {
  case valid(borderAmounts: [EdgeSizes])

  fileprivate func write(_ message: inout Message) {
    guard case .valid(let amounts) = self else { return }
    message.set(1) { border in
      for amount in amounts {
        border.set(10) { edges in
          edges.set(1, amount.startEdgeSize)
          edges.set(2, amount.endEdgeSize)
        }
      }
    }
  }
}

public struct Convolution: Layer {
  let name: String, input: [String], output: [String], updatable: Bool, field: UInt64 = 100
  private let outputChannels: Int, kernelChannels: Int, groups: Int, kernel: [Int], stride: [Int], dilation: [Int], padding: PaddingType
  private let outputShape: [Int], isTransposed: Bool

  public init(
    name: String, input: [String], output: [String], outputChannels: Int, kernelChannels: Int, nGroups: Int, kernelSize: [Int],
    stride: [Int],
    dilationFactor: [Int], paddingType: PaddingType, outputShape: [Int], deconvolution: Bool, updatable: Bool
  ) {
    (self.name, self.input, self.output, self.updatable) = (name, input, output, updatable)
    (self.outputChannels, self.kernelChannels, groups, kernel, self.stride) = (outputChannels, kernelChannels, nGroups, kernelSize, stride)
    (dilation, padding, self.outputShape, isTransposed) = (dilationFactor, paddingType, outputShape, deconvolution)
  }

  func write(_ message: inout Message) {
    message.set(1, outputChannels)
    message.set(2, kernelChannels)
    message.set(10, groups)
    message.set(20, kernel)
    message.set(30, stride)
    message.set(40, dilation)
    message.set(50) { padding.write(&$0) }
    message.set(60, isTransposed)
    message.set(70, true)
    let inputs = kernelChannels * kernel.reduce(1, *)
    message.set(90, bytes: weights(outputChannels * inputs, inputCount: inputs))
    message.set(91, bytes: weights(outputChannels, inputCount: 0))
    if !outputShape.isEmpty { message.set(100, outputShape) }
  }
}

public struct ReLu: Layer {
  let name: String, input: [String], output: [String], field: UInt64 = 130
  public init(name: String, input: [String], output: [String]) { (self.name, self.input, self.output) = (name, input, output) }
  func write(_ message: inout Message) { message.set(10) { _ in } }
}

public struct Pooling: Layer {
  public enum PoolingType: Int { case max, average, l2 }

  let name: String, input: [String], output: [String], field: UInt64 = 120
  private let type: PoolingType, kernel: [Int], stride: [Int], padding: PaddingType, excludes: Bool, isGlobal: Bool

  public init(
    name: String, input: [String], output: [String], poolingType: PoolingType, kernelSize: [Int], stride: [Int], paddingType: PaddingType,
    avgPoolExcludePadding: Bool, globalPooling: Bool
  ) {
    (self.name, self.input, self.output) = (name, input, output)
    (type, kernel, self.stride, padding, excludes, isGlobal) = (
      poolingType, kernelSize, stride, paddingType, avgPoolExcludePadding, globalPooling
    )
  }

  func write(_ message: inout Message) {
    message.set(1, type.rawValue)
    message.set(10, kernel)
    message.set(20, stride)
    message.set(30) { padding.write(&$0) }
    message.set(50, excludes)
    message.set(60, isGlobal)
  }
}

public struct Flatten: Layer {
  public enum Mode: Int { case first, last }

  let name: String, input: [String], output: [String], field: UInt64 = 301
  private let mode: Mode

  public init(name: String, input: [String], output: [String], mode: Mode) {
    (self.name, self.input, self.output, self.mode) = (name, input, output, mode)
  }

  func write(_ message: inout Message) { message.set(1, mode.rawValue) }
}

public struct InnerProduct: Layer {
  let name: String, input: [String], output: [String], updatable: Bool, field: UInt64 = 140
  private let inputs: Int, outputs: Int

  public init(name: String, input: [String], output: [String], inputChannels: Int, outputChannels: Int, updatable: Bool) {
    (self.name, self.input, self.output, self.updatable) = (name, input, output, updatable)
    (inputs, outputs) = (inputChannels, outputChannels)
  }

  func write(_ message: inout Message) {
    message.set(1, inputs)
    message.set(2, outputs)
    message.set(10, true)
    message.set(20, bytes: weights(inputs * outputs, inputCount: inputs))
    message.set(21, bytes: weights(outputs, inputCount: 0))
  }
}

public struct Softmax: Layer {
  let name: String, input: [String], output: [String], field: UInt64 = 175
  public init(name: String, input: [String], output: [String]) { (self.name, self.input, self.output) = (name, input, output) }
  func write(_ message: inout Message) {}
}
