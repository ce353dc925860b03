// Written by generate.py from the .proto files; not to be edited.
// swift-format-ignore-file

extension ProtobufSchema {
  /// The messages of the Core ML model format, by `ProtobufMessage.number`.
  static let coreML = ProtobufSchema(messageCount: 354, fields)
}

/// Of each message the number of its fields; of each field the number, the kind, and the number of the message in it.
private let fields: [UInt16] = [
  // SpecGLMRegressor
  3, 1, 5, 1, 2, 1, 0, 3, 0, 0,
  // SpecGLMRegressor.DoubleArray
  1, 1, 1, 0,
  // SpecGLMClassifier
  6, 1, 5, 3, 2, 1, 0, 3, 0, 0, 4, 0, 0, 100, 5, 73, 101, 5, 74,
  // SpecGLMClassifier.DoubleArray
  1, 1, 1, 0,
  // SpecLinearKernel
  0,
  // SpecRBFKernel
  1, 1, 1, 0,
  // SpecPolyKernel
  3, 1, 0, 0, 2, 1, 0, 3, 1, 0,
  // SpecSigmoidKernel
  2, 1, 1, 0, 2, 1, 0,
  // SpecKernel
  4, 1, 5, 4, 2, 5, 5, 3, 5, 6, 4, 5, 7,
  // SpecSparseNode
  2, 1, 0, 0, 2, 1, 0,
  // SpecSparseVector
  1, 1, 5, 9,
  // SpecSparseSupportVectors
  1, 1, 5, 10,
  // SpecDenseVector
  1, 1, 1, 0,
  // SpecDenseSupportVectors
  1, 1, 5, 12,
  // SpecCoefficients
  1, 1, 1, 0,
  // SpecSupportVectorRegressor
  5, 1, 5, 8, 2, 5, 11, 3, 5, 13, 4, 5, 14, 5, 1, 0,
  // SpecSupportVectorClassifier
  10, 1, 5, 8, 2, 0, 0, 3, 5, 11, 4, 5, 13, 5, 5, 14, 6, 1, 0, 7, 1, 0, 8, 1, 0, 100, 5, 73, 101, 5, 74,
  // SpecTreeEnsembleParameters
  3, 1, 5, 18, 2, 0, 0, 3, 1, 0,
  // SpecTreeEnsembleParameters.TreeNode
  10, 1, 0, 0, 2, 0, 0, 3, 0, 0, 10, 0, 0, 11, 1, 0, 12, 0, 0, 13, 0, 0, 14, 0, 0, 20, 5, 19, 30, 1, 0,
  // SpecTreeEnsembleParameters.TreeNode.EvaluationInfo
  2, 1, 0, 0, 2, 1, 0,
  // SpecTreeEnsembleClassifier
  4, 1, 5, 17, 2, 0, 0, 100, 5, 73, 101, 5, 74,
  // SpecTreeEnsembleRegressor
  2, 1, 5, 17, 2, 0, 0,
  // SpecKNearestNeighborsClassifier
  8, 1, 5, 23, 3, 5, 81, 100, 5, 73, 101, 5, 74, 110, 3, 0, 111, 0, 0, 200, 5, 24, 210, 5, 25,
  // SpecNearestNeighborsIndex
  5, 1, 0, 0, 2, 5, 75, 100, 5, 26, 110, 5, 27, 200, 5, 28,
  // SpecUniformWeighting
  0,
  // SpecInverseDistanceWeighting
  0,
  // SpecLinearIndex
  0,
  // SpecSingleKdTreeIndex
  1, 1, 0, 0,
  // SpecSquaredEuclideanDistance
  0,
  // SpecBayesianProbitRegressor
  11, 1, 0, 0, 2, 5, 30, 3, 5, 32, 10, 3, 0, 11, 3, 0, 12, 3, 0, 13, 3, 0, 20, 3, 0, 21, 3, 0, 22, 3, 0, 23, 3, 0,
  // SpecBayesianProbitRegressor.Gaussian
  2, 1, 1, 0, 2, 1, 0,
  // SpecBayesianProbitRegressor.FeatureValueWeight
  2, 1, 0, 0, 2, 5, 30,
  // SpecBayesianProbitRegressor.FeatureWeight
  2, 1, 0, 0, 2, 5, 31,
  // SpecItemSimilarityRecommender
  9, 1, 5, 35, 2, 5, 73, 3, 5, 74, 10, 3, 0, 11, 3, 0, 12, 3, 0, 13, 3, 0, 20, 3, 0, 21, 3, 0,
  // SpecItemSimilarityRecommender.ConnectedItem
  2, 1, 0, 0, 2, 1, 0,
  // SpecItemSimilarityRecommender.SimilarItems
  3, 1, 0, 0, 2, 5, 34, 3, 1, 0,
  // SpecArrayFeatureExtractor
  1, 1, 0, 0,
  // SpecCategoricalMapping
  4, 1, 5, 69, 2, 5, 70, 101, 3, 0, 102, 0, 0,
  // SpecDictVectorizer
  2, 1, 5, 73, 2, 5, 74,
  // SpecFeatureVectorizer
  1, 1, 5, 40,
  // SpecFeatureVectorizer.InputColumn
  2, 1, 3, 0, 2, 0, 0,
  // SpecIdentity
  0,
  // SpecImputer
  10, 1, 1, 0, 2, 0, 0, 3, 3, 0, 4, 5, 76, 5, 5, 74, 6, 5, 71, 7, 5, 72, 11, 1, 0, 12, 0, 0, 13, 3, 0,
  // SpecNormalizer
  1, 1, 0, 0,
  // SpecOneHotEncoder
  4, 1, 5, 73, 2, 5, 74, 10, 0, 0, 11, 0, 0,
  // SpecScaler
  2, 1, 1, 0, 2, 1, 0,
  // SpecNonMaximumSuppression
  11, 1, 5, 47, 100, 5, 73, 101, 5, 74, 110, 1, 0, 111, 1, 0, 200, 3, 0, 201, 3, 0, 202, 3, 0, 203, 3, 0, 210, 3, 0, 211, 3, 0,
  // SpecNonMaximumSuppression.PickTop
  1, 1, 0, 0,
  // SpecClassConfidenceThresholding
  1, 100, 5, 80,
  // SpecCustomModel
  3, 10, 3, 0, 30, 5, 339, 40, 3, 0,
  // SpecCustomModel.CustomModelParamValue
  6, 10, 1, 0, 20, 3, 0, 30, 0, 0, 40, 0, 0, 50, 0, 0, 60, 4, 0,
  // SpecLinkedModel
  1, 1, 5, 52,
  // SpecLinkedModelFile
  2, 1, 5, 83, 2, 5, 83,
  // SpecInt64FeatureType
  0,
  // SpecDoubleFeatureType
  0,
  // SpecStringFeatureType
  0,
  // SpecSizeRange
  2, 1, 0, 0, 2, 0, 0,
  // SpecImageFeatureType
  5, 1, 0, 0, 2, 0, 0, 3, 0, 0, 21, 5, 59, 31, 5, 60,
  // SpecImageFeatureType.ImageSize
  2, 1, 0, 0, 2, 0, 0,
  // SpecImageFeatureType.EnumeratedImageSizes
  1, 1, 5, 58,
  // SpecImageFeatureType.ImageSizeRange
  2, 1, 5, 56, 2, 5, 56,
  // SpecArrayFeatureType
  7, 1, 0, 0, 2, 0, 0, 21, 5, 63, 31, 5, 64, 41, 0, 0, 51, 2, 0, 61, 1, 0,
  // SpecArrayFeatureType.Shape
  1, 1, 0, 0,
  // SpecArrayFeatureType.EnumeratedShapes
  1, 1, 5, 62,
  // SpecArrayFeatureType.ShapeRange
  1, 1, 5, 56,
  // SpecDictionaryFeatureType
  2, 1, 5, 53, 2, 5, 55,
  // SpecSequenceFeatureType
  3, 1, 5, 53, 3, 5, 55, 101, 5, 56,
  // SpecStateFeatureType
  1, 1, 5, 61,
  // SpecFeatureType
  9, 1, 5, 53, 2, 5, 54, 3, 5, 55, 4, 5, 57, 5, 5, 61, 6, 5, 65, 7, 5, 66, 8, 5, 67, 1000, 0, 0,
  // SpecStringToInt64Map
  1, 1, 5, 340,
  // SpecInt64ToStringMap
  1, 1, 5, 341,
  // SpecStringToDoubleMap
  1, 1, 5, 342,
  // SpecInt64ToDoubleMap
  1, 1, 5, 343,
  // SpecStringVector
  1, 1, 3, 0,
  // SpecInt64Vector
  1, 1, 0, 0,
  // SpecFloatVector
  1, 1, 2, 0,
  // SpecDoubleVector
  1, 1, 1, 0,
  // SpecInt64Range
  2, 1, 0, 0, 2, 0, 0,
  // SpecInt64Set
  1, 1, 0, 0,
  // SpecDoubleRange
  2, 1, 1, 0, 2, 1, 0,
  // SpecPrecisionRecallCurve
  4, 1, 5, 75, 2, 5, 75, 3, 5, 75, 4, 5, 75,
  // SpecInt64Parameter
  3, 1, 0, 0, 10, 5, 77, 11, 5, 78,
  // SpecDoubleParameter
  2, 1, 1, 0, 10, 5, 79,
  // SpecStringParameter
  1, 1, 3, 0,
  // SpecBoolParameter
  1, 1, 0, 0,
  // MILSpecProgram
  4, 1, 0, 0, 2, 5, 344, 3, 3, 0, 4, 5, 345,
  // MILSpecFunction
  4, 1, 5, 91, 2, 3, 0, 3, 5, 346, 4, 5, 347,
  // MILSpecBlock
  4, 1, 5, 91, 2, 3, 0, 3, 5, 90, 4, 5, 348,
  // MILSpecArgument
  1, 1, 5, 89,
  // MILSpecArgument.Binding
  2, 1, 3, 0, 2, 5, 101,
  // MILSpecOperation
  5, 1, 3, 0, 2, 5, 349, 3, 5, 91, 4, 5, 87, 5, 5, 350,
  // MILSpecNamedValueType
  2, 1, 3, 0, 2, 5, 92,
  // MILSpecValueType
  5, 1, 5, 93, 2, 5, 95, 3, 5, 94, 4, 5, 96, 5, 5, 97,
  // MILSpecTensorType
  4, 1, 0, 0, 2, 0, 0, 3, 5, 98, 4, 5, 351,
  // MILSpecTupleType
  1, 1, 5, 92,
  // MILSpecListType
  2, 1, 5, 92, 2, 5, 98,
  // MILSpecDictionaryType
  2, 1, 5, 92, 2, 5, 92,
  // MILSpecStateType
  1, 1, 5, 92,
  // MILSpecDimension
  2, 1, 5, 99, 2, 5, 100,
  // MILSpecDimension.ConstantDimension
  1, 1, 0, 0,
  // MILSpecDimension.UnknownDimension
  1, 1, 0, 0,
  // MILSpecValue
  4, 1, 3, 0, 2, 5, 92, 3, 5, 102, 5, 5, 103,
  // MILSpecValue.ImmediateValue
  4, 1, 5, 104, 2, 5, 112, 3, 5, 113, 4, 5, 114,
  // MILSpecValue.BlobFileValue
  2, 1, 3, 0, 2, 0, 0,
  // MILSpecTensorValue
  7, 1, 5, 105, 2, 5, 107, 3, 5, 109, 4, 5, 110, 5, 5, 108, 6, 5, 106, 7, 5, 111,
  // MILSpecTensorValue.RepeatedFloats
  1, 1, 2, 0,
  // MILSpecTensorValue.RepeatedDoubles
  1, 1, 1, 0,
  // MILSpecTensorValue.RepeatedInts
  1, 1, 0, 0,
  // MILSpecTensorValue.RepeatedLongInts
  1, 1, 0, 0,
  // MILSpecTensorValue.RepeatedBools
  1, 1, 0, 0,
  // MILSpecTensorValue.RepeatedStrings
  1, 1, 3, 0,
  // MILSpecTensorValue.RepeatedBytes
  1, 1, 4, 0,
  // MILSpecTupleValue
  1, 1, 5, 101,
  // MILSpecListValue
  1, 1, 5, 101,
  // MILSpecDictionaryValue
  1, 1, 5, 115,
  // MILSpecDictionaryValue.KeyValuePair
  2, 1, 5, 101, 2, 5, 101,
  // SpecPipeline
  2, 1, 5, 124, 2, 3, 0,
  // SpecPipelineClassifier
  1, 1, 5, 116,
  // SpecPipelineRegressor
  1, 1, 5, 116,
  // SpecFeatureDescription
  3, 1, 3, 0, 2, 3, 0, 3, 5, 68,
  // SpecMetadata
  5, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 3, 0, 100, 5, 352,
  // SpecFunctionDescription
  6, 1, 3, 0, 2, 5, 119, 3, 5, 119, 4, 3, 0, 5, 3, 0, 6, 5, 119,
  // SpecModelDescription
  9, 1, 5, 119, 10, 5, 119, 11, 3, 0, 12, 3, 0, 13, 5, 119, 20, 5, 121, 21, 3, 0, 50, 5, 119, 100, 5, 120,
  // SpecSerializedModel
  2, 1, 3, 0, 2, 4, 0,
  // SpecModel
  40, 1, 0, 0, 2, 5, 122, 10, 0, 0, 200, 5, 117, 201, 5, 118, 202, 5, 116, 300, 5, 0, 301, 5, 15, 302, 5, 21, 303, 5, 320, 304, 5, 29, 400, 5, 2, 401, 5, 16, 402, 5, 20, 403, 5, 317, 404, 5, 22, 500, 5, 125, 501, 5, 33, 502, 5, 85, 555, 5, 49, 556, 5, 51, 560, 5, 48, 600, 5, 44, 601, 5, 42, 602, 5, 39, 603, 5, 38, 604, 5, 45, 606, 5, 37, 607, 5, 43, 609, 5, 36, 610, 5, 46, 900, 5, 41, 2000, 5, 335, 2001, 5, 336, 2002, 5, 328, 2003, 5, 333, 2004, 5, 337, 2005, 5, 338, 2006, 5, 331, 3000, 5, 123,
  // SpecNeuralNetwork
  5, 1, 5, 144, 2, 5, 128, 5, 0, 0, 6, 0, 0, 10, 5, 321,
  // SpecNeuralNetworkImageScaler
  5, 10, 2, 0, 20, 2, 0, 21, 2, 0, 22, 2, 0, 30, 2, 0,
  // SpecNeuralNetworkMeanImage
  1, 1, 2, 0,
  // SpecNeuralNetworkPreprocessing
  3, 1, 3, 0, 10, 5, 126, 11, 5, 127,
  // SpecActivationReLU
  0,
  // SpecActivationLeakyReLU
  1, 1, 2, 0,
  // SpecActivationTanh
  0,
  // SpecActivationScaledTanh
  2, 1, 2, 0, 2, 2, 0,
  // SpecActivationSigmoid
  0,
  // SpecActivationLinear
  2, 1, 2, 0, 2, 2, 0,
  // SpecActivationSigmoidHard
  2, 1, 2, 0, 2, 2, 0,
  // SpecActivationPReLU
  1, 1, 5, 166,
  // SpecActivationELU
  1, 1, 2, 0,
  // SpecActivationThresholdedReLU
  1, 1, 2, 0,
  // SpecActivationSoftsign
  0,
  // SpecActivationSoftplus
  0,
  // SpecActivationParametricSoftplus
  2, 1, 5, 166, 2, 5, 166,
  // SpecActivationParams
  13, 5, 5, 134, 10, 5, 129, 15, 5, 130, 20, 5, 138, 25, 5, 136, 30, 5, 131, 31, 5, 132, 40, 5, 133, 41, 5, 135, 50, 5, 137, 60, 5, 139, 70, 5, 140, 71, 5, 141,
  // SpecTensor
  2, 1, 0, 0, 2, 0, 0,
  // SpecNeuralNetworkLayer
  164, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 5, 143, 5, 5, 143, 10, 0, 0, 100, 5, 170, 120, 5, 176, 130, 5, 142, 140, 5, 172, 150, 5, 173, 160, 5, 175, 165, 5, 209, 170, 5, 197, 175, 5, 186, 180, 5, 185, 190, 5, 204, 200, 5, 180, 210, 5, 191, 211, 5, 192, 212, 5, 193, 220, 5, 190, 230, 5, 188, 231, 5, 189, 240, 5, 205, 245, 5, 195, 250, 5, 194, 260, 5, 206, 261, 5, 207, 270, 5, 208, 280, 5, 203, 290, 5, 196, 300, 5, 199, 301, 5, 198, 310, 5, 200, 320, 5, 184, 330, 5, 187, 340, 5, 210, 345, 5, 201, 350, 5, 202, 400, 5, 211, 410, 5, 212, 420, 5, 215, 430, 5, 216, 500, 5, 217, 600, 5, 149, 605, 5, 145, 615, 5, 146, 620, 5, 147, 625, 5, 148, 635, 5, 309, 640, 5, 310, 660, 5, 302, 665, 5, 298, 670, 5, 300, 680, 5, 301, 685, 5, 299, 700, 5, 243, 710, 5, 230, 715, 5, 231, 720, 5, 232, 730, 5, 233, 735, 5, 234, 740, 5, 235, 750, 5, 236, 755, 5, 237, 760, 5, 238, 770, 5, 239, 775, 5, 240, 780, 5, 241, 790, 5, 307, 795, 5, 308, 815, 5, 154, 820, 5, 155, 825, 5, 152, 827, 5, 153, 830, 5, 150, 832, 5, 151, 840, 5, 157, 845, 5, 158, 850, 5, 159, 855, 5, 156, 865, 5, 254, 870, 5, 253, 875, 5, 252, 880, 5, 251, 885, 5, 242, 890, 5, 258, 895, 5, 255, 900, 5, 257, 905, 5, 256, 920, 5, 305, 925, 5, 265, 930, 5, 259, 935, 5, 260, 940, 5, 261, 945, 5, 262, 950, 5, 222, 952, 5, 263, 954, 5, 264, 960, 5, 223, 965, 5, 224, 975, 5, 297, 980, 5, 221, 985, 5, 219, 995, 5, 303, 1000, 5, 304, 1005, 5, 311, 1015, 5, 294, 1020, 5, 296, 1025, 5, 295, 1040, 5, 174, 1045, 5, 220, 1065, 5, 306, 1070, 5, 225, 1080, 5, 226, 1085, 5, 227, 1090, 5, 228, 1100, 5, 248, 1105, 5, 249, 1110, 5, 250, 1120, 5, 293, 1125, 5, 288, 1130, 5, 289, 1135, 5, 291, 1140, 5, 290, 1145, 5, 292, 1150, 5, 266, 1155, 5, 267, 1170, 5, 268, 1175, 5, 269, 1180, 5, 270, 1190, 5, 271, 1195, 5, 272, 1200, 5, 273, 1210, 5, 274, 1215, 5, 275, 1220, 5, 276, 1230, 5, 277, 1250, 5, 278, 1255, 5, 279, 1260, 5, 280, 1265, 5, 281, 1270, 5, 282, 1275, 5, 283, 1280, 5, 284, 1285, 5, 285, 1290, 5, 286, 1295, 5, 287, 1313, 5, 244, 1315, 5, 245, 1320, 5, 247, 1325, 5, 246, 1330, 5, 229, 1350, 5, 312, 1400, 5, 313, 1450, 5, 318, 1455, 5, 319, 1460, 5, 314, 1461, 5, 315, 1465, 5, 178, 1466, 5, 179, 1470, 5, 316, 1471, 5, 171,
  // SpecBranchLayerParams
  2, 1, 5, 125, 2, 5, 125,
  // SpecLoopLayerParams
  4, 1, 0, 0, 2, 3, 0, 3, 5, 125, 4, 5, 125,
  // SpecLoopBreakLayerParams
  0,
  // SpecLoopContinueLayerParams
  0,
  // SpecCopyLayerParams
  0,
  // SpecGreaterThanLayerParams
  1, 2, 2, 0,
  // SpecGreaterEqualLayerParams
  1, 2, 2, 0,
  // SpecLessThanLayerParams
  1, 2, 2, 0,
  // SpecLessEqualLayerParams
  1, 2, 2, 0,
  // SpecEqualLayerParams
  1, 1, 2, 0,
  // SpecNotEqualLayerParams
  1, 1, 2, 0,
  // SpecLogicalAndLayerParams
  0,
  // SpecLogicalOrLayerParams
  0,
  // SpecLogicalXorLayerParams
  0,
  // SpecLogicalNotLayerParams
  0,
  // SpecBorderAmounts
  1, 10, 5, 161,
  // SpecBorderAmounts.EdgeSizes
  2, 1, 0, 0, 2, 0, 0,
  // SpecValidPadding
  1, 1, 5, 160,
  // SpecSamePadding
  1, 1, 0, 0,
  // SpecSamplingMode
  1, 1, 0, 0,
  // SpecBoxCoordinatesMode
  1, 1, 0, 0,
  // SpecWeightParams
  6, 1, 2, 0, 2, 4, 0, 30, 4, 0, 31, 4, 0, 40, 5, 167, 50, 0, 0,
  // SpecQuantizationParams
  3, 1, 0, 0, 101, 5, 168, 102, 5, 169,
  // SpecLinearQuantizationParams
  2, 1, 2, 0, 2, 2, 0,
  // SpecLookUpTableQuantizationParams
  1, 1, 2, 0,
  // SpecConvolutionLayerParams
  13, 1, 0, 0, 2, 0, 0, 10, 0, 0, 20, 0, 0, 30, 0, 0, 40, 0, 0, 50, 5, 162, 51, 5, 163, 60, 0, 0, 70, 0, 0, 90, 5, 166, 91, 5, 166, 100, 0, 0,
  // SpecConvolution3DLayerParams
  24, 1, 0, 0, 2, 0, 0, 10, 0, 0, 20, 0, 0, 21, 0, 0, 22, 0, 0, 31, 0, 0, 32, 0, 0, 33, 0, 0, 40, 0, 0, 41, 0, 0, 42, 0, 0, 50, 0, 0, 60, 5, 166, 61, 5, 166, 70, 0, 0, 80, 0, 0, 81, 0, 0, 82, 0, 0, 83, 0, 0, 84, 0, 0, 85, 0, 0, 86, 0, 0, 87, 0, 0,
  // SpecInnerProductLayerParams
  6, 1, 0, 0, 2, 0, 0, 10, 0, 0, 20, 5, 166, 21, 5, 166, 22, 0, 0,
  // SpecEmbeddingLayerParams
  5, 1, 0, 0, 2, 0, 0, 10, 0, 0, 20, 5, 166, 21, 5, 166,
  // SpecEmbeddingNDLayerParams
  5, 1, 0, 0, 2, 0, 0, 3, 0, 0, 20, 5, 166, 21, 5, 166,
  // SpecBatchnormLayerParams
  8, 1, 0, 0, 5, 0, 0, 6, 0, 0, 10, 2, 0, 15, 5, 166, 16, 5, 166, 17, 5, 166, 18, 5, 166,
  // SpecPoolingLayerParams
  8, 1, 0, 0, 10, 0, 0, 20, 0, 0, 30, 5, 162, 31, 5, 163, 32, 5, 177, 50, 0, 0, 60, 0, 0,
  // SpecPoolingLayerParams.ValidCompletePadding
  1, 10, 0, 0,
  // SpecPooling3DLayerParams
  15, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8, 0, 0, 9, 0, 0, 10, 0, 0, 11, 0, 0, 12, 0, 0, 13, 0, 0, 14, 0, 0, 15, 0, 0,
  // SpecGlobalPooling3DLayerParams
  1, 1, 0, 0,
  // SpecPaddingLayerParams
  4, 1, 5, 181, 2, 5, 182, 3, 5, 183, 10, 5, 160,
  // SpecPaddingLayerParams.PaddingConstant
  1, 1, 2, 0,
  // SpecPaddingLayerParams.PaddingReflection
  0,
  // SpecPaddingLayerParams.PaddingReplication
  0,
  // SpecConcatLayerParams
  1, 100, 0, 0,
  // SpecLRNLayerParams
  4, 1, 2, 0, 2, 2, 0, 3, 0, 0, 4, 2, 0,
  // SpecSoftmaxLayerParams
  0,
  // SpecSplitLayerParams
  1, 1, 0, 0,
  // SpecAddLayerParams
  1, 1, 2, 0,
  // SpecMultiplyLayerParams
  1, 1, 2, 0,
  // SpecUnaryFunctionLayerParams
  5, 1, 0, 0, 2, 2, 0, 3, 2, 0, 4, 2, 0, 5, 2, 0,
  // SpecUpsampleLayerParams
  4, 1, 0, 0, 5, 0, 0, 6, 0, 0, 7, 2, 0,
  // SpecResizeBilinearLayerParams
  2, 1, 0, 0, 2, 5, 164,
  // SpecCropResizeLayerParams
  5, 1, 0, 0, 2, 0, 0, 3, 5, 164, 4, 5, 165, 5, 2, 0,
  // SpecBiasLayerParams
  2, 1, 0, 0, 2, 5, 166,
  // SpecScaleLayerParams
  5, 1, 0, 0, 2, 5, 166, 3, 0, 0, 4, 0, 0, 5, 5, 166,
  // SpecLoadConstantLayerParams
  2, 1, 0, 0, 2, 5, 166,
  // SpecL2NormalizeLayerParams
  1, 1, 2, 0,
  // SpecFlattenLayerParams
  1, 1, 0, 0,
  // SpecReshapeLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecPermuteLayerParams
  1, 1, 0, 0,
  // SpecReorganizeDataLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecSliceLayerParams
  4, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0,
  // SpecReduceLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 0, 0,
  // SpecCropLayerParams
  2, 1, 5, 160, 5, 0, 0,
  // SpecAverageLayerParams
  0,
  // SpecMaxLayerParams
  0,
  // SpecMinLayerParams
  0,
  // SpecDotProductLayerParams
  1, 1, 0, 0,
  // SpecMeanVarianceNormalizeLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 2, 0,
  // SpecSequenceRepeatLayerParams
  1, 1, 0, 0,
  // SpecSimpleRecurrentLayerParams
  9, 1, 0, 0, 2, 0, 0, 10, 5, 142, 15, 0, 0, 20, 0, 0, 30, 5, 166, 31, 5, 166, 32, 5, 166, 100, 0, 0,
  // SpecGRULayerParams
  15, 1, 0, 0, 2, 0, 0, 10, 5, 142, 15, 0, 0, 20, 0, 0, 30, 5, 166, 31, 5, 166, 32, 5, 166, 50, 5, 166, 51, 5, 166, 52, 5, 166, 70, 5, 166, 71, 5, 166, 72, 5, 166, 100, 0, 0,
  // SpecLSTMParams
  6, 10, 0, 0, 20, 0, 0, 30, 0, 0, 40, 0, 0, 50, 0, 0, 60, 2, 0,
  // SpecLSTMWeightParams
  15, 1, 5, 166, 2, 5, 166, 3, 5, 166, 4, 5, 166, 20, 5, 166, 21, 5, 166, 22, 5, 166, 23, 5, 166, 40, 5, 166, 41, 5, 166, 42, 5, 166, 43, 5, 166, 60, 5, 166, 61, 5, 166, 62, 5, 166,
  // SpecUniDirectionalLSTMLayerParams
  6, 1, 0, 0, 2, 0, 0, 10, 5, 142, 15, 5, 213, 20, 5, 214, 100, 0, 0,
  // SpecBiDirectionalLSTMLayerParams
  6, 1, 0, 0, 2, 0, 0, 10, 5, 142, 11, 5, 142, 15, 5, 213, 20, 5, 214,
  // SpecCustomLayerParams
  4, 10, 3, 0, 20, 5, 166, 30, 5, 353, 40, 3, 0,
  // SpecCustomLayerParams.CustomLayerParamValue
  5, 10, 1, 0, 20, 3, 0, 30, 0, 0, 40, 0, 0, 50, 0, 0,
  // SpecTransposeLayerParams
  1, 1, 0, 0,
  // SpecBatchedMatMulLayerParams
  8, 1, 0, 0, 2, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8, 5, 166, 9, 5, 166, 10, 0, 0,
  // SpecConcatNDLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecSoftmaxNDLayerParams
  1, 1, 0, 0,
  // SpecReverseLayerParams
  1, 1, 0, 0,
  // SpecReverseSeqLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecLoadConstantNDLayerParams
  2, 1, 0, 0, 2, 5, 166,
  // SpecFillLikeLayerParams
  1, 1, 2, 0,
  // SpecFillStaticLayerParams
  2, 1, 2, 0, 2, 0, 0,
  // SpecFillDynamicLayerParams
  1, 1, 2, 0,
  // SpecWhereBroadcastableLayerParams
  0,
  // SpecSinLayerParams
  0,
  // SpecCosLayerParams
  0,
  // SpecTanLayerParams
  0,
  // SpecAsinLayerParams
  0,
  // SpecAcosLayerParams
  0,
  // SpecAtanLayerParams
  0,
  // SpecSinhLayerParams
  0,
  // SpecCoshLayerParams
  0,
  // SpecTanhLayerParams
  0,
  // SpecAsinhLayerParams
  0,
  // SpecAcoshLayerParams
  0,
  // SpecAtanhLayerParams
  0,
  // SpecPowBroadcastableLayerParams
  0,
  // SpecExp2LayerParams
  0,
  // SpecWhereNonZeroLayerParams
  0,
  // SpecMatrixBandPartLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecUpperTriangularLayerParams
  1, 1, 0, 0,
  // SpecLowerTriangularLayerParams
  1, 1, 0, 0,
  // SpecBroadcastToLikeLayerParams
  0,
  // SpecBroadcastToStaticLayerParams
  1, 1, 0, 0,
  // SpecBroadcastToDynamicLayerParams
  0,
  // SpecAddBroadcastableLayerParams
  0,
  // SpecMaxBroadcastableLayerParams
  0,
  // SpecMinBroadcastableLayerParams
  0,
  // SpecModBroadcastableLayerParams
  0,
  // SpecFloorDivBroadcastableLayerParams
  0,
  // SpecSubtractBroadcastableLayerParams
  0,
  // SpecMultiplyBroadcastableLayerParams
  0,
  // SpecDivideBroadcastableLayerParams
  0,
  // SpecGatherLayerParams
  1, 1, 0, 0,
  // SpecScatterLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecGatherNDLayerParams
  0,
  // SpecScatterNDLayerParams
  1, 1, 0, 0,
  // SpecGatherAlongAxisLayerParams
  1, 1, 0, 0,
  // SpecScatterAlongAxisLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecStackLayerParams
  1, 1, 0, 0,
  // SpecRankPreservingReshapeLayerParams
  1, 1, 0, 0,
  // SpecConstantPaddingLayerParams
  3, 1, 2, 0, 2, 0, 0, 3, 0, 0,
  // SpecRandomNormalLikeLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 2, 0,
  // SpecRandomNormalStaticLayerParams
  4, 1, 0, 0, 2, 2, 0, 3, 2, 0, 4, 0, 0,
  // SpecRandomNormalDynamicLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 2, 0,
  // SpecRandomUniformLikeLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 2, 0,
  // SpecRandomUniformStaticLayerParams
  4, 1, 0, 0, 2, 2, 0, 3, 2, 0, 4, 0, 0,
  // SpecRandomUniformDynamicLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 2, 0,
  // SpecRandomBernoulliLikeLayerParams
  2, 1, 0, 0, 2, 2, 0,
  // SpecRandomBernoulliStaticLayerParams
  3, 1, 0, 0, 2, 2, 0, 3, 0, 0,
  // SpecRandomBernoulliDynamicLayerParams
  2, 1, 0, 0, 2, 2, 0,
  // SpecCategoricalDistributionLayerParams
  5, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 2, 0, 5, 2, 0,
  // SpecReduceL1LayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceL2LayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceMaxLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceMinLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceSumLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceProdLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceMeanLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceLogSumLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceSumSquareLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecReduceLogSumExpLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecExpandDimsLayerParams
  1, 1, 0, 0,
  // SpecFlattenTo2DLayerParams
  1, 1, 0, 0,
  // SpecReshapeStaticLayerParams
  1, 1, 0, 0,
  // SpecReshapeLikeLayerParams
  0,
  // SpecReshapeDynamicLayerParams
  0,
  // SpecSqueezeLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecTopKLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecArgMaxLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecArgMinLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecSplitNDLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecCeilLayerParams
  0,
  // SpecRoundLayerParams
  0,
  // SpecFloorLayerParams
  0,
  // SpecSignLayerParams
  0,
  // SpecClipLayerParams
  2, 1, 2, 0, 2, 2, 0,
  // SpecSliceStaticLayerParams
  6, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0,
  // SpecSliceDynamicLayerParams
  5, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0,
  // SpecTileLayerParams
  1, 1, 0, 0,
  // SpecGetShapeLayerParams
  0,
  // SpecErfLayerParams
  0,
  // SpecGeluLayerParams
  1, 1, 0, 0,
  // SpecRangeStaticLayerParams
  3, 1, 2, 0, 2, 2, 0, 3, 2, 0,
  // SpecRangeDynamicLayerParams
  2, 2, 2, 0, 3, 2, 0,
  // SpecSlidingWindowsLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecLayerNormalizationLayerParams
  4, 1, 0, 0, 2, 2, 0, 3, 5, 166, 4, 5, 166,
  // SpecNonMaximumSuppressionLayerParams
  4, 1, 2, 0, 2, 2, 0, 3, 0, 0, 4, 0, 0,
  // SpecClampedReLULayerParams
  2, 1, 2, 0, 2, 2, 0,
  // SpecArgSortLayerParams
  2, 1, 0, 0, 2, 0, 0,
  // SpecSliceBySizeLayerParams
  2, 2, 0, 0, 3, 0, 0,
  // SpecNeuralNetworkClassifier
  8, 1, 5, 144, 2, 5, 128, 5, 0, 0, 6, 0, 0, 10, 5, 321, 100, 5, 73, 101, 5, 74, 200, 3, 0,
  // SpecOneHotLayerParams
  4, 1, 0, 0, 2, 0, 0, 3, 2, 0, 4, 2, 0,
  // SpecCumSumLayerParams
  3, 1, 0, 0, 2, 0, 0, 3, 0, 0,
  // SpecNeuralNetworkRegressor
  5, 1, 5, 144, 2, 5, 128, 5, 0, 0, 6, 0, 0, 10, 5, 321,
  // SpecNetworkUpdateParameters
  5, 1, 5, 322, 2, 5, 325, 3, 5, 81, 10, 5, 84, 20, 5, 81,
  // SpecLossLayer
  3, 1, 3, 0, 10, 5, 323, 11, 5, 324,
  // SpecCategoricalCrossEntropyLossLayer
  2, 1, 3, 0, 2, 3, 0,
  // SpecMeanSquaredErrorLossLayer
  2, 1, 3, 0, 2, 3, 0,
  // SpecOptimizer
  2, 10, 5, 326, 11, 5, 327,
  // SpecSGDOptimizer
  3, 1, 5, 82, 2, 5, 81, 3, 5, 82,
  // SpecAdamOptimizer
  5, 1, 5, 82, 2, 5, 81, 3, 5, 82, 4, 5, 82, 5, 5, 82,
  // SpecVisionFeaturePrint
  2, 20, 5, 329, 21, 5, 330,
  // SpecVisionFeaturePrint.Scene
  1, 1, 0, 0,
  // SpecVisionFeaturePrint.Objects
  2, 1, 0, 0, 100, 3, 0,
  // SpecAudioFeaturePrint
  1, 20, 5, 332,
  // SpecAudioFeaturePrint.Sound
  1, 1, 0, 0,
  // SpecSoundAnalysisPreprocessing
  1, 20, 5, 334,
  // SpecSoundAnalysisPreprocessing.Vggish
  0,
  // SpecTextClassifier
  4, 1, 0, 0, 10, 3, 0, 100, 4, 0, 200, 5, 73,
  // SpecWordTagger
  8, 1, 0, 0, 10, 3, 0, 20, 3, 0, 21, 3, 0, 22, 3, 0, 23, 3, 0, 100, 4, 0, 200, 5, 73,
  // SpecGazetteer
  4, 1, 0, 0, 10, 3, 0, 100, 4, 0, 200, 5, 73,
  // SpecWordEmbedding
  3, 1, 0, 0, 10, 3, 0, 100, 4, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 50,
  // An entry of a map
  2, 1, 3, 0, 2, 0, 0,
  // An entry of a map
  2, 1, 0, 0, 2, 3, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 1, 0,
  // An entry of a map
  2, 1, 0, 0, 2, 1, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 86,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 87,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 88,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 3, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 5, 218,
]
