public import Foundation
import Martlet

/// A layer of a neural network that the program implements.
///
/// The model names the class. A class is found by its module and name (`Module.Name`), by its name in the main module, or by the name that the
/// program has registered: `ClassNames.register(MyLayer.self, as: "MyLayer")` of the module `Martlet`, in place of `@objc(MyLayer)`.
///
/// Arrays are float32 and have the shape of the network's blobs: [Seq, Batch, C, H, W] unless the network says otherwise. They are valid only
/// during the call. An object serves one call at a time.
public protocol MLCustomLayer: AnyObject {
  /// - Parameter parameters: the layer's parameters in the model: numbers, strings and truth values.
  init(parameters: [String: Any]) throws

  /// Hands over the layer's weights, in the model's order and with the element types of the model.
  func setWeightData(_ weights: [Data]) throws

  /// The shapes of the outputs for shapes of the inputs.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs, whose elements are zero when it is called.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}

/// A custom layer's object. A lock lets one call in at a time.
final class CustomLayerObject: @unchecked Sendable {
  private let object: any MLCustomLayer
  private let lock = Lock()

  private init(_ object: any MLCustomLayer) { self.object = object }

  /// Custom layers as the engine asks for them.
  static let layers = CustomLayers { request in
    let type = try CustomLayerObject.type(of: request)
    let object = CustomLayerObject(try type.init(parameters: request.parameters))
    try object.object.setWeightData(request.weights)
    return CustomLayers.Implementation(
      outputShapes: { try object.outputShapes($0) }, evaluate: { try object.evaluate($0) })
  }

  private static func type(of request: CustomLayers.Request) throws -> any MLCustomLayer.Type {
    let found: AnyClass = try ProgramClass.named(request.className, of: "layer '\(request.layer)'", .customLayer)
    guard let type = found as? any MLCustomLayer.Type else {
      throw MLModelError(
        .customLayer, "The class \(request.className) of the layer '\(request.layer)' does not conform to MLCustomLayer")
    }
    return type
  }

  private func outputShapes(_ inputs: [[Int]]) throws -> [[Int]] {
    try lock.withLock {
      try object.outputShapes(forInputShapes: inputs.map { $0.map { NSNumber(value: $0) } }).map { $0.map(\.intValue) }
    }
  }

  private func evaluate(_ call: CustomOperator.Call) throws {
    let inputs = try (0..<call.arguments.count).map { position in
      let input = try call.input(position)
      return try unsafe Self.array(UnsafeMutableRawPointer(mutating: input.bytes.baseAddress), input.shape)
    }
    let outputs = try (0..<call.outputCount).map { position in
      let output = try call.output(position)
      // Elements that a layer leaves unwritten must not expose earlier contents of the memory.
      unsafe output.bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return try unsafe Self.array(output.bytes.baseAddress, output.shape)
    }
    try lock.withLock { try object.evaluate(inputs: inputs, outputs: outputs) }
  }

  /// An array in memory of the engine.
  private static func array(_ pointer: UnsafeMutableRawPointer?, _ shape: [Int]) throws -> MLMultiArray {
    let extents = shape.map { NSNumber(value: $0) }
    guard let pointer = unsafe pointer else { return try MLMultiArray(shape: extents, dataType: .float32) }
    return try unsafe MLMultiArray(
      dataPointer: pointer, shape: extents, dataType: .float32,
      strides: Shape.contiguousStrides(shape).map { NSNumber(value: $0) }, deallocator: nil)
  }
}
