import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Layers that a program implements.
extension NetworkCall {
  func add(_ custom: NetworkCustomLayer) throws {
    let (name, className) = (layer.name, custom.className)
    guard let provider = importer.customLayers else {
      throw CallError("the custom layer class \(className) needs a program that implements it, through CoreML's MLCustomLayer")
    }
    let request = CustomLayerRequest(
      layer: name, className: className, parameters: custom.parameters, weights: custom.weights.map(\.data))
    let implementation: CustomLayerImplementation
    do { implementation = try provider(request) } catch { throw CallError("\(error)") }
    let count = layer.outputs.count
    let definition = CustomDefinition(
      name: className, isPure: true,
      infer: { arguments in
        let inputs = try (0..<arguments.count).map { try arguments.type(ofOperand: try arguments.operand($0, item: nil)).shape }
        let shapes = try implementation.outputShapes(inputs)
        guard shapes.count == count else { throw CallError("\(className) gives \(shapes.count) shapes for \(count) outputs") }
        return shapes.map { TensorType(.float32, $0) }
      },
      kernel: { call in
        do { try implementation.evaluate(call) } catch {
          throw CustomLayerError(layer: name, className: className, reason: "\(error)")
        }
      })
    let values = try inputs()
    let declared = try declaredOutputs(values, implementation)
    let node = CustomNode(definition, arguments: values.indices.map { .tensor(operand: $0) }, declared: declared)
    for (position, value) in intermediates(node, values, declared).enumerated() { try set(value, output: position) }
  }

  /// The outputs: of known shapes if those of the inputs are known, otherwise of known ranks.
  private func declaredOutputs(_ values: [ValueID], _ implementation: CustomLayerImplementation) throws -> [TensorSignature] {
    var isOpen = false
    let shapes = try values.map { value in
      try signature(of: value).dimensions.map { dimension in
        if case .fixed(let extent) = dimension { return extent }
        isOpen = true
        return 1
      }
    }
    let outputs: [[Int]]
    do { outputs = try implementation.outputShapes(shapes) } catch { throw CallError("\(error)") }
    guard outputs.count == layer.outputs.count else {
      throw CallError("the class gives \(outputs.count) shapes for \(layer.outputs.count) outputs")
    }
    return try outputs.map { shape in
      guard (1...5).contains(shape.count), HostTensor.byteCount(dtype: .float32, shape: shape) != nil else {
        throw CallError("the class gives the shape \(shape)")
      }
      return TensorSignature(dtype: .float32, dimensions: shape.map { isOpen ? .symbolic(bound: nil) : .fixed($0) })
    }
  }
}
