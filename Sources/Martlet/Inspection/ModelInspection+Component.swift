import MartletCoreMLFile

extension ModelInspection {
  /// A Core ML model, or one of a pipeline.
  public struct Component: Sendable, Hashable {
    /// The number of parts of one sort.
    public struct Size: Sendable, Hashable {
      /// A noun in the plural, such as `trees`.
      public let name: String
      public let count: Int
    }

    /// The name of a pipeline's stage; empty if the file names none.
    public let name: String
    /// As named in the format, e.g. `treeEnsembleClassifier`.
    public let kind: String
    /// Sizes of the parameters of a model without a program; empty for other models.
    public let sizes: [Size]
    /// The class of a custom model, or the file and the search path of a linked one; nil for other models.
    public let reference: String?
    /// The models of a pipeline.
    public let stages: [Component]
    /// Nil for a model that is no neural network.
    public let network: Network?
    /// Why the model cannot run; nil if nothing in the file says so.
    public let refusal: String?

    init(_ model: CoreMLModel, name: String = "") {
      self.name = name
      kind = model.kind.rawValue
      if case .network(let network) = model.content { self.network = Network(network) } else { network = nil }
      switch model.content {
      case .classic(.customModel(let custom)): reference = custom.className
      case .classic(.linkedModel(let link)): reference = link.fileName + (link.searchPath.isEmpty ? "" : " in \(link.searchPath)")
      default: reference = nil
      }
      switch model.content {
      case .classic(let classic): (sizes, stages) = (classic.sizes.map { Size(name: $0.name, count: $0.count) }, [])
      case .pipeline(let models): (sizes, stages) = ([], models.map { Component($0.model, name: $0.name) })
      case .network(let network): (sizes, stages) = ([Size(name: "layers", count: network.layerCount)], [])
      case .program: (sizes, stages) = ([], [])
      }
      switch model.content {
      case .classic(.opaque(let opaque)): refusal = MartletError.refusal(of: model.kind, because: opaque.refusal).reason
      case .network(let network): refusal = network.refusal
      case .classic, .pipeline, .program: refusal = nil
      }
    }
  }
}
