import MartletKernels
import MartletLock

/// The axes that pictures were resampled along last, for pictures of the same sizes.
enum KeptAxes {
  private static let limit = 16
  /// Larger tables of weights are made anew, in bytes.
  private static let largestByteCount = 1 << 20

  private static let kept: Guarded<[ResamplingAxis]> = {
    var axes: [ResamplingAxis] = []
    axes.reserveCapacity(limit)
    return Guarded(axes)
  }()

  static func axis(_ parameters: ResamplingAxis.Parameters) -> ResamplingAxis {
    let found = kept.withLock { axes -> ResamplingAxis? in
      guard let index = axes.lastIndex(where: { $0.parameters == parameters }) else { return nil }
      let axis = axes.remove(at: index)
      axes.append(axis)
      return axis
    }
    if let found { return found }
    let axis = ResamplingAxis(parameters)
    guard axis.byteCount <= largestByteCount else { return axis }
    kept.withLock { axes in
      if axes.count == limit { axes.removeFirst() }
      axes.append(axis)
    }
    return axis
  }
}
