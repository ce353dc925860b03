import Martlet

/// Chooses a token from logits: the most likely one, or one at random.
///
/// The vocabulary is never sorted: what top-k and top-p keep is found by partitions around random pivots, in time linear in the vocabulary.
package struct Sampler: Sendable {
  package struct Settings: Sendable, Hashable {
    /// Divides the logits; 0 always chooses the most likely token.
    package var temperature: Float
    /// Keeps the most likely tokens whose probabilities first exceed this sum; all if it is not between 0 and 1.
    package var topP: Float
    /// Keeps this many of the most likely tokens; all if it is 0.
    package var topK: Int

    package init(temperature: Float = 0, topP: Float = 1, topK: Int = 0) {
      self.temperature = temperature
      self.topP = topP
      self.topK = topK
    }
  }

  /// Ids from here on are never chosen.
  package let vocabularySize: Int
  private let generator: CounterGenerator
  /// Number of random numbers taken.
  private var position: UInt64 = 0
  private var weights: [Float] = []
  private var candidates: [Int32] = []

  /// - Parameters:
  ///   - vocabularySize: one more than the largest id that may be chosen.
  ///   - seed: a number that determines all choices; nil for another one each time.
  package init(vocabularySize: Int = .max, seed: UInt64? = nil) {
    self.vocabularySize = vocabularySize
    generator = CounterGenerator(key: seed ?? UInt64.random(in: 0 ... .max))
  }

  /// - Throws: `GenerationError.Kind.invalidLogits` if a logit is not a number.
  package mutating func sample(_ logits: Logits, _ settings: Settings) throws(GenerationError) -> Int {
    let count = min(logits.values.count, vocabularySize)
    guard count > 0 else { throw GenerationError(.invalidLogits, "there are no logits") }
    guard let best = Self.maximum(logits.values, count: count) else {
      let index = logits.values.prefix(count).firstIndex { $0.isNaN } ?? 0
      throw GenerationError(.invalidLogits, field: "token \(index)", "has a logit that is not a number")
    }
    guard settings.temperature > 0 else { return best }
    return choose(logits.values, count: count, maximum: logits.values[best], settings)
  }

  /// Position of the first largest value; nil if one is not a number.
  private static func maximum(_ values: [Float], count: Int) -> Int? {
    unsafe values.withUnsafeBufferPointer { values in
      var largest = SIMD16<Float>(repeating: -.infinity)
      var isValid = SIMDMask<SIMD16<Int32>>(repeating: true)
      var index = 0
      while index + 16 <= count {
        let next = unsafe UnsafeRawPointer(values.baseAddress! + index).loadUnaligned(as: SIMD16<Float>.self)
        largest.replace(with: next, where: next .> largest)
        isValid = isValid .& (next .== next)
        index += 16
      }
      var maximum = largest.max()
      var isNumber = all(isValid)
      while index < count {
        let next = unsafe values[index]
        if next > maximum { maximum = next }
        isNumber = isNumber && next == next
        index += 1
      }
      guard isNumber else { return nil }
      return unsafe values[..<count].firstIndex(of: maximum)
    }
  }

  // MARK: At random

  private mutating func choose(_ logits: [Float], count: Int, maximum: Float, _ settings: Settings) -> Int {
    if weights.count != count {
      weights = [Float](repeating: 0, count: count)
      candidates = [Int32](repeating: 0, count: count)
    }
    let total = weigh(logits, count: count, maximum: maximum, temperature: settings.temperature)
    let keepsMass = settings.topP > 0 && settings.topP < 1
    let keepsCount = settings.topK > 0 && settings.topK < count
    guard keepsMass || keepsCount else { return walk(total: total, count: count, amongCandidates: false) }
    // Tokens below an equal share of what top-p leaves out never belong to what it keeps.
    let least = keepsCount ? -1 : Float(total) * (1 - settings.topP) / Float(max(count - 1, 1))
    var kept = 0
    for index in 0..<count where weights[index] >= least {
      candidates[kept] = Int32(truncatingIfNeeded: index)
      kept += 1
    }
    var mass = total
    if keepsCount { (kept, mass) = keepLargest(of: kept) { count, _ in count >= settings.topK } }
    if keepsMass {
      let limit = mass * Double(settings.topP)
      (kept, mass) = keepLargest(of: kept) { _, mass in mass > limit }
    }
    return walk(total: mass, count: kept, amongCandidates: true)
  }

  /// Sets the weights to exp((logit - maximum) / temperature).
  /// - Returns: their sum.
  private mutating func weigh(_ logits: [Float], count: Int, maximum: Float, temperature: Float) -> Double {
    let scale = 1 / temperature
    var total = 0.0
    unsafe weights.withUnsafeMutableBufferPointer { weights in
      unsafe logits.withUnsafeBufferPointer { logits in
        func weight(_ part: SIMD16<Float>) -> SIMD16<Float> {
          // The difference of equal infinities is no number.
          Self.exponential((part - maximum) * scale).replacing(with: 1, where: part .== maximum)
        }
        var index = 0
        while index + 16 <= count {
          let result = weight(unsafe UnsafeRawPointer(logits.baseAddress! + index).loadUnaligned(as: SIMD16<Float>.self))
          unsafe UnsafeMutableRawPointer(weights.baseAddress! + index).storeBytes(of: result, as: SIMD16<Float>.self)
          total += Double(result.sum())
          index += 16
        }
        while index < count {
          let result = weight(SIMD16(repeating: unsafe logits[index]))[0]
          unsafe weights[index] = result
          total += Double(result)
          index += 1
        }
      }
    }
    return total
  }

  /// The exponential function of numbers up to 0, with a relative error of 2 to the power -22; 0 below -87.
  package static func exponential(_ x: SIMD16<Float>) -> SIMD16<Float> {
    // Adding this rounds to an integer, which the lowest bits then hold.
    let rounding: Float = 0x1.8p23
    let shifted = x * 1.442695041 + rounding
    let power = shifted - rounding
    let rest = (x - power * 0.693359375) + power * 2.12194440e-4
    var value = SIMD16<Float>(repeating: 1 / 720)
    value = value * rest + (1 / 120)
    value = value * rest + (1 / 24)
    value = value * rest + (1 / 6)
    value = value * rest + 0.5
    value = value * rest + 1
    value = value * rest + 1
    let exponent = SIMD16<UInt32>(truncatingIfNeeded: unsafe unsafeBitCast(shifted, to: SIMD16<UInt32>.self)) &<< 23
    let result = unsafe unsafeBitCast(unsafe unsafeBitCast(value, to: SIMD16<UInt32>.self) &+ exponent, to: SIMD16<Float>.self)
    return result.replacing(with: 0, where: x .< -87 .| x .!= x)
  }

  /// Chooses among the first tokens, or the first candidates, whose weights have the given sum.
  private mutating func walk(total: Double, count: Int, amongCandidates: Bool) -> Int {
    var left = generator.uniforms(at: position, digits: 53)[0] * total
    position += 1
    var last = 0
    for index in 0..<count {
      let token = amongCandidates ? Int(candidates[index]) : index
      guard weights[token] > 0 else { continue }
      last = token
      left -= Double(weights[token])
      if left < 0 { break }
    }
    // Rounding may leave a rest: then it is the last one.
    return last
  }

  /// Moves the largest candidates to the front: as few as suffice.
  /// - Parameter suffices: tells whether so many candidates with this sum are enough.
  /// - Returns: their number and their sum.
  private mutating func keepLargest(of total: Int, suffices: (_ count: Int, _ mass: Double) -> Bool) -> (Int, Double) {
    var start = 0
    var end = total
    var mass = 0.0
    while start < end {
      let random = Int(generator.bits(at: position)[0])
      position += 1
      let pivot = weights[Int(candidates[start + random % (end - start)])]
      // Larger ones to the front, equal ones behind them.
      var larger = start
      var equal = start
      var smaller = end
      var largerMass = 0.0
      while equal < smaller {
        let weight = weights[Int(candidates[equal])]
        if weight > pivot {
          largerMass += Double(weight)
          candidates.swapAt(equal, larger)
          larger += 1
          equal += 1
        } else if weight < pivot {
          smaller -= 1
          candidates.swapAt(equal, smaller)
        } else {
          equal += 1
        }
      }
      if suffices(larger, mass + largerMass), larger > start {
        end = larger
        continue
      }
      mass += largerMass
      for index in larger..<smaller {
        mass += Double(pivot)
        if suffices(index + 1, mass) { return (index + 1, mass) }
      }
      start = smaller
    }
    return (start, mass)
  }
}
