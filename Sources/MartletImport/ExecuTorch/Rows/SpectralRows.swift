import MartletGraph
import MartletOps
import MartletTensor

/// Fourier and Hadamard transforms, complex numbers.
let spectralRows: CallTable = [:]
