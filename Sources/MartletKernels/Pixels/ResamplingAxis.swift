package import MartletVocabulary

/// The weights with which the positions of an axis become fewer or more: for each output position the first input position, their number, and
/// a weight for each.
@safe
package final class ResamplingAxis: @unchecked Sendable {
  /// Treatment of positions beyond the edges.
  package enum Edge: Sendable, Hashable {
    /// Ignored; the remaining weights are normalised.
    case dropped
    /// The outermost sample is repeated.
    case repeated
  }

  package enum Precision: Sendable, Hashable {
    /// Fixed-point weights; samples are rounded to 8 bits after each axis, as in Pillow.
    case eachAxis
    /// Weights and sums in single precision.
    case once
  }

  package struct Parameters: Sendable, Hashable {
    package var inputExtent: Int
    package var outputExtent: Int
    package var filter: ResamplingFilter
    package var edge: Edge
    package var precision: Precision
    /// The part of the input that becomes the output. It may reach beyond the edges by less than an output position, which then counts as
    /// if its middle were at the edge.
    package var start: Double
    package var end: Double

    /// Extents must be at least 1, and the part not be empty; nil is all of the input.
    package init(
      from inputExtent: Int, part: Range<Double>? = nil, to outputExtent: Int, filter: ResamplingFilter, edge: Edge = .dropped,
      precision: Precision = .eachAxis
    ) {
      self.inputExtent = inputExtent
      self.outputExtent = outputExtent
      self.filter = filter
      self.edge = edge
      self.precision = precision
      (start, end) = part.map { ($0.lowerBound, $0.upperBound) } ?? (0, Double(inputExtent))
    }
  }

  package let parameters: Parameters
  /// Number of output positions.
  package let count: Int
  /// Size of the weights.
  package var byteCount: Int { count * stride * MemoryLayout<Float>.size }
  private let stride: Int
  private let starts: UnsafeMutablePointer<Int32>
  private let counts: UnsafeMutablePointer<Int32>
  private let parts: UnsafeMutablePointer<Int16>?
  private let weights: UnsafeMutablePointer<Float>?

  package init(_ parameters: Parameters) {
    self.parameters = parameters
    count = parameters.outputExtent
    let places = Places(parameters)
    let multiple = MK_RESAMPLE_TAPS
    let stride = (min(places.mostTaps, parameters.inputExtent) + multiple - 1) / multiple * multiple
    let starts = UnsafeMutablePointer<Int32>.allocate(capacity: count)
    let counts = UnsafeMutablePointer<Int32>.allocate(capacity: count)
    var parts: UnsafeMutablePointer<Int16>?
    var weights: UnsafeMutablePointer<Float>?
    let weightCount = count * stride
    switch parameters.precision {
    case .eachAxis:
      let memory = UnsafeMutablePointer<Int16>.allocate(capacity: 2 * weightCount)
      unsafe memory.initialize(repeating: 0, count: 2 * weightCount)
      unsafe parts = memory
    case .once:
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: weightCount)
      unsafe memory.initialize(repeating: 0, count: weightCount)
      unsafe weights = memory
    }
    unsafe withUnsafeTemporaryAllocation(of: Double.self, capacity: stride) { window in
      for position in 0..<places.parameters.outputExtent {
        let inside = unsafe places.fill(window, position)
        unsafe starts[position] = Int32(inside.lowerBound)
        unsafe counts[position] = Int32(inside.count)
        for tap in 0..<inside.count {
          let weight = unsafe window[tap]
          let index = position * stride + tap
          if let weights = unsafe weights { unsafe weights[index] = Float(weight) }
          if let parts = unsafe parts {
            let (high, low) = Self.parts(of: weight)
            unsafe parts[index] = high
            unsafe parts[weightCount + index] = low
          }
        }
      }
    }
    self.stride = stride
    unsafe self.starts = starts
    unsafe self.counts = counts
    unsafe self.parts = parts
    unsafe self.weights = weights
  }

  /// The weights as the kernels read them. Not stored: other modules know the layout of this class but no type of C's.
  var table: mk_resampling {
    unsafe mk_resampling(
      starts: starts, counts: counts, stride: stride, high: parts, low: parts.map { unsafe $0 + count * stride }, weights: weights)
  }

  /// The fixed-point weight, rounded halves away from zero, as its high and low part.
  private static func parts(of weight: Double) -> (high: Int16, low: Int16) {
    let scaled = weight * Double(1 << MK_RESAMPLE_BITS)
    let fixed = Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
    let lowBits = Int32(MK_RESAMPLE_LOW_BITS)
    let high = (fixed + 1 << (lowBits - 1)) >> lowBits
    return (Int16(high), Int16(fixed - high << lowBits))
  }

  deinit {
    unsafe starts.deallocate()
    unsafe counts.deallocate()
    if let parts = unsafe parts { unsafe parts.deallocate() }
    if let weights = unsafe weights { unsafe weights.deallocate() }
  }

  /// The input positions that a range of output positions needs.
  package func inputs(of outputs: Range<Int>) -> Range<Int> {
    guard let last = outputs.last else { return 0..<0 }
    // Neither starts nor ends of windows ever decrease.
    return unsafe Int(starts[outputs.lowerBound])..<Int(starts[last] + counts[last])
  }

  /// The input position of the first output position, if each output position is an input position and the next one the next; nil otherwise.
  package var copiedStart: Int? {
    guard let start = Int(exactly: parameters.start), start >= 0, start <= parameters.inputExtent - count,
      parameters.end == Double(start + count)
    else { return nil }
    return start
  }
}

