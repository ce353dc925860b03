// Written by generate.py from classic.proto; not to be edited.
// swift-format-ignore-file

enum SpecTreeEnsemblePostEvaluationTransform: Hashable, Sendable {
  case noTransform
  case classificationSoftMax
  case regressionLogistic
  case classificationSoftMaxWithZeroClassReference
  case UNRECOGNIZED(Int)
  init(rawValue: Int) {
    switch rawValue {
    case 0: self = .noTransform
    case 1: self = .classificationSoftMax
    case 2: self = .regressionLogistic
    case 3: self = .classificationSoftMaxWithZeroClassReference
    default: self = .UNRECOGNIZED(rawValue)
    }
  }
  var rawValue: Int {
    switch self {
    case .noTransform: 0
    case .classificationSoftMax: 1
    case .regressionLogistic: 2
    case .classificationSoftMaxWithZeroClassReference: 3
    case .UNRECOGNIZED(let value): value
    }
  }
}
struct SpecGLMRegressor: ProtobufMessage {
  static var number: Int { 0 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var weights: [SpecGLMRegressor.DoubleArray] { fields.messages(1).map { SpecGLMRegressor.DoubleArray($0) } }
  var offset: [Double] { fields.doubles(2) }
  var postEvaluationTransform: SpecGLMRegressor.PostEvaluationTransform { SpecGLMRegressor.PostEvaluationTransform(rawValue: fields.enumeration(3)) }
  enum PostEvaluationTransform: Hashable, Sendable {
    case noTransform
    case logit
    case probit
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .noTransform
      case 1: self = .logit
      case 2: self = .probit
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .noTransform: 0
      case .logit: 1
      case .probit: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  struct DoubleArray: ProtobufMessage {
    static var number: Int { 1 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var value: [Double] { fields.doubles(1) }
  }
}
struct SpecGLMClassifier: ProtobufMessage {
  static var number: Int { 2 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var weights: [SpecGLMClassifier.DoubleArray] { fields.messages(1).map { SpecGLMClassifier.DoubleArray($0) } }
  var offset: [Double] { fields.doubles(2) }
  var postEvaluationTransform: SpecGLMClassifier.PostEvaluationTransform { SpecGLMClassifier.PostEvaluationTransform(rawValue: fields.enumeration(3)) }
  var classEncoding: SpecGLMClassifier.ClassEncoding { SpecGLMClassifier.ClassEncoding(rawValue: fields.enumeration(4)) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
  enum PostEvaluationTransform: Hashable, Sendable {
    case logit
    case probit
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .logit
      case 1: self = .probit
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .logit: 0
      case .probit: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  enum ClassEncoding: Hashable, Sendable {
    case referenceClass
    case oneVsRest
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .referenceClass
      case 1: self = .oneVsRest
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .referenceClass: 0
      case .oneVsRest: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  struct DoubleArray: ProtobufMessage {
    static var number: Int { 3 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var value: [Double] { fields.doubles(1) }
  }
}
struct SpecLinearKernel: ProtobufMessage {
  static var number: Int { 4 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecRBFKernel: ProtobufMessage {
  static var number: Int { 5 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var gamma: Double { fields.double(1) }
}
struct SpecPolyKernel: ProtobufMessage {
  static var number: Int { 6 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var degree: Int32 { fields.int32(1) }
  var c: Double { fields.double(2) }
  var gamma: Double { fields.double(3) }
}
struct SpecSigmoidKernel: ProtobufMessage {
  static var number: Int { 7 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var gamma: Double { fields.double(1) }
  var c: Double { fields.double(2) }
}
struct SpecKernel: ProtobufMessage {
  static var number: Int { 8 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Kernel: Sendable {
    case linearKernel(SpecLinearKernel)
    case rbfKernel(SpecRBFKernel)
    case polyKernel(SpecPolyKernel)
    case sigmoidKernel(SpecSigmoidKernel)
  }
  var kernel: OneOf_Kernel? {
    let fields = self.fields.choice([10, 18, 26, 34])
    switch fields.chosen {
    case 1: return .linearKernel(SpecLinearKernel(fields.message(1)))
    case 2: return .rbfKernel(SpecRBFKernel(fields.message(2)))
    case 3: return .polyKernel(SpecPolyKernel(fields.message(3)))
    case 4: return .sigmoidKernel(SpecSigmoidKernel(fields.message(4)))
    default: return nil
    }
  }
  var linearKernel: SpecLinearKernel {
    if case .linearKernel(let value)? = kernel { value } else { SpecLinearKernel(.empty) }
  }
  var rbfKernel: SpecRBFKernel {
    if case .rbfKernel(let value)? = kernel { value } else { SpecRBFKernel(.empty) }
  }
  var polyKernel: SpecPolyKernel {
    if case .polyKernel(let value)? = kernel { value } else { SpecPolyKernel(.empty) }
  }
  var sigmoidKernel: SpecSigmoidKernel {
    if case .sigmoidKernel(let value)? = kernel { value } else { SpecSigmoidKernel(.empty) }
  }
}
struct SpecSparseNode: ProtobufMessage {
  static var number: Int { 9 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var index: Int32 { fields.int32(1) }
  var value: Double { fields.double(2) }
}
struct SpecSparseVector: ProtobufMessage {
  static var number: Int { 10 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var nodes: [SpecSparseNode] { fields.messages(1).map { SpecSparseNode($0) } }
}
struct SpecSparseSupportVectors: ProtobufMessage {
  static var number: Int { 11 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vectors: [SpecSparseVector] { fields.messages(1).map { SpecSparseVector($0) } }
}
struct SpecDenseVector: ProtobufMessage {
  static var number: Int { 12 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var values: [Double] { fields.doubles(1) }
}
struct SpecDenseSupportVectors: ProtobufMessage {
  static var number: Int { 13 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vectors: [SpecDenseVector] { fields.messages(1).map { SpecDenseVector($0) } }
}
struct SpecCoefficients: ProtobufMessage {
  static var number: Int { 14 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: [Double] { fields.doubles(1) }
}
struct SpecSupportVectorRegressor: ProtobufMessage {
  static var number: Int { 15 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var kernel: SpecKernel { SpecKernel(fields.message(1)) }
  var hasKernel: Bool { fields.contains(1) }
  var coefficients: SpecCoefficients { SpecCoefficients(fields.message(4)) }
  var hasCoefficients: Bool { fields.contains(4) }
  var rho: Double { fields.double(5) }
  enum OneOf_SupportVectors: Sendable {
    case sparseSupportVectors(SpecSparseSupportVectors)
    case denseSupportVectors(SpecDenseSupportVectors)
  }
  var supportVectors: OneOf_SupportVectors? {
    let fields = self.fields.choice([18, 26])
    switch fields.chosen {
    case 2: return .sparseSupportVectors(SpecSparseSupportVectors(fields.message(2)))
    case 3: return .denseSupportVectors(SpecDenseSupportVectors(fields.message(3)))
    default: return nil
    }
  }
  var sparseSupportVectors: SpecSparseSupportVectors {
    if case .sparseSupportVectors(let value)? = supportVectors { value } else { SpecSparseSupportVectors(.empty) }
  }
  var denseSupportVectors: SpecDenseSupportVectors {
    if case .denseSupportVectors(let value)? = supportVectors { value } else { SpecDenseSupportVectors(.empty) }
  }
}
struct SpecSupportVectorClassifier: ProtobufMessage {
  static var number: Int { 16 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var kernel: SpecKernel { SpecKernel(fields.message(1)) }
  var hasKernel: Bool { fields.contains(1) }
  var numberOfSupportVectorsPerClass: [Int32] { fields.int32s(2) }
  var coefficients: [SpecCoefficients] { fields.messages(5).map { SpecCoefficients($0) } }
  var rho: [Double] { fields.doubles(6) }
  var probA: [Double] { fields.doubles(7) }
  var probB: [Double] { fields.doubles(8) }
  enum OneOf_SupportVectors: Sendable {
    case sparseSupportVectors(SpecSparseSupportVectors)
    case denseSupportVectors(SpecDenseSupportVectors)
  }
  var supportVectors: OneOf_SupportVectors? {
    let fields = self.fields.choice([26, 34])
    switch fields.chosen {
    case 3: return .sparseSupportVectors(SpecSparseSupportVectors(fields.message(3)))
    case 4: return .denseSupportVectors(SpecDenseSupportVectors(fields.message(4)))
    default: return nil
    }
  }
  var sparseSupportVectors: SpecSparseSupportVectors {
    if case .sparseSupportVectors(let value)? = supportVectors { value } else { SpecSparseSupportVectors(.empty) }
  }
  var denseSupportVectors: SpecDenseSupportVectors {
    if case .denseSupportVectors(let value)? = supportVectors { value } else { SpecDenseSupportVectors(.empty) }
  }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
}
struct SpecTreeEnsembleParameters: ProtobufMessage {
  static var number: Int { 17 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var nodes: [SpecTreeEnsembleParameters.TreeNode] { fields.messages(1).map { SpecTreeEnsembleParameters.TreeNode($0) } }
  var numPredictionDimensions: UInt64 { fields.uint64(2) }
  var basePredictionValue: [Double] { fields.doubles(3) }
  struct TreeNode: ProtobufMessage {
    static var number: Int { 18 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var treeID: UInt64 { fields.uint64(1) }
    var nodeID: UInt64 { fields.uint64(2) }
    var nodeBehavior: SpecTreeEnsembleParameters.TreeNode.TreeNodeBehavior { SpecTreeEnsembleParameters.TreeNode.TreeNodeBehavior(rawValue: fields.enumeration(3)) }
    var branchFeatureIndex: UInt64 { fields.uint64(10) }
    var branchFeatureValue: Double { fields.double(11) }
    var trueChildNodeID: UInt64 { fields.uint64(12) }
    var falseChildNodeID: UInt64 { fields.uint64(13) }
    var missingValueTracksTrueChild: Bool { fields.bool(14) }
    var evaluationInfo: [SpecTreeEnsembleParameters.TreeNode.EvaluationInfo] { fields.messages(20).map { SpecTreeEnsembleParameters.TreeNode.EvaluationInfo($0) } }
    var relativeHitRate: Double { fields.double(30) }
    enum TreeNodeBehavior: Hashable, Sendable {
      case branchOnValueLessThanEqual
      case branchOnValueLessThan
      case branchOnValueGreaterThanEqual
      case branchOnValueGreaterThan
      case branchOnValueEqual
      case branchOnValueNotEqual
      case leafNode
      case UNRECOGNIZED(Int)
      init(rawValue: Int) {
        switch rawValue {
        case 0: self = .branchOnValueLessThanEqual
        case 1: self = .branchOnValueLessThan
        case 2: self = .branchOnValueGreaterThanEqual
        case 3: self = .branchOnValueGreaterThan
        case 4: self = .branchOnValueEqual
        case 5: self = .branchOnValueNotEqual
        case 6: self = .leafNode
        default: self = .UNRECOGNIZED(rawValue)
        }
      }
      var rawValue: Int {
        switch self {
        case .branchOnValueLessThanEqual: 0
        case .branchOnValueLessThan: 1
        case .branchOnValueGreaterThanEqual: 2
        case .branchOnValueGreaterThan: 3
        case .branchOnValueEqual: 4
        case .branchOnValueNotEqual: 5
        case .leafNode: 6
        case .UNRECOGNIZED(let value): value
        }
      }
    }
    struct EvaluationInfo: ProtobufMessage {
      static var number: Int { 19 }
      let fields: MessageFields
      init(_ fields: MessageFields) { self.fields = fields }
      var evaluationIndex: UInt64 { fields.uint64(1) }
      var evaluationValue: Double { fields.double(2) }
    }
  }
}
struct SpecTreeEnsembleClassifier: ProtobufMessage {
  static var number: Int { 20 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var treeEnsemble: SpecTreeEnsembleParameters { SpecTreeEnsembleParameters(fields.message(1)) }
  var hasTreeEnsemble: Bool { fields.contains(1) }
  var postEvaluationTransform: SpecTreeEnsemblePostEvaluationTransform { SpecTreeEnsemblePostEvaluationTransform(rawValue: fields.enumeration(2)) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
}
struct SpecTreeEnsembleRegressor: ProtobufMessage {
  static var number: Int { 21 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var treeEnsemble: SpecTreeEnsembleParameters { SpecTreeEnsembleParameters(fields.message(1)) }
  var hasTreeEnsemble: Bool { fields.contains(1) }
  var postEvaluationTransform: SpecTreeEnsemblePostEvaluationTransform { SpecTreeEnsemblePostEvaluationTransform(rawValue: fields.enumeration(2)) }
}
struct SpecKNearestNeighborsClassifier: ProtobufMessage {
  static var number: Int { 22 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var nearestNeighborsIndex: SpecNearestNeighborsIndex { SpecNearestNeighborsIndex(fields.message(1)) }
  var hasNearestNeighborsIndex: Bool { fields.contains(1) }
  var numberOfNeighbors: SpecInt64Parameter { SpecInt64Parameter(fields.message(3)) }
  var hasNumberOfNeighbors: Bool { fields.contains(3) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
  enum OneOf_DefaultClassLabel: Sendable {
    case defaultStringLabel(String)
    case defaultInt64Label(Int64)
  }
  var defaultClassLabel: OneOf_DefaultClassLabel? {
    let fields = self.fields.choice([882, 888])
    switch fields.chosen {
    case 110: return .defaultStringLabel(fields.string(110))
    case 111: return .defaultInt64Label(fields.int64(111))
    default: return nil
    }
  }
  enum OneOf_WeightingScheme: Sendable {
    case uniformWeighting(SpecUniformWeighting)
    case inverseDistanceWeighting(SpecInverseDistanceWeighting)
  }
  var weightingScheme: OneOf_WeightingScheme? {
    let fields = self.fields.choice([1602, 1682])
    switch fields.chosen {
    case 200: return .uniformWeighting(SpecUniformWeighting(fields.message(200)))
    case 210: return .inverseDistanceWeighting(SpecInverseDistanceWeighting(fields.message(210)))
    default: return nil
    }
  }
  var uniformWeighting: SpecUniformWeighting {
    if case .uniformWeighting(let value)? = weightingScheme { value } else { SpecUniformWeighting(.empty) }
  }
  var inverseDistanceWeighting: SpecInverseDistanceWeighting {
    if case .inverseDistanceWeighting(let value)? = weightingScheme { value } else { SpecInverseDistanceWeighting(.empty) }
  }
}
struct SpecNearestNeighborsIndex: ProtobufMessage {
  static var number: Int { 23 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var numberOfDimensions: Int32 { fields.int32(1) }
  var floatSamples: [SpecFloatVector] { fields.messages(2).map { SpecFloatVector($0) } }
  enum OneOf_IndexType: Sendable {
    case linearIndex(SpecLinearIndex)
    case singleKdTreeIndex(SpecSingleKdTreeIndex)
  }
  var indexType: OneOf_IndexType? {
    let fields = self.fields.choice([802, 882])
    switch fields.chosen {
    case 100: return .linearIndex(SpecLinearIndex(fields.message(100)))
    case 110: return .singleKdTreeIndex(SpecSingleKdTreeIndex(fields.message(110)))
    default: return nil
    }
  }
  var linearIndex: SpecLinearIndex {
    if case .linearIndex(let value)? = indexType { value } else { SpecLinearIndex(.empty) }
  }
  var singleKdTreeIndex: SpecSingleKdTreeIndex {
    if case .singleKdTreeIndex(let value)? = indexType { value } else { SpecSingleKdTreeIndex(.empty) }
  }
  enum OneOf_DistanceFunction: Sendable {
    case squaredEuclideanDistance(SpecSquaredEuclideanDistance)
  }
  var distanceFunction: OneOf_DistanceFunction? {
    let fields = self.fields.choice([1602])
    switch fields.chosen {
    case 200: return .squaredEuclideanDistance(SpecSquaredEuclideanDistance(fields.message(200)))
    default: return nil
    }
  }
  var squaredEuclideanDistance: SpecSquaredEuclideanDistance {
    if case .squaredEuclideanDistance(let value)? = distanceFunction { value } else { SpecSquaredEuclideanDistance(.empty) }
  }
}
struct SpecUniformWeighting: ProtobufMessage {
  static var number: Int { 24 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecInverseDistanceWeighting: ProtobufMessage {
  static var number: Int { 25 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecLinearIndex: ProtobufMessage {
  static var number: Int { 26 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSingleKdTreeIndex: ProtobufMessage {
  static var number: Int { 27 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var leafSize: Int32 { fields.int32(1) }
}
struct SpecSquaredEuclideanDistance: ProtobufMessage {
  static var number: Int { 28 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecBayesianProbitRegressor: ProtobufMessage {
  static var number: Int { 29 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var numberOfFeatures: UInt32 { fields.uint32(1) }
  var bias: SpecBayesianProbitRegressor.Gaussian { SpecBayesianProbitRegressor.Gaussian(fields.message(2)) }
  var hasBias: Bool { fields.contains(2) }
  var features: [SpecBayesianProbitRegressor.FeatureWeight] { fields.messages(3).map { SpecBayesianProbitRegressor.FeatureWeight($0) } }
  var regressionInputFeatureName: String { fields.string(10) }
  var optimismInputFeatureName: String { fields.string(11) }
  var samplingScaleInputFeatureName: String { fields.string(12) }
  var samplingTruncationInputFeatureName: String { fields.string(13) }
  var meanOutputFeatureName: String { fields.string(20) }
  var varianceOutputFeatureName: String { fields.string(21) }
  var pessimisticProbabilityOutputFeatureName: String { fields.string(22) }
  var sampledProbabilityOutputFeatureName: String { fields.string(23) }
  struct Gaussian: ProtobufMessage {
    static var number: Int { 30 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var mean: Double { fields.double(1) }
    var precision: Double { fields.double(2) }
  }
  struct FeatureValueWeight: ProtobufMessage {
    static var number: Int { 31 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var featureValue: UInt32 { fields.uint32(1) }
    var featureWeight: SpecBayesianProbitRegressor.Gaussian { SpecBayesianProbitRegressor.Gaussian(fields.message(2)) }
    var hasFeatureWeight: Bool { fields.contains(2) }
  }
  struct FeatureWeight: ProtobufMessage {
    static var number: Int { 32 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var featureID: UInt32 { fields.uint32(1) }
    var weights: [SpecBayesianProbitRegressor.FeatureValueWeight] { fields.messages(2).map { SpecBayesianProbitRegressor.FeatureValueWeight($0) } }
  }
}
struct SpecItemSimilarityRecommender: ProtobufMessage {
  static var number: Int { 33 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var itemItemSimilarities: [SpecItemSimilarityRecommender.SimilarItems] { fields.messages(1).map { SpecItemSimilarityRecommender.SimilarItems($0) } }
  var itemStringIds: SpecStringVector { SpecStringVector(fields.message(2)) }
  var hasItemStringIds: Bool { fields.contains(2) }
  var itemInt64Ids: SpecInt64Vector { SpecInt64Vector(fields.message(3)) }
  var hasItemInt64Ids: Bool { fields.contains(3) }
  var itemInputFeatureName: String { fields.string(10) }
  var numRecommendationsInputFeatureName: String { fields.string(11) }
  var itemRestrictionInputFeatureName: String { fields.string(12) }
  var itemExclusionInputFeatureName: String { fields.string(13) }
  var recommendedItemListOutputFeatureName: String { fields.string(20) }
  var recommendedItemScoreOutputFeatureName: String { fields.string(21) }
  struct ConnectedItem: ProtobufMessage {
    static var number: Int { 34 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var itemID: UInt64 { fields.uint64(1) }
    var similarityScore: Double { fields.double(2) }
  }
  struct SimilarItems: ProtobufMessage {
    static var number: Int { 35 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var itemID: UInt64 { fields.uint64(1) }
    var similarItemList: [SpecItemSimilarityRecommender.ConnectedItem] { fields.messages(2).map { SpecItemSimilarityRecommender.ConnectedItem($0) } }
    var itemScoreAdjustment: Double { fields.double(3) }
  }
}
struct SpecArrayFeatureExtractor: ProtobufMessage {
  static var number: Int { 36 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var extractIndex: [UInt64] { fields.uint64s(1) }
}
struct SpecCategoricalMapping: ProtobufMessage {
  static var number: Int { 37 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_MappingType: Sendable {
    case stringToInt64Map(SpecStringToInt64Map)
    case int64ToStringMap(SpecInt64ToStringMap)
  }
  var mappingType: OneOf_MappingType? {
    let fields = self.fields.choice([10, 18])
    switch fields.chosen {
    case 1: return .stringToInt64Map(SpecStringToInt64Map(fields.message(1)))
    case 2: return .int64ToStringMap(SpecInt64ToStringMap(fields.message(2)))
    default: return nil
    }
  }
  var stringToInt64Map: SpecStringToInt64Map {
    if case .stringToInt64Map(let value)? = mappingType { value } else { SpecStringToInt64Map(.empty) }
  }
  var int64ToStringMap: SpecInt64ToStringMap {
    if case .int64ToStringMap(let value)? = mappingType { value } else { SpecInt64ToStringMap(.empty) }
  }
  enum OneOf_ValueOnUnknown: Sendable {
    case strValue(String)
    case int64Value(Int64)
  }
  var valueOnUnknown: OneOf_ValueOnUnknown? {
    let fields = self.fields.choice([810, 816])
    switch fields.chosen {
    case 101: return .strValue(fields.string(101))
    case 102: return .int64Value(fields.int64(102))
    default: return nil
    }
  }
}
struct SpecDictVectorizer: ProtobufMessage {
  static var number: Int { 38 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Map: Sendable {
    case stringToIndex(SpecStringVector)
    case int64ToIndex(SpecInt64Vector)
  }
  var map: OneOf_Map? {
    let fields = self.fields.choice([10, 18])
    switch fields.chosen {
    case 1: return .stringToIndex(SpecStringVector(fields.message(1)))
    case 2: return .int64ToIndex(SpecInt64Vector(fields.message(2)))
    default: return nil
    }
  }
  var stringToIndex: SpecStringVector {
    if case .stringToIndex(let value)? = map { value } else { SpecStringVector(.empty) }
  }
  var int64ToIndex: SpecInt64Vector {
    if case .int64ToIndex(let value)? = map { value } else { SpecInt64Vector(.empty) }
  }
}
struct SpecFeatureVectorizer: ProtobufMessage {
  static var number: Int { 39 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputList: [SpecFeatureVectorizer.InputColumn] { fields.messages(1).map { SpecFeatureVectorizer.InputColumn($0) } }
  struct InputColumn: ProtobufMessage {
    static var number: Int { 40 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var inputColumn: String { fields.string(1) }
    var inputDimensions: UInt64 { fields.uint64(2) }
  }
}
struct SpecIdentity: ProtobufMessage {
  static var number: Int { 41 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecImputer: ProtobufMessage {
  static var number: Int { 42 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_ImputedValue: Sendable {
    case imputedDoubleValue(Double)
    case imputedInt64Value(Int64)
    case imputedStringValue(String)
    case imputedDoubleArray(SpecDoubleVector)
    case imputedInt64Array(SpecInt64Vector)
    case imputedStringDictionary(SpecStringToDoubleMap)
    case imputedInt64Dictionary(SpecInt64ToDoubleMap)
  }
  var imputedValue: OneOf_ImputedValue? {
    let fields = self.fields.choice([9, 16, 26, 34, 42, 50, 58])
    switch fields.chosen {
    case 1: return .imputedDoubleValue(fields.double(1))
    case 2: return .imputedInt64Value(fields.int64(2))
    case 3: return .imputedStringValue(fields.string(3))
    case 4: return .imputedDoubleArray(SpecDoubleVector(fields.message(4)))
    case 5: return .imputedInt64Array(SpecInt64Vector(fields.message(5)))
    case 6: return .imputedStringDictionary(SpecStringToDoubleMap(fields.message(6)))
    case 7: return .imputedInt64Dictionary(SpecInt64ToDoubleMap(fields.message(7)))
    default: return nil
    }
  }
  var imputedDoubleArray: SpecDoubleVector {
    if case .imputedDoubleArray(let value)? = imputedValue { value } else { SpecDoubleVector(.empty) }
  }
  var imputedInt64Array: SpecInt64Vector {
    if case .imputedInt64Array(let value)? = imputedValue { value } else { SpecInt64Vector(.empty) }
  }
  var imputedStringDictionary: SpecStringToDoubleMap {
    if case .imputedStringDictionary(let value)? = imputedValue { value } else { SpecStringToDoubleMap(.empty) }
  }
  var imputedInt64Dictionary: SpecInt64ToDoubleMap {
    if case .imputedInt64Dictionary(let value)? = imputedValue { value } else { SpecInt64ToDoubleMap(.empty) }
  }
  enum OneOf_ReplaceValue: Sendable {
    case replaceDoubleValue(Double)
    case replaceInt64Value(Int64)
    case replaceStringValue(String)
  }
  var replaceValue: OneOf_ReplaceValue? {
    let fields = self.fields.choice([89, 96, 106])
    switch fields.chosen {
    case 11: return .replaceDoubleValue(fields.double(11))
    case 12: return .replaceInt64Value(fields.int64(12))
    case 13: return .replaceStringValue(fields.string(13))
    default: return nil
    }
  }
}
struct SpecNormalizer: ProtobufMessage {
  static var number: Int { 43 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var normType: SpecNormalizer.NormType { SpecNormalizer.NormType(rawValue: fields.enumeration(1)) }
  enum NormType: Hashable, Sendable {
    case lmax
    case l1
    case l2
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .lmax
      case 1: self = .l1
      case 2: self = .l2
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .lmax: 0
      case .l1: 1
      case .l2: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecOneHotEncoder: ProtobufMessage {
  static var number: Int { 44 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var outputSparse: Bool { fields.bool(10) }
  var handleUnknown: SpecOneHotEncoder.HandleUnknown { SpecOneHotEncoder.HandleUnknown(rawValue: fields.enumeration(11)) }
  enum OneOf_CategoryType: Sendable {
    case stringCategories(SpecStringVector)
    case int64Categories(SpecInt64Vector)
  }
  var categoryType: OneOf_CategoryType? {
    let fields = self.fields.choice([10, 18])
    switch fields.chosen {
    case 1: return .stringCategories(SpecStringVector(fields.message(1)))
    case 2: return .int64Categories(SpecInt64Vector(fields.message(2)))
    default: return nil
    }
  }
  var stringCategories: SpecStringVector {
    if case .stringCategories(let value)? = categoryType { value } else { SpecStringVector(.empty) }
  }
  var int64Categories: SpecInt64Vector {
    if case .int64Categories(let value)? = categoryType { value } else { SpecInt64Vector(.empty) }
  }
  enum HandleUnknown: Hashable, Sendable {
    case errorOnUnknown
    case ignoreUnknown
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .errorOnUnknown
      case 1: self = .ignoreUnknown
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .errorOnUnknown: 0
      case .ignoreUnknown: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecScaler: ProtobufMessage {
  static var number: Int { 45 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shiftValue: [Double] { fields.doubles(1) }
  var scaleValue: [Double] { fields.doubles(2) }
}
struct SpecNonMaximumSuppression: ProtobufMessage {
  static var number: Int { 46 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var iouThreshold: Double { fields.double(110) }
  var confidenceThreshold: Double { fields.double(111) }
  var confidenceInputFeatureName: String { fields.string(200) }
  var coordinatesInputFeatureName: String { fields.string(201) }
  var iouThresholdInputFeatureName: String { fields.string(202) }
  var confidenceThresholdInputFeatureName: String { fields.string(203) }
  var confidenceOutputFeatureName: String { fields.string(210) }
  var coordinatesOutputFeatureName: String { fields.string(211) }
  enum OneOf_SuppressionMethod: Sendable {
    case pickTop(SpecNonMaximumSuppression.PickTop)
  }
  var suppressionMethod: OneOf_SuppressionMethod? {
    let fields = self.fields.choice([10])
    switch fields.chosen {
    case 1: return .pickTop(SpecNonMaximumSuppression.PickTop(fields.message(1)))
    default: return nil
    }
  }
  var pickTop: SpecNonMaximumSuppression.PickTop {
    if case .pickTop(let value)? = suppressionMethod { value } else { SpecNonMaximumSuppression.PickTop(.empty) }
  }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
  struct PickTop: ProtobufMessage {
    static var number: Int { 47 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var perClass: Bool { fields.bool(1) }
  }
}
struct SpecClassConfidenceThresholding: ProtobufMessage {
  static var number: Int { 48 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var precisionRecallCurves: [SpecPrecisionRecallCurve] { fields.messages(100).map { SpecPrecisionRecallCurve($0) } }
}
struct SpecCustomModel: ProtobufMessage {
  static var number: Int { 49 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var className: String { fields.string(10) }
  var parameters: [String: SpecCustomModel.CustomModelParamValue] {
    Dictionary(fields.messages(30).map { ($0.string(1), SpecCustomModel.CustomModelParamValue($0.message(2))) }) { $1 }
  }
  var description_p: String { fields.string(40) }
  struct CustomModelParamValue: ProtobufMessage {
    static var number: Int { 50 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    enum OneOf_Value: Sendable {
      case doubleValue(Double)
      case stringValue(String)
      case intValue(Int32)
      case longValue(Int64)
      case boolValue(Bool)
      case bytesValue([UInt8])
    }
    var value: OneOf_Value? {
      let fields = self.fields.choice([81, 162, 240, 320, 400, 482])
      switch fields.chosen {
      case 10: return .doubleValue(fields.double(10))
      case 20: return .stringValue(fields.string(20))
      case 30: return .intValue(fields.int32(30))
      case 40: return .longValue(fields.int64(40))
      case 50: return .boolValue(fields.bool(50))
      case 60: return .bytesValue(fields.data(60))
      default: return nil
      }
    }
  }
}
struct SpecLinkedModel: ProtobufMessage {
  static var number: Int { 51 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_LinkType: Sendable {
    case linkedModelFile(SpecLinkedModelFile)
  }
  var linkType: OneOf_LinkType? {
    let fields = self.fields.choice([10])
    switch fields.chosen {
    case 1: return .linkedModelFile(SpecLinkedModelFile(fields.message(1)))
    default: return nil
    }
  }
  var linkedModelFile: SpecLinkedModelFile {
    if case .linkedModelFile(let value)? = linkType { value } else { SpecLinkedModelFile(.empty) }
  }
}
struct SpecLinkedModelFile: ProtobufMessage {
  static var number: Int { 52 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var linkedModelFileName: SpecStringParameter { SpecStringParameter(fields.message(1)) }
  var hasLinkedModelFileName: Bool { fields.contains(1) }
  var linkedModelSearchPath: SpecStringParameter { SpecStringParameter(fields.message(2)) }
  var hasLinkedModelSearchPath: Bool { fields.contains(2) }
}
