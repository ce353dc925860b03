import MartletGraph
import MartletOps
import MartletTensor

/// Matrix products, distances and attention.
let linearAlgebraRows: CallTable = [:]
