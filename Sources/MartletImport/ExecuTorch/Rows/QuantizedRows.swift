import MartletGraph
import MartletOps
import MartletTensor

/// Quantisation, and operators on quantised tensors.
let quantizedRows: CallTable = [:]
