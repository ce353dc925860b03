// Written by generate.py from the .proto files; not to be edited.
// swift-format-ignore-file

extension ProtobufSchema {
  /// The messages of the Core ML model format, by `ProtobufMessage.number`.
  static let coreML = ProtobufSchema(messageCount: 354, fields)
}

/// For each message the count of its fields; for each field its number, its kind, and the number of the message in it.
private let fields: [UInt16] = [
  // SpecGLMRegressor
  2, 1, 4, 1, 2, 1, 0,
  // SpecGLMRegressor.DoubleArray
  1, 1, 1, 0,
  // SpecGLMClassifier
  4, 1, 4, 3, 2, 1, 0, 100, 4, 73, 101, 4, 74,
  // SpecGLMClassifier.DoubleArray
  1, 1, 1, 0,
  // SpecLinearKernel
  0,
  // SpecRBFKernel
  0,
  // SpecPolyKernel
  0,
  // SpecSigmoidKernel
  0,
  // SpecKernel
  4, 1, 4, 4, 2, 4, 5, 3, 4, 6, 4, 4, 7,
  // SpecSparseNode
  0,
  // SpecSparseVector
  1, 1, 4, 9,
  // SpecSparseSupportVectors
  1, 1, 4, 10,
  // SpecDenseVector
  1, 1, 1, 0,
  // SpecDenseSupportVectors
  1, 1, 4, 12,
  // SpecCoefficients
  1, 1, 1, 0,
  // SpecSupportVectorRegressor
  4, 1, 4, 8, 2, 4, 11, 3, 4, 13, 4, 4, 14,
  // SpecSupportVectorClassifier
  10, 1, 4, 8, 2, 0, 0, 3, 4, 11, 4, 4, 13, 5, 4, 14, 6, 1, 0, 7, 1, 0, 8, 1, 0, 100, 4, 73, 101, 4, 74,
  // SpecTreeEnsembleParameters
  2, 1, 4, 18, 3, 1, 0,
  // SpecTreeEnsembleParameters.TreeNode
  1, 20, 4, 19,
  // SpecTreeEnsembleParameters.TreeNode.EvaluationInfo
  0,
  // SpecTreeEnsembleClassifier
  3, 1, 4, 17, 100, 4, 73, 101, 4, 74,
  // SpecTreeEnsembleRegressor
  1, 1, 4, 17,
  // SpecKNearestNeighborsClassifier
  7, 1, 4, 23, 3, 4, 81, 100, 4, 73, 101, 4, 74, 110, 3, 0, 200, 4, 24, 210, 4, 25,
  // SpecNearestNeighborsIndex
  4, 2, 4, 75, 100, 4, 26, 110, 4, 27, 200, 4, 28,
  // SpecUniformWeighting
  0,
  // SpecInverseDistanceWeighting
  0,
  // SpecLinearIndex
  0,
  // SpecSingleKdTreeIndex
  0,
  // SpecSquaredEuclideanDistance
  0,
  // SpecBayesianProbitRegressor
  10, 2, 4, 30, 3, 4, 32, 10, 3, 0, 11, 3, 0, 12, 3, 0, 13, 3, 0, 20, 3, 0, 21, 3, 0, 22, 3, 0, 23, 3, 0,
  // SpecBayesianProbitRegressor.Gaussian
  0,
  // SpecBayesianProbitRegressor.FeatureValueWeight
  1, 2, 4, 30,
  // SpecBayesianProbitRegressor.FeatureWeight
  1, 2, 4, 31,
  // SpecItemSimilarityRecommender
  9, 1, 4, 35, 2, 4, 73, 3, 4, 74, 10, 3, 0, 11, 3, 0, 12, 3, 0, 13, 3, 0, 20, 3, 0, 21, 3, 0,
  // SpecItemSimilarityRecommender.ConnectedItem
  0,
  // SpecItemSimilarityRecommender.SimilarItems
  1, 2, 4, 34,
  // SpecArrayFeatureExtractor
  1, 1, 0, 0,
  // SpecCategoricalMapping
  3, 1, 4, 69, 2, 4, 70, 101, 3, 0,
  // SpecDictVectorizer
  2, 1, 4, 73, 2, 4, 74,
  // SpecFeatureVectorizer
  1, 1, 4, 40,
  // SpecFeatureVectorizer.InputColumn
  1, 1, 3, 0,
  // SpecIdentity
  0,
  // SpecImputer
  6, 3, 3, 0, 4, 4, 76, 5, 4, 74, 6, 4, 71, 7, 4, 72, 13, 3, 0,
  // SpecNormalizer
  0,
  // SpecOneHotEncoder
  2, 1, 4, 73, 2, 4, 74,
  // SpecScaler
  2, 1, 1, 0, 2, 1, 0,
  // SpecNonMaximumSuppression
  9, 1, 4, 47, 100, 4, 73, 101, 4, 74, 200, 3, 0, 201, 3, 0, 202, 3, 0, 203, 3, 0, 210, 3, 0, 211, 3, 0,
  // SpecNonMaximumSuppression.PickTop
  0,
  // SpecClassConfidenceThresholding
  1, 100, 4, 80,
  // SpecCustomModel
  3, 10, 3, 0, 30, 4, 339, 40, 3, 0,
  // SpecCustomModel.CustomModelParamValue
  1, 20, 3, 0,
  // SpecLinkedModel
  1, 1, 4, 52,
  // SpecLinkedModelFile
  2, 1, 4, 83, 2, 4, 83,
  // SpecInt64FeatureType
  0,
  // SpecDoubleFeatureType
  0,
  // SpecStringFeatureType
  0,
  // SpecSizeRange
  0,
  // SpecImageFeatureType
  2, 21, 4, 59, 31, 4, 60,
  // SpecImageFeatureType.ImageSize
  0,
  // SpecImageFeatureType.EnumeratedImageSizes
  1, 1, 4, 58,
  // SpecImageFeatureType.ImageSizeRange
  2, 1, 4, 56, 2, 4, 56,
  // SpecArrayFeatureType
  3, 1, 0, 0, 21, 4, 63, 31, 4, 64,
  // SpecArrayFeatureType.Shape
  1, 1, 0, 0,
  // SpecArrayFeatureType.EnumeratedShapes
  1, 1, 4, 62,
  // SpecArrayFeatureType.ShapeRange
  1, 1, 4, 56,
  // SpecDictionaryFeatureType
  2, 1, 4, 53, 2, 4, 55,
  // SpecSequenceFeatureType
  3, 1, 4, 53, 3, 4, 55, 101, 4, 56,
  // SpecStateFeatureType
  1, 1, 4, 61,
  // SpecFeatureType
  8, 1, 4, 53, 2, 4, 54, 3, 4, 55, 4, 4, 57, 5, 4, 61, 6, 4, 65, 7, 4, 66, 8, 4, 67,
  // SpecStringToInt64Map
  1, 1, 4, 340,
  // SpecInt64ToStringMap
  1, 1, 4, 341,
  // SpecStringToDoubleMap
  1, 1, 4, 342,
  // SpecInt64ToDoubleMap
  1, 1, 4, 343,
  // SpecStringVector
  1, 1, 3, 0,
  // SpecInt64Vector
  1, 1, 0, 0,
  // SpecFloatVector
  1, 1, 2, 0,
  // SpecDoubleVector
  1, 1, 1, 0,
  // SpecInt64Range
  0,
  // SpecInt64Set
  1, 1, 0, 0,
  // SpecDoubleRange
  0,
  // SpecPrecisionRecallCurve
  4, 1, 4, 75, 2, 4, 75, 3, 4, 75, 4, 4, 75,
  // SpecInt64Parameter
  2, 10, 4, 77, 11, 4, 78,
  // SpecDoubleParameter
  1, 10, 4, 79,
  // SpecStringParameter
  1, 1, 3, 0,
  // SpecBoolParameter
  0,
  // MILSpecProgram
  3, 2, 4, 344, 3, 3, 0, 4, 4, 345,
  // MILSpecFunction
  4, 1, 4, 91, 2, 3, 0, 3, 4, 346, 4, 4, 347,
  // MILSpecBlock
  4, 1, 4, 91, 2, 3, 0, 3, 4, 90, 4, 4, 348,
  // MILSpecArgument
  1, 1, 4, 89,
  // MILSpecArgument.Binding
  2, 1, 3, 0, 2, 4, 101,
  // MILSpecOperation
  5, 1, 3, 0, 2, 4, 349, 3, 4, 91, 4, 4, 87, 5, 4, 350,
  // MILSpecNamedValueType
  2, 1, 3, 0, 2, 4, 92,
  // MILSpecValueType
  5, 1, 4, 93, 2, 4, 95, 3, 4, 94, 4, 4, 96, 5, 4, 97,
  // MILSpecTensorType
  2, 3, 4, 98, 4, 4, 351,
  // MILSpecTupleType
  1, 1, 4, 92,
  // MILSpecListType
  2, 1, 4, 92, 2, 4, 98,
  // MILSpecDictionaryType
  2, 1, 4, 92, 2, 4, 92,
  // MILSpecStateType
  1, 1, 4, 92,
  // MILSpecDimension
  2, 1, 4, 99, 2, 4, 100,
  // MILSpecDimension.ConstantDimension
  0,
  // MILSpecDimension.UnknownDimension
  0,
  // MILSpecValue
  4, 1, 3, 0, 2, 4, 92, 3, 4, 102, 5, 4, 103,
  // MILSpecValue.ImmediateValue
  4, 1, 4, 104, 2, 4, 112, 3, 4, 113, 4, 4, 114,
  // MILSpecValue.BlobFileValue
  1, 1, 3, 0,
  // MILSpecTensorValue
  7, 1, 4, 105, 2, 4, 107, 3, 4, 109, 4, 4, 110, 5, 4, 108, 6, 4, 106, 7, 4, 111,
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
  0,
  // MILSpecTupleValue
  1, 1, 4, 101,
  // MILSpecListValue
  1, 1, 4, 101,
  // MILSpecDictionaryValue
  1, 1, 4, 115,
  // MILSpecDictionaryValue.KeyValuePair
  2, 1, 4, 101, 2, 4, 101,
  // SpecPipeline
  2, 1, 4, 124, 2, 3, 0,
  // SpecPipelineClassifier
  1, 1, 4, 116,
  // SpecPipelineRegressor
  1, 1, 4, 116,
  // SpecFeatureDescription
  3, 1, 3, 0, 2, 3, 0, 3, 4, 68,
  // SpecMetadata
  5, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 3, 0, 100, 4, 352,
  // SpecFunctionDescription
  6, 1, 3, 0, 2, 4, 119, 3, 4, 119, 4, 3, 0, 5, 3, 0, 6, 4, 119,
  // SpecModelDescription
  9, 1, 4, 119, 10, 4, 119, 11, 3, 0, 12, 3, 0, 13, 4, 119, 20, 4, 121, 21, 3, 0, 50, 4, 119, 100, 4, 120,
  // SpecSerializedModel
  1, 1, 3, 0,
  // SpecModel
  38, 2, 4, 122, 200, 4, 117, 201, 4, 118, 202, 4, 116, 300, 4, 0, 301, 4, 15, 302, 4, 21, 303, 4, 320, 304, 4, 29, 400, 4, 2, 401, 4, 16, 402, 4, 20, 403, 4, 317, 404, 4, 22, 500, 4, 125, 501, 4, 33, 502, 4, 85, 555, 4, 49, 556, 4, 51, 560, 4, 48, 600, 4, 44, 601, 4, 42, 602, 4, 39, 603, 4, 38, 604, 4, 45, 606, 4, 37, 607, 4, 43, 609, 4, 36, 610, 4, 46, 900, 4, 41, 2000, 4, 335, 2001, 4, 336, 2002, 4, 328, 2003, 4, 333, 2004, 4, 337, 2005, 4, 338, 2006, 4, 331, 3000, 4, 123,
  // SpecNeuralNetwork
  3, 1, 4, 144, 2, 4, 128, 10, 4, 321,
  // SpecNeuralNetworkImageScaler
  0,
  // SpecNeuralNetworkMeanImage
  1, 1, 2, 0,
  // SpecNeuralNetworkPreprocessing
  3, 1, 3, 0, 10, 4, 126, 11, 4, 127,
  // SpecActivationReLU
  0,
  // SpecActivationLeakyReLU
  0,
  // SpecActivationTanh
  0,
  // SpecActivationScaledTanh
  0,
  // SpecActivationSigmoid
  0,
  // SpecActivationLinear
  0,
  // SpecActivationSigmoidHard
  0,
  // SpecActivationPReLU
  1, 1, 4, 166,
  // SpecActivationELU
  0,
  // SpecActivationThresholdedReLU
  0,
  // SpecActivationSoftsign
  0,
  // SpecActivationSoftplus
  0,
  // SpecActivationParametricSoftplus
  2, 1, 4, 166, 2, 4, 166,
  // SpecActivationParams
  13, 5, 4, 134, 10, 4, 129, 15, 4, 130, 20, 4, 138, 25, 4, 136, 30, 4, 131, 31, 4, 132, 40, 4, 133, 41, 4, 135, 50, 4, 137, 60, 4, 139, 70, 4, 140, 71, 4, 141,
  // SpecTensor
  1, 2, 0, 0,
  // SpecNeuralNetworkLayer
  163, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 4, 143, 5, 4, 143, 100, 4, 170, 120, 4, 176, 130, 4, 142, 140, 4, 172, 150, 4, 173, 160, 4, 175, 165, 4, 209, 170, 4, 197, 175, 4, 186, 180, 4, 185, 190, 4, 204, 200, 4, 180, 210, 4, 191, 211, 4, 192, 212, 4, 193, 220, 4, 190, 230, 4, 188, 231, 4, 189, 240, 4, 205, 245, 4, 195, 250, 4, 194, 260, 4, 206, 261, 4, 207, 270, 4, 208, 280, 4, 203, 290, 4, 196, 300, 4, 199, 301, 4, 198, 310, 4, 200, 320, 4, 184, 330, 4, 187, 340, 4, 210, 345, 4, 201, 350, 4, 202, 400, 4, 211, 410, 4, 212, 420, 4, 215, 430, 4, 216, 500, 4, 217, 600, 4, 149, 605, 4, 145, 615, 4, 146, 620, 4, 147, 625, 4, 148, 635, 4, 309, 640, 4, 310, 660, 4, 302, 665, 4, 298, 670, 4, 300, 680, 4, 301, 685, 4, 299, 700, 4, 243, 710, 4, 230, 715, 4, 231, 720, 4, 232, 730, 4, 233, 735, 4, 234, 740, 4, 235, 750, 4, 236, 755, 4, 237, 760, 4, 238, 770, 4, 239, 775, 4, 240, 780, 4, 241, 790, 4, 307, 795, 4, 308, 815, 4, 154, 820, 4, 155, 825, 4, 152, 827, 4, 153, 830, 4, 150, 832, 4, 151, 840, 4, 157, 845, 4, 158, 850, 4, 159, 855, 4, 156, 865, 4, 254, 870, 4, 253, 875, 4, 252, 880, 4, 251, 885, 4, 242, 890, 4, 258, 895, 4, 255, 900, 4, 257, 905, 4, 256, 920, 4, 305, 925, 4, 265, 930, 4, 259, 935, 4, 260, 940, 4, 261, 945, 4, 262, 950, 4, 222, 952, 4, 263, 954, 4, 264, 960, 4, 223, 965, 4, 224, 975, 4, 297, 980, 4, 221, 985, 4, 219, 995, 4, 303, 1000, 4, 304, 1005, 4, 311, 1015, 4, 294, 1020, 4, 296, 1025, 4, 295, 1040, 4, 174, 1045, 4, 220, 1065, 4, 306, 1070, 4, 225, 1080, 4, 226, 1085, 4, 227, 1090, 4, 228, 1100, 4, 248, 1105, 4, 249, 1110, 4, 250, 1120, 4, 293, 1125, 4, 288, 1130, 4, 289, 1135, 4, 291, 1140, 4, 290, 1145, 4, 292, 1150, 4, 266, 1155, 4, 267, 1170, 4, 268, 1175, 4, 269, 1180, 4, 270, 1190, 4, 271, 1195, 4, 272, 1200, 4, 273, 1210, 4, 274, 1215, 4, 275, 1220, 4, 276, 1230, 4, 277, 1250, 4, 278, 1255, 4, 279, 1260, 4, 280, 1265, 4, 281, 1270, 4, 282, 1275, 4, 283, 1280, 4, 284, 1285, 4, 285, 1290, 4, 286, 1295, 4, 287, 1313, 4, 244, 1315, 4, 245, 1320, 4, 247, 1325, 4, 246, 1330, 4, 229, 1350, 4, 312, 1400, 4, 313, 1450, 4, 318, 1455, 4, 319, 1460, 4, 314, 1461, 4, 315, 1465, 4, 178, 1466, 4, 179, 1470, 4, 316, 1471, 4, 171,
  // SpecBranchLayerParams
  2, 1, 4, 125, 2, 4, 125,
  // SpecLoopLayerParams
  3, 2, 3, 0, 3, 4, 125, 4, 4, 125,
  // SpecLoopBreakLayerParams
  0,
  // SpecLoopContinueLayerParams
  0,
  // SpecCopyLayerParams
  0,
  // SpecGreaterThanLayerParams
  0,
  // SpecGreaterEqualLayerParams
  0,
  // SpecLessThanLayerParams
  0,
  // SpecLessEqualLayerParams
  0,
  // SpecEqualLayerParams
  0,
  // SpecNotEqualLayerParams
  0,
  // SpecLogicalAndLayerParams
  0,
  // SpecLogicalOrLayerParams
  0,
  // SpecLogicalXorLayerParams
  0,
  // SpecLogicalNotLayerParams
  0,
  // SpecBorderAmounts
  1, 10, 4, 161,
  // SpecBorderAmounts.EdgeSizes
  0,
  // SpecValidPadding
  1, 1, 4, 160,
  // SpecSamePadding
  0,
  // SpecSamplingMode
  0,
  // SpecBoxCoordinatesMode
  0,
  // SpecWeightParams
  2, 1, 2, 0, 40, 4, 167,
  // SpecQuantizationParams
  2, 101, 4, 168, 102, 4, 169,
  // SpecLinearQuantizationParams
  2, 1, 2, 0, 2, 2, 0,
  // SpecLookUpTableQuantizationParams
  1, 1, 2, 0,
  // SpecConvolutionLayerParams
  8, 20, 0, 0, 30, 0, 0, 40, 0, 0, 50, 4, 162, 51, 4, 163, 90, 4, 166, 91, 4, 166, 100, 0, 0,
  // SpecConvolution3DLayerParams
  3, 60, 4, 166, 61, 4, 166, 87, 0, 0,
  // SpecInnerProductLayerParams
  2, 20, 4, 166, 21, 4, 166,
  // SpecEmbeddingLayerParams
  2, 20, 4, 166, 21, 4, 166,
  // SpecEmbeddingNDLayerParams
  2, 20, 4, 166, 21, 4, 166,
  // SpecBatchnormLayerParams
  4, 15, 4, 166, 16, 4, 166, 17, 4, 166, 18, 4, 166,
  // SpecPoolingLayerParams
  5, 10, 0, 0, 20, 0, 0, 30, 4, 162, 31, 4, 163, 32, 4, 177,
  // SpecPoolingLayerParams.ValidCompletePadding
  1, 10, 0, 0,
  // SpecPooling3DLayerParams
  0,
  // SpecGlobalPooling3DLayerParams
  0,
  // SpecPaddingLayerParams
  4, 1, 4, 181, 2, 4, 182, 3, 4, 183, 10, 4, 160,
  // SpecPaddingLayerParams.PaddingConstant
  0,
  // SpecPaddingLayerParams.PaddingReflection
  0,
  // SpecPaddingLayerParams.PaddingReplication
  0,
  // SpecConcatLayerParams
  0,
  // SpecLRNLayerParams
  0,
  // SpecSoftmaxLayerParams
  0,
  // SpecSplitLayerParams
  0,
  // SpecAddLayerParams
  0,
  // SpecMultiplyLayerParams
  0,
  // SpecUnaryFunctionLayerParams
  0,
  // SpecUpsampleLayerParams
  2, 1, 0, 0, 7, 2, 0,
  // SpecResizeBilinearLayerParams
  2, 1, 0, 0, 2, 4, 164,
  // SpecCropResizeLayerParams
  3, 1, 0, 0, 3, 4, 164, 4, 4, 165,
  // SpecBiasLayerParams
  2, 1, 0, 0, 2, 4, 166,
  // SpecScaleLayerParams
  4, 1, 0, 0, 2, 4, 166, 4, 0, 0, 5, 4, 166,
  // SpecLoadConstantLayerParams
  2, 1, 0, 0, 2, 4, 166,
  // SpecL2NormalizeLayerParams
  0,
  // SpecFlattenLayerParams
  0,
  // SpecReshapeLayerParams
  1, 1, 0, 0,
  // SpecPermuteLayerParams
  1, 1, 0, 0,
  // SpecReorganizeDataLayerParams
  0,
  // SpecSliceLayerParams
  0,
  // SpecReduceLayerParams
  0,
  // SpecCropLayerParams
  2, 1, 4, 160, 5, 0, 0,
  // SpecAverageLayerParams
  0,
  // SpecMaxLayerParams
  0,
  // SpecMinLayerParams
  0,
  // SpecDotProductLayerParams
  0,
  // SpecMeanVarianceNormalizeLayerParams
  0,
  // SpecSequenceRepeatLayerParams
  0,
  // SpecSimpleRecurrentLayerParams
  4, 10, 4, 142, 30, 4, 166, 31, 4, 166, 32, 4, 166,
  // SpecGRULayerParams
  10, 10, 4, 142, 30, 4, 166, 31, 4, 166, 32, 4, 166, 50, 4, 166, 51, 4, 166, 52, 4, 166, 70, 4, 166, 71, 4, 166, 72, 4, 166,
  // SpecLSTMParams
  0,
  // SpecLSTMWeightParams
  15, 1, 4, 166, 2, 4, 166, 3, 4, 166, 4, 4, 166, 20, 4, 166, 21, 4, 166, 22, 4, 166, 23, 4, 166, 40, 4, 166, 41, 4, 166, 42, 4, 166, 43, 4, 166, 60, 4, 166, 61, 4, 166, 62, 4, 166,
  // SpecUniDirectionalLSTMLayerParams
  3, 10, 4, 142, 15, 4, 213, 20, 4, 214,
  // SpecBiDirectionalLSTMLayerParams
  4, 10, 4, 142, 11, 4, 142, 15, 4, 213, 20, 4, 214,
  // SpecCustomLayerParams
  4, 10, 3, 0, 20, 4, 166, 30, 4, 353, 40, 3, 0,
  // SpecCustomLayerParams.CustomLayerParamValue
  1, 20, 3, 0,
  // SpecTransposeLayerParams
  1, 1, 0, 0,
  // SpecBatchedMatMulLayerParams
  2, 8, 4, 166, 9, 4, 166,
  // SpecConcatNDLayerParams
  0,
  // SpecSoftmaxNDLayerParams
  0,
  // SpecReverseLayerParams
  1, 1, 0, 0,
  // SpecReverseSeqLayerParams
  0,
  // SpecLoadConstantNDLayerParams
  2, 1, 0, 0, 2, 4, 166,
  // SpecFillLikeLayerParams
  0,
  // SpecFillStaticLayerParams
  1, 2, 0, 0,
  // SpecFillDynamicLayerParams
  0,
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
  0,
  // SpecUpperTriangularLayerParams
  0,
  // SpecLowerTriangularLayerParams
  0,
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
  0,
  // SpecScatterLayerParams
  0,
  // SpecGatherNDLayerParams
  0,
  // SpecScatterNDLayerParams
  0,
  // SpecGatherAlongAxisLayerParams
  0,
  // SpecScatterAlongAxisLayerParams
  0,
  // SpecStackLayerParams
  0,
  // SpecRankPreservingReshapeLayerParams
  1, 1, 0, 0,
  // SpecConstantPaddingLayerParams
  1, 2, 0, 0,
  // SpecRandomNormalLikeLayerParams
  0,
  // SpecRandomNormalStaticLayerParams
  1, 4, 0, 0,
  // SpecRandomNormalDynamicLayerParams
  0,
  // SpecRandomUniformLikeLayerParams
  0,
  // SpecRandomUniformStaticLayerParams
  1, 4, 0, 0,
  // SpecRandomUniformDynamicLayerParams
  0,
  // SpecRandomBernoulliLikeLayerParams
  0,
  // SpecRandomBernoulliStaticLayerParams
  1, 3, 0, 0,
  // SpecRandomBernoulliDynamicLayerParams
  0,
  // SpecCategoricalDistributionLayerParams
  0,
  // SpecReduceL1LayerParams
  1, 1, 0, 0,
  // SpecReduceL2LayerParams
  1, 1, 0, 0,
  // SpecReduceMaxLayerParams
  1, 1, 0, 0,
  // SpecReduceMinLayerParams
  1, 1, 0, 0,
  // SpecReduceSumLayerParams
  1, 1, 0, 0,
  // SpecReduceProdLayerParams
  1, 1, 0, 0,
  // SpecReduceMeanLayerParams
  1, 1, 0, 0,
  // SpecReduceLogSumLayerParams
  1, 1, 0, 0,
  // SpecReduceSumSquareLayerParams
  1, 1, 0, 0,
  // SpecReduceLogSumExpLayerParams
  1, 1, 0, 0,
  // SpecExpandDimsLayerParams
  1, 1, 0, 0,
  // SpecFlattenTo2DLayerParams
  0,
  // SpecReshapeStaticLayerParams
  1, 1, 0, 0,
  // SpecReshapeLikeLayerParams
  0,
  // SpecReshapeDynamicLayerParams
  0,
  // SpecSqueezeLayerParams
  1, 1, 0, 0,
  // SpecTopKLayerParams
  0,
  // SpecArgMaxLayerParams
  0,
  // SpecArgMinLayerParams
  0,
  // SpecSplitNDLayerParams
  1, 3, 0, 0,
  // SpecCeilLayerParams
  0,
  // SpecRoundLayerParams
  0,
  // SpecFloorLayerParams
  0,
  // SpecSignLayerParams
  0,
  // SpecClipLayerParams
  0,
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
  0,
  // SpecRangeStaticLayerParams
  0,
  // SpecRangeDynamicLayerParams
  0,
  // SpecSlidingWindowsLayerParams
  0,
  // SpecLayerNormalizationLayerParams
  3, 1, 0, 0, 3, 4, 166, 4, 4, 166,
  // SpecNonMaximumSuppressionLayerParams
  0,
  // SpecClampedReLULayerParams
  0,
  // SpecArgSortLayerParams
  0,
  // SpecSliceBySizeLayerParams
  0,
  // SpecNeuralNetworkClassifier
  6, 1, 4, 144, 2, 4, 128, 10, 4, 321, 100, 4, 73, 101, 4, 74, 200, 3, 0,
  // SpecOneHotLayerParams
  0,
  // SpecCumSumLayerParams
  0,
  // SpecNeuralNetworkRegressor
  3, 1, 4, 144, 2, 4, 128, 10, 4, 321,
  // SpecNetworkUpdateParameters
  5, 1, 4, 322, 2, 4, 325, 3, 4, 81, 10, 4, 84, 20, 4, 81,
  // SpecLossLayer
  3, 1, 3, 0, 10, 4, 323, 11, 4, 324,
  // SpecCategoricalCrossEntropyLossLayer
  2, 1, 3, 0, 2, 3, 0,
  // SpecMeanSquaredErrorLossLayer
  2, 1, 3, 0, 2, 3, 0,
  // SpecOptimizer
  2, 10, 4, 326, 11, 4, 327,
  // SpecSGDOptimizer
  3, 1, 4, 82, 2, 4, 81, 3, 4, 82,
  // SpecAdamOptimizer
  5, 1, 4, 82, 2, 4, 81, 3, 4, 82, 4, 4, 82, 5, 4, 82,
  // SpecVisionFeaturePrint
  2, 20, 4, 329, 21, 4, 330,
  // SpecVisionFeaturePrint.Scene
  0,
  // SpecVisionFeaturePrint.Objects
  1, 100, 3, 0,
  // SpecAudioFeaturePrint
  1, 20, 4, 332,
  // SpecAudioFeaturePrint.Sound
  0,
  // SpecSoundAnalysisPreprocessing
  1, 20, 4, 334,
  // SpecSoundAnalysisPreprocessing.Vggish
  0,
  // SpecTextClassifier
  2, 10, 3, 0, 200, 4, 73,
  // SpecWordTagger
  6, 10, 3, 0, 20, 3, 0, 21, 3, 0, 22, 3, 0, 23, 3, 0, 200, 4, 73,
  // SpecGazetteer
  2, 10, 3, 0, 200, 4, 73,
  // SpecWordEmbedding
  1, 10, 3, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 50,
  // An entry of a map
  1, 1, 3, 0,
  // An entry of a map
  1, 2, 3, 0,
  // An entry of a map
  1, 1, 3, 0,
  // An entry of a map
  0,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 86,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 87,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 88,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 101,
  // An entry of a map
  2, 1, 3, 0, 2, 3, 0,
  // An entry of a map
  2, 1, 3, 0, 2, 4, 218,
]
