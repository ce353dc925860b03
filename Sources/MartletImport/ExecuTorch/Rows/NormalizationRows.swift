import MartletGraph
import MartletOps
import MartletTensor

/// Softmax and normalisations.
let normalizationRows: CallTable = [:]
