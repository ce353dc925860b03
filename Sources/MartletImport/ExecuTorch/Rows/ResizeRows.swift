import MartletGraph
import MartletOps
import MartletTensor

/// Resampling of images.
let resizeRows: CallTable = [:]
