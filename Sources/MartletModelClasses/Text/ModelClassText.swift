/// The Swift classes of a model, with the text that Xcode writes for it: `NAMEInput`, `NAMEOutput`, `NAMEState` where there is state, and
/// `NAME`.
package struct ModelClassText {
  package enum Access: String, Sendable {
    case `internal`, `public`
  }

  /// The name of the model's file, by which the class finds it among its bundle's resources.
  let resource: String
  /// The name of the class.
  package let name: String
  let inputs: [ClassFeature]
  let outputs: [ClassFeature]
  /// The names of the states and of their cases.
  let states: [(name: String, identifier: SwiftName)]
  let platforms: Platforms
  /// `public ` or nothing.
  let access: String

  /// - Parameters:
  ///   - resource: the name of the model's file, without its extension.
  ///   - className: the class; nil for one with the file's name.
  package init(_ interface: ModelInterface, resource: String, className: String? = nil, access: Access = .internal) {
    self.resource = resource
    name = SwiftName(className ?? resource).description
    self.access = access == .public ? "public " : ""
    platforms = Platforms(specificationVersion: interface.specificationVersion)
    inputs = zip(interface.inputs, SwiftName.unique(interface.inputs.map(\.name), besides: ["featureNames"]))
      .map { ClassFeature(feature: $0, name: $1) }
    outputs = zip(interface.outputs, SwiftName.unique(interface.outputs.map(\.name), besides: ["featureNames", "provider"]))
      .map { ClassFeature(feature: $0, name: $1) }
    states = Array(zip(interface.states, SwiftName.unique(interface.states))).map { (name: $0, identifier: $1) }
  }

  /// The content of the source file.
  package var text: String {
    var parts = ["\(header)\n\n\n\(inputText)\n\n\n\(outputText)\n"]
    if !states.isEmpty { parts.append("\n\(stateText)\n") } else { parts.append("\n") }
    parts.append("\n\(modelText)\n")
    return parts.joined()
  }

  private var header: String {
    ["//", "// \(name).swift", "//", "// This file was automatically generated and should not be edited.", "//", "", "import CoreML"]
      .joined(separator: "\n")
  }

  // MARK: Parts that several classes have

  /// The attribute of a member that needs `systems`, in a line of its own; nothing where the class needs them anyway.
  func available(_ systems: Platforms) -> String {
    systems > platforms ? "    \(systems.attribute)\n" : ""
  }

  /// Condition in front of members with shaped arrays. Intel Macs have no `Float16`.
  /// - Parameter also: further systems that the member needs.
  func availableShaped(_ features: [ClassFeature], also: Platforms = .withShapedArrays) -> String {
    let attribute = available(max(also, .withShapedArrays))
    guard features.contains(where: { $0.scalar == "Float16" }) else { return attribute }
    return attribute + """
          #if (os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64)
          @available(macOS, unavailable)
          @available(macCatalyst, unavailable)
          #endif

      """
  }

  var hasArrays: Bool { inputs.contains { $0.scalar != nil } }

  func list(_ features: [ClassFeature], _ text: (ClassFeature) -> String) -> String {
    features.map(text).joined(separator: ", ")
  }
}
