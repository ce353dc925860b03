import MartletCoreMLFile
import MartletGraph

/// One row for each operation.
extension NetworkCall {
  mutating func importLayer() throws {
    switch layer.operation {
    case .convolution(let convolution): try add(convolution)
    case .innerProduct(let product): try add(product)
    case .batchedProduct(let product): try add(product)
    case .embedding(let table, let keepsRank): try embed(table, keepsRank: keepsRank)

    case .activation(let activation): try activate(activation)
    case .function(let function): try apply(function)
    case .unary(let function, let alpha, let epsilon, let scale, let shift):
      try apply(function, alpha: alpha, epsilon: epsilon, scale: scale, shift: shift)
    case .gelu(let form): try applyGelu(form)
    case .clip(let lower, let upper): try clip(lower, upper)
    case .accumulate(let accumulation, let constant): try accumulate(accumulation, constant)
    case .binary(let function): try apply(function)
    case .compare(let comparison, let constant): try compare(comparison, constant)
    case .logical(let logic): try apply(logic)
    case .logicalNot: try negate()
    case .select: try select()
    case .scale(let factors, let bias): try scale(factors, bias)
    case .bias(let bias): try add(bias)
    case .dotProduct(let isCosine): try multiplyVectors(isCosine: isCosine)

    case .batchNorm(let norm): try normalize(norm)
    case .meanVariance(let acrossChannels, let normalizesVariance, let epsilon):
      try normalize(acrossChannels: acrossChannels, normalizesVariance: normalizesVariance, epsilon: epsilon)
    case .l2Normalize(let epsilon): try normalize(epsilon: epsilon)
    case .layerNorm(let shape, let epsilon, let gamma, let beta): try normalize(shape, epsilon: epsilon, gamma, beta)
    case .localResponse(let alpha, let beta, let size, let k): try normalize(alpha: alpha, beta: beta, size: size, k: k)
    case .softmax: try softmax(axis: -3)
    case .softmaxAlong(let axis): try softmax(axis: axis)

    case .pool(let pool): try add(pool)
    case .globalPool3D(let kind): try poolAll(kind, axes: [-3, -2, -1])
    case .pad(let kind, let borders): try pad(kind, borders)
    case .padAll(let value, let amounts, let isOutputSize): try padAll(value, amounts, isOutputSize: isOutputSize)
    case .crop(let borders, let offset): try crop(borders, offset)
    case .upsample(let height, let width, let mode): try upsample(height, width, mode)
    case .resize(let height, let width, let sampling): try resize(height, width, sampling)
    case .cropResize(let crop): try add(crop)
    case .slidingWindows(let axis, let size, let step): try slidingWindows(axis, size, step)
    case .reorganize(let kind, let blockSize): try reorganize(kind, blockSize)

    case .reduceOld(let reduction, let epsilon, let axes): try reduce(reduction, epsilon, axes)
    case .reduce(let reduction, let axes, let keepsAxes): try reduce(reduction, axes: axes, keepsAxes: keepsAxes)
    case .argument(let isMaximum, let axis, let keepsAxis): try position(ofMaximum: isMaximum, axis, keepsAxis: keepsAxis)
    case .topK(let axis, let count, let isSmallest): try topK(axis, count, isSmallest: isSmallest)
    case .argSort(let axis, let isDescending): try argSort(axis, isDescending: isDescending)
    case .cumulativeSum(let axis, let isExclusive, let isReversed):
      try cumulativeSum(axis, isExclusive: isExclusive, isReversed: isReversed)

    case .constant(let constant): try load(constant)
    case .getShape: try getShape()
    case .fill(let value, let target): try fill(value, target)
    case .range(let start, let end, let step): try range(start, end, step)
    case .random(let distribution, let seed, let target): try random(distribution, seed, target)
    case .categorical(let seed, let count, let isLogits, let epsilon, let temperature):
      try categories(seed, count, isLogits: isLogits, epsilon: epsilon, temperature: temperature)
    case .oneHot(let size, let axis, let on, let off): try oneHot(size, axis, on, off)
    case .broadcast(let target): try broadcast(target)
    case .reshape(let target): try reshape(target)
    case .reshapeOld(let shape, let isChannelLast): try reshape(shape, isChannelLast: isChannelLast)
    case .rankPreservingReshape(let shape): try reshapeKeepingRank(shape)
    case .flatten(let isChannelLast): try flatten(isChannelLast: isChannelLast)
    case .flattenTo2D(let axis): try flattenToMatrix(axis)
    case .permuteOld(let axes): try permuteOld(axes)
    case .transpose(let axes): try set(try permuted(try input(), axes))
    case .expandDims(let axes): try expand(axes)
    case .squeeze(let axes): try squeeze(axes)

    case .copy: try set(try input())
    case .concatOld(let isSequence): try concat(isSequence: isSequence)
    case .concat(let axis, let isInterleaved): try concat(axis, isInterleaved: isInterleaved)
    case .stack(let axis): try stack(axis)
    case .splitOld(let count): try split(-3, count: count, sizes: [])
    case .split(let axis, let count, let sizes): try split(axis, count: count, sizes: sizes)
    case .sequenceRepeat(let count): try repeatSequence(count)
    case .tile(let counts): try tile(counts)
    case .reverse(let axes): try reverse(axes)
    case .reverseSequence(let batchAxis, let sequenceAxis): try reverseSequences(batchAxis, sequenceAxis)
    case .sliceOld(let axis, let start, let end, let stride): try slice(axis, start, end, stride)
    case .slice(let slice): try self.slice(slice)
    case .sliceBySize(let axis, let size): try sliceBySize(axis, size)
    case .gather(let axis): try gather(axis)
    case .gatherAlong(let axis): try gatherAlong(axis)
    case .gatherND: try gatherND()
    case .scatter(let axis, let mode): try scatter(axis, mode)
    case .scatterAlong(let axis, let mode): try scatterAlong(axis, mode)
    case .scatterND(let mode): try scatterND(mode)
    case .nonZero: try nonZero()
    case .bandPart(let lower, let upper): try bandPart(lower, upper)
    case .triangle(let isUpper, let diagonal): try triangle(isUpper: isUpper, diagonal)
    case .boxSuppression(let overlap, let score, let count, let isPerClass):
      try suppressBoxes(overlap, score, count, isPerClass: isPerClass)

    case .recurrent(let layer): try add(layer)
    case .gru(let layer): try add(layer)
    case .lstm(let layer): try add(layer)

    case .branch(let then, let otherwise): try branch(then, otherwise)
    case .loop(let loop): try add(loop)
    case .loopBreak: try leaveLoop()
    case .loopContinue: try endIteration()
    case .custom(let custom): try add(custom)
    case .unsupported(let reason): throw CallError(reason + "; compile the model from its .mlmodel or .mlpackage")
    }
  }
}
