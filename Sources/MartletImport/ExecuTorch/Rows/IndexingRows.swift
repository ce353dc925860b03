import MartletGraph
import MartletOps
import MartletTensor

/// Operators that gather or scatter by index or mask.
let indexingRows: CallTable = [:]
