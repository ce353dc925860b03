package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Crops boxes from images and resizes them with linear interpolation.
/// - Operands: 0 the images `[B, C, H, W]`; 1 the boxes `[N, 4]`, or `[N, 5]` with the image index first; 2 the image indices `[N]` of
///   the boxes, absent if operand 1 contains them or each box is cropped from all images.
/// - Shapes: `[N, C, height, width]`, or `[N, B, C, height, width]` if each box is cropped from all images.
/// - DTypes: floating point, computed in float32; boxes floating point or integers, image indices integers.
/// - Errors: an image index out of range fails the call.
/// - Accuracy: a few roundings for the coordinates, which cost ulps at the magnitude of the image size, and two for the value.
/// - Sources: MIL `crop_resize`.
package struct CropResize: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .floating), .init("boxes", .indices, .placeLike), .init("images", .indices, .integer, isOptional: true),
    ], accuracy: .ulp)

  package var height: IntArgument
  package var width: IntArgument
  package var sampling: CropSampling
  package var name: String { "crop_resize" }

  package init(height: IntArgument, width: IntArgument, sampling: CropSampling) {
    self.height = height
    self.width = width
    self.sampling = sampling
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let boxes = try operands.tensor(1)
    let indices = operands.optionalTensor(2)
    guard x.dtype.isFloatingPoint, boxes.dtype.isFloatingPoint || boxes.dtype.isInteger else {
      throw .unsupported("boxes of \(boxes.dtype) in images of \(x.dtype)")
    }
    guard x.rank == 4, boxes.rank == 2, boxes.shape[1] == 4 || boxes.shape[1] == 5 && indices == nil,
      x.shape[2] > 0, x.shape[3] > 0
    else { throw .invalid("boxes \(boxes.shape) do not fit images \(x.shape)") }
    if let indices, indices.shape != [boxes.shape[0]] || !indices.dtype.isInteger {
      throw .invalid("image indices \(indices) do not fit \(boxes.shape[0]) boxes")
    }
    let (height, width) = (try operands.int(height), try operands.int(width))
    guard height > 0, width > 0 else { throw .invalid("crops of \(height) by \(width) pixels are empty") }
    let isIndexed = indices != nil || boxes.shape[1] == 5
    return [
      .tensor(TensorType(x.dtype, [boxes.shape[0]] + (isIndexed ? [] : [x.shape[0]]) + [x.shape[1], height, width]))
    ]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let boxes = operands.shape(1), boxes.count == 2, let x = operands.shape(0), x.count == 4 else { return nil }
    let isIndexed = operands.shape(2) != nil || boxes[1] == .fixed(5)
    let images: [SymbolicExtent?] = isIndexed ? [] : [x[0]]
    return [boxes[0]] + images + [x[1], operands.extent(height), operands.extent(width)]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    if node.outputs[0].isEmpty { return }
    let x = node.strided(0, as: .float32)
    var boxes = node.strided(1, as: .float32)
    var indices: TensorView?
    if node.has(2) {
      indices = node.contiguous(2, as: .int64)
    } else if boxes.shape[1] == 5 {
      let numbers = node.temporary(.int64, [boxes.shape[0]])
      node.builder.emitCopy(from: boxes.selected(axis: 1, index: 0), to: numbers, source: node.source)
      indices = numbers
      boxes = boxes.sliced(axis: 1, start: 1, count: 4, step: 1)
    }
    let y = node.staging(0, as: .float32)
    node.emit(
      "crop_resize \(y.shape)", flops: Double(8 * y.elementCount), work: .single, sampling.kernel(x, boxes: boxes, indices: indices, to: y))
    node.finish(0, from: y)
  }
}
