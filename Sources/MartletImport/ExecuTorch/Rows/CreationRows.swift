import MartletGraph
import MartletOps
import MartletTensor

/// Tensors made from numbers: fill, full, arange and the like.
let creationRows: CallTable = [:]
