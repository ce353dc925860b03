import MartletGraph
import MartletOps
import MartletTensor

/// Numbers that are not tensors.
let scalarRows: CallTable = [:]
