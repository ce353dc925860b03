import MartletGraph
import MartletOps
import MartletTensor

/// Random numbers.
let randomRows: CallTable = [:]
