import MartletGraph
import MartletOps
import MartletTensor

/// Operators that move elements: concatenation, padding, flips, repetition.
let movementRows: CallTable = [:]
