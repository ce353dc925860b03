import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor

/// Adds the content of a delegate's payload to the graph of the method that calls it.
protocol PayloadImporter: GraphWriting {
  var importer: MethodImporter { get }
}

extension PayloadImporter {
  var builder: GraphBuilder { importer.builder }

  /// - Parameter arguments: those of the call: the inputs, followed by the outputs.
  func requireArguments(_ arguments: [Int], inputs: Int, outputs: Int) throws(CallError) {
    // In range: counts of what lies in memory.
    guard arguments.count == inputs + outputs else {
      throw CallError("\(arguments.count) arguments for \(inputs) inputs and \(outputs) outputs")
    }
  }

  /// Converts a tensor to an element type, and between a scalar and a one-element tensor: payloads have fewer types and ranks than programs.
  /// - Parameter name: that of the tensor, for errors.
  func fitted(_ value: ValueID, to type: TensorSignature, _ name: String) throws(CallError) -> ValueID {
    let value = try converted(value, to: type.dtype)
    let present = try signature(of: value)
    guard present.rank != type.rank else { return value }
    guard present.fixedShape.map({ $0.allSatisfy { $0 == 1 } }) ?? false, let shape = type.fixedShape, shape.allSatisfy({ $0 == 1 }) else {
      throw CallError("\(name) is \(present) where \(type) is expected")
    }
    return try reshaped(value, to: shape)
  }
}

extension MethodImporter {
  /// The declared tensor of an argument of a delegate call.
  func tensorArgument(_ argument: Int) throws(CallError) -> ProgramTensor {
    guard case .tensor(let tensor) = plan.values[argument] else {
      throw CallError("argument \(argument) is \(plan.values[argument].kindName), not a tensor")
    }
    return tensor
  }
}
