package import FoundationEssentials
import MartletBytes
import MartletCoreMLFile
import MartletImport
import MartletLock

/// The layers of neural networks that a program implements.
package struct CustomLayers: Sendable {
  /// A layer of a network.
  package struct Request: Sendable {
    package let layer: String
    /// The class that the file names.
    package let className: String
    /// Numbers, strings and truth values.
    package let parameters: [String: any Sendable]
    /// In the file's order and with the file's element types.
    package let weights: [Data]
  }

  /// A layer that the program implements. Blobs are float32 and row-major.
  package struct Implementation: Sendable {
    let outputShapes: @Sendable (_ inputs: [[Int]]) throws -> [[Int]]
    let evaluate: @Sendable (CustomOperator.Call) throws -> Void

    package init(
      outputShapes: @escaping @Sendable ([[Int]]) throws -> [[Int]], evaluate: @escaping @Sendable (CustomOperator.Call) throws -> Void
    ) {
      self.outputShapes = outputShapes
      self.evaluate = evaluate
    }
  }

  private let make: @Sendable (Request) throws -> Implementation

  /// - Parameter make: finds the implementation of a layer. Called when the network is loaded.
  package init(_ make: @escaping @Sendable (Request) throws -> Implementation) { self.make = make }

  /// The layers as the importer asks for them.
  var provider: CustomLayerProvider {
    { [make] request in
      let implementation = try make(
        Request(
          layer: request.layer, className: request.className, parameters: request.parameters.mapValues(\.value),
          weights: request.weights.map { view in unsafe view.withUnsafeBytes { unsafe Data($0) } }))
      return CustomLayerImplementation(
        outputShapes: implementation.outputShapes, evaluate: { try implementation.evaluate(CustomOperator.Call(base: $0)) })
    }
  }
}

/// Names by which models know classes of the program.
///
/// A Core ML model names the class of a custom layer. On Apple's systems `@objc(Name)` gives a class that name; here the program registers it:
///
/// ```swift
/// ClassNames.register(MyLayer.self, as: "MyLayer")
/// ```
///
/// A class `Name` of the main module, and one that a model names `Module.Name`, are found without this.
public enum ClassNames {
  private struct Entry: @unchecked Sendable {
    let type: AnyClass
  }

  private static let entries = Guarded<[String: Entry]>([:])

  /// Gives a class a name. A later call with the same name replaces the class.
  public static func register(_ type: AnyClass, as name: String) {
    let entry = Entry(type: type)
    entries.withLock { $0[name] = entry }
  }

  /// The class with a name; nil if none is registered.
  package static func type(named name: String) -> AnyClass? { entries.withLock { $0[name] }?.type }
}

extension NetworkCustomLayer.Value {
  fileprivate var value: any Sendable {
    switch self {
    case .double(let number): number
    case .string(let text): text
    case .int(let number): number
    case .bool(let truth): truth
    }
  }
}
