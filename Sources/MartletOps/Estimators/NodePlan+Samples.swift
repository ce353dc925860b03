import MartletGraph
import MartletKernels
import MartletTensor

extension NodePlan {
  /// An operand [S, C] in `SampleBlocks`: packed once per program if it is constant, else in every run.
  func sampleBlocks(_ index: Int) throws(OperatorError) -> TensorView {
    let shape = operandType(index).shape
    guard let elementCount = SampleBlocks.elementCount(samples: shape[0], columns: shape[1]).value,
      let byteCount = (Extent(elementCount) * 8).value
    else { throw .overBudget("\(shape[0]) samples of \(shape[1]) columns are too large") }
    guard let constant = constant(index) else {
      let samples = contiguous(index, as: .float64)
      let blocks = temporary(.float64, [max(elementCount, 1)])
      emit("pack \(shape)", SampleBlocks.packingKernel(samples, to: blocks))
      return blocks
    }
    return try packed([constant], layout: "sample blocks", parameters: shape, dtype: .float64, byteCount: max(byteCount, 8)) { storage in
      let samples = try constant.dense(as: .float64)
      unsafe SampleBlocks.pack(
        samples.sharedStorage.pointer.assumingMemoryBound(to: Double.self), count: shape[0], columns: shape[1],
        to: storage.pointer.assumingMemoryBound(to: Double.self))
    }
  }
}

extension Constant {
  /// The elements row-major, converted to `dtype`.
  func dense(as dtype: DType) throws -> HostTensor {
    let bytes = try bytes()
    let storage = try TensorStorage(for: dtype, shape: type.shape)
    unsafe copyElements(
      shape: type.shape, from: bytes.pointer, ElementPlacement(type.dtype, strides: strides), to: storage.pointer,
      ElementPlacement(dtype, strides: Shape.contiguousStrides(type.shape)))
    withExtendedLifetime(bytes.owner) {}
    return HostTensor(dtype: dtype, shape: type.shape, storage: storage)
  }
}
