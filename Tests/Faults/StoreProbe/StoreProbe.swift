import Foundation
import Martlet

/// Loads a model through a store whose cache is in a given folder, runs it on tensors of float32, and prints the bits of its outputs.
///
///     StoreProbe CACHE MODEL
@main struct StoreProbe {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      FileHandle.standardError.write(Data("usage: StoreProbe CACHE MODEL\n".utf8))
      exit(2)
    }
    var options = ModelStore.Options()
    options.cacheDirectory = URL(fileURLWithPath: arguments[1])
    do {
      let model = try await ModelStore(options: options).model(at: URL(fileURLWithPath: arguments[2]))
      let signature = try model.signature(of: nil)
      let inputs = try signature.inputs.map { input -> ModelValue in
        guard case .tensor(_, let shape, _) = input.kind else { return .none }
        return .tensor(try Tensor([Float](repeating: 0.5, count: shape.reduce(1, *)), shape: shape))
      }
      for output in try await model.run(inputs) {
        guard let tensor = output.tensor else { continue }
        print(tensor.doubles.map { String($0.bitPattern, radix: 16) }.joined(separator: " "))
      }
    } catch {
      FileHandle.standardError.write(Data("StoreProbe: \(error)\n".utf8))
      exit(1)
    }
  }
}
