import MartletFeatures

extension ClassicModel {
  /// A number that tells how large a model is.
  package struct Size: Sendable, Equatable {
    /// A noun in the plural, such as `trees`.
    package let name: String
    package let count: Int

    init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// The sizes of the parts that the kind has.
  package var sizes: [Size] {
    switch self {
    case .glmClassifier(let model): Self.sizes(model.linear) + [Size("labels", model.labels.count)]
    case .glmRegressor(let model): Self.sizes(model.linear)
    case .supportVectorClassifier(let model): Self.sizes(model.vectors) + [Size("labels", model.labels.count)]
    case .supportVectorRegressor(let model): Self.sizes(model.vectors)
    case .treeEnsembleClassifier(let model): Self.sizes(model.trees) + [Size("labels", model.labels.count)]
    case .treeEnsembleRegressor(let model): Self.sizes(model.trees)
    case .kNearestNeighborsClassifier(let model):
      [
        Size("samples", model.sampleCount), Size("columns", model.dimensionCount), Size("neighbors", model.neighborCount),
        Size("labels", model.classes.count),
      ]
    case .bayesianProbitRegressor(let model): [Size("features", model.featureCount), Size("weights", model.weights.count)]
    case .itemSimilarityRecommender(let model): [Size("items", model.itemCount), Size("similarities", model.table.similarities.count)]
    case .oneHotEncoder(let model): [Size("categories", model.categories.count)]
    case .featureVectorizer(let model): [Size("inputs", model.columns.count), Size("columns", model.elementCount)]
    case .dictVectorizer(let model): [Size("columns", model.keys.count)]
    case .scaler(let model): [Size("columns", max(model.shifts.count, model.scales.count))]
    case .categoricalMapping(let model): [Size("categories", model.categoryCount)]
    case .arrayFeatureExtractor(let model): [Size("columns", model.indices.count)]
    case .nonMaximumSuppression(let model): [Size("labels", model.labels?.count ?? 0)]
    case .classConfidenceThresholding(let model): [Size("curves", model.curves.count)]
    case .customModel(let model): [Size("parameters", model.parameters.count)]
    case .opaque(let model):
      (model.refusal == nil ? [Size("bytes", model.byteCount)] : []) + (model.labels.map { [Size("labels", $0.count)] } ?? [])
        + (model.tags.isEmpty ? [] : [Size("tags", model.tags.count)])
    case .imputer, .normalizer, .identity, .soundAnalysisPreprocessing, .linkedModel: []
    }
  }

  private static func sizes(_ linear: LinearWeights) -> [Size] {
    [Size("rows", linear.rowCount), Size("columns", linear.columnCount)]
  }

  private static func sizes(_ vectors: SupportVectors) -> [Size] {
    [Size("vectors", vectors.count), Size("columns", vectors.columnCount)]
  }

  private static func sizes(_ trees: TreeEnsemble) -> [Size] {
    [
      Size("trees", trees.treeCount), Size("nodes", trees.nodeCount), Size("columns", trees.columnCount),
      Size("dimensions", trees.dimensionCount),
    ]
  }
}

extension CategoricalMapping {
  fileprivate var categoryCount: Int {
    switch self {
    case .toIntegers(let table, _): table.count
    case .toStrings(let table, _): table.count
    }
  }
}
