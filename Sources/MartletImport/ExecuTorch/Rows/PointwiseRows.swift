import MartletGraph
import MartletOps
import MartletTensor

/// Arithmetic, comparisons, logic, activations and casts.
let pointwiseRows: CallTable = [:]
