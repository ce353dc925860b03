import MartletGraph
import MartletOps
import MartletTensor

/// Reductions, scans and selections along axes.
let reductionRows: CallTable = [:]