/// Windows of the parameters.
private struct Places {
  let parameters: ResamplingAxis.Parameters
  let scale: Double
  let support: Double
  /// The filter widens when downsampling.
  let narrowing: Double

  init(_ parameters: ResamplingAxis.Parameters) {
    self.parameters = parameters
    scale = (parameters.end - parameters.start) / Double(parameters.outputExtent)
    let widening = max(scale, 1)
    support = parameters.filter.radius * widening
    narrowing = 1 / widening
  }

  var mostTaps: Int { Int(support.rounded(.up)) * 2 + 1 }

  private func center(_ position: Int) -> Double {
    min(max(parameters.start + (Double(position) + 0.5) * scale, 0), Double(parameters.inputExtent))
  }

  /// Writes the weights of a position, which add up to 1, and returns the positions that they are for. The range is never empty.
  func fill(_ window: UnsafeMutableBufferPointer<Double>, _ position: Int) -> Range<Int> {
    switch parameters.filter {
    case .nearest:
      let center = center(position)
      unsafe window[0] = 1
      let place = min(max(0, Int(center.rounded(.down))), parameters.inputExtent - 1)
      return place..<place + 1
    case .area: return unsafe fillCovered(window, position)
    case .box, .bilinear, .bicubic, .lanczos: return unsafe fillWeighted(window, position)
    }
  }

  private func fillWeighted(_ window: UnsafeMutableBufferPointer<Double>, _ position: Int) -> Range<Int> {
    let center = center(position)
    let first = Int((center - support + 0.5).rounded(.down))
    let end = Int(center + support + 0.5)
    let inside = max(0, first)..<min(parameters.inputExtent, end)
    for tap in 0..<inside.count { unsafe window[tap] = 0 }
    var sum = 0.0
    for input in first..<end where parameters.edge == .repeated || inside.contains(input) {
      let place = min(max(input, inside.lowerBound), inside.upperBound - 1)
      let weight = parameters.filter.weight(at: (Double(input) - center + 0.5) * narrowing)
      unsafe window[place - inside.lowerBound] += weight
      sum += weight
    }
    if sum != 0 { for tap in 0..<inside.count { unsafe window[tap] /= sum } }
    return inside
  }

  private func fillCovered(_ window: UnsafeMutableBufferPointer<Double>, _ position: Int) -> Range<Int> {
    let lower = parameters.start + Double(position) * scale
    let upper = parameters.start + Double(position + 1) * scale
    let first = min(max(0, Int(lower.rounded(.down))), parameters.inputExtent - 1)
    // An end within rounding of a whole number covers nothing of the position that begins there.
    let end = min(max(first + 1, Int((upper - 1e-9).rounded(.up))), parameters.inputExtent)
    var sum = 0.0
    for input in first..<end {
      let covered = max(0, min(Double(input) + 1, upper) - max(Double(input), lower))
      unsafe window[input - first] = covered
      sum += covered
    }
    for tap in 0..<(end - first) { unsafe window[tap] = sum == 0 ? 1 / Double(end - first) : unsafe window[tap] / sum }
    return first..<end
  }
}
