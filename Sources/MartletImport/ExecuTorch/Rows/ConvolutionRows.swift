import MartletGraph
import MartletOps
import MartletTensor

/// Convolutions.
let convolutionRows: CallTable = [:]
