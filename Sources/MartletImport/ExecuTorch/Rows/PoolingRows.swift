import MartletGraph
import MartletOps
import MartletTensor

/// Pooling.
let poolingRows: CallTable = [:]
