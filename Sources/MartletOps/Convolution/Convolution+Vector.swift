import MartletGraph
import MartletKernels
import MartletTensor

extension Convolution {
  /// Plans the float32 vector kernels. Returns false if they do not serve this convolution.
  func planVector(_ node: NodePlan) throws(OperatorError) -> Bool { false }
}
