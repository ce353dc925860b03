import Foundation
import MartletTestSampling
import MartletTextGeneration
import Testing

@Suite struct SamplerTests {
  private func logits(_ count: Int) -> [Float] { (0..<count).map { Float(($0 * 7919) % count) / Float(count) * 6 } }

  /// The probabilities by sorting, in double precision.
  private func probabilities(_ logits: [Float], _ settings: Sampler.Settings) -> [Double] {
    let weights = logits.map { exp(Double($0) / Double(settings.temperature)) }
    var kept = weights.indices.sorted { weights[$0] > weights[$1] }
    if settings.topK > 0 { kept = Array(kept.prefix(settings.topK)) }
    if settings.topP > 0, settings.topP < 1 {
      let total = kept.reduce(0) { $0 + weights[$1] }
      var sum = 0.0
      let last = kept.firstIndex { index in
        sum += weights[index]
        return sum > Double(settings.topP) * total
      }
      kept = Array(kept.prefix((last ?? kept.count - 1) + 1))
    }
    let total = kept.reduce(0) { $0 + weights[$1] }
    var result = [Double](repeating: 0, count: logits.count)
    for index in kept { result[index] = weights[index] / total }
    return result
  }

  @Test(arguments: [
    Sampler.Settings(temperature: 0.8, topP: 0.9), Sampler.Settings(temperature: 0.8), Sampler.Settings(temperature: 1, topK: 5),
    Sampler.Settings(temperature: 0.5, topP: 0.5, topK: 11), Sampler.Settings(temperature: 0.05, topP: 0.9),
  ])
  func samplesFollowTheDistribution(settings: Sampler.Settings) throws {
    let samples = inDebug(700, otherwise: 20_000)
    for count in [2, 17, 64, 333] {
      let values = logits(count)
      let expected = probabilities(values, settings)
      var sampler = Sampler(seed: 11)
      var observed = [Int](repeating: 0, count: count)
      let logits = Logits(values)
      for _ in 0..<samples { observed[try sampler.sample(logits, settings)] += 1 }
      // Pearson: classes of few expected samples are joined.
      var statistic = 0.0
      var classes = 0
      var rest = (expected: 0.0, observed: 0)
      for (probability, number) in zip(expected, observed) {
        let mean = probability * Double(samples)
        if probability == 0 {
          #expect(number == 0)
        } else if mean < 8 {
          rest = (rest.expected + mean, rest.observed + number)
        } else {
          statistic += (Double(number) - mean) * (Double(number) - mean) / mean
          classes += 1
        }
      }
      if rest.expected > 1 {
        statistic += (Double(rest.observed) - rest.expected) * (Double(rest.observed) - rest.expected) / rest.expected
        classes += 1
      }
      let freedom = Double(max(classes - 1, 1))
      // Wilson and Hilferty: beyond 4 deviations once in 30,000.
      let normal = (pow(statistic / freedom, 1 / 3.0) - 1 + 2 / (9 * freedom)) / sqrt(2 / (9 * freedom))
      #expect(normal < 4, "\(count) logits: chi-square \(statistic) with \(freedom) degrees of freedom")
    }
  }

  @Test func theMostLikelyTokenIsTheFirstOfEquals() throws {
    var sampler = Sampler()
    for count in [1, 15, 16, 17, 100] {
      for best in stride(from: 0, to: count, by: 7) {
        var values = [Float](repeating: -1, count: count)
        values[best] = 2
        values[count - 1] = max(values[count - 1], best == count - 1 ? 2 : 1.5)
        #expect(try sampler.sample(Logits(values), Sampler.Settings()) == best)
      }
      #expect(try sampler.sample(Logits([Float](repeating: 3, count: count)), Sampler.Settings()) == 0)
      #expect(try sampler.sample(Logits([Float](repeating: -.infinity, count: count)), Sampler.Settings()) == 0)
    }
  }

  @Test func logitsThatAreNoNumbersAreErrors() {
    var sampler = Sampler()
    for count in [1, 16, 33] {
      for bad in 0..<count {
        var values = [Float](repeating: 0, count: count)
        values[bad] = .nan
        for temperature: Float in [0, 0.8] {
          #expect { try sampler.sample(Logits(values), Sampler.Settings(temperature: temperature)) } throws: {
            ($0 as? GenerationError)?.field == "token \(bad)"
          }
        }
      }
    }
  }

  @Test func idsBeyondTheVocabularyAreNotChosen() throws {
    var sampler = Sampler(vocabularySize: 10, seed: 3)
    let logits = Logits((0..<40).map { Float($0) })
    #expect(try sampler.sample(logits, Sampler.Settings()) == 9)
    for _ in 0..<1000 { #expect(try sampler.sample(logits, Sampler.Settings(temperature: 1)) < 10) }
  }

  @Test func infiniteLogitsAreChosen() throws {
    var sampler = Sampler(seed: 1)
    let settings = Sampler.Settings(temperature: 0.7, topP: 0.9)
    var values = [Float](repeating: -.infinity, count: 20)
    values[13] = -5
    #expect(try sampler.sample(Logits(values), settings) == 13)
    values[4] = .infinity
    #expect(try sampler.sample(Logits(values), settings) == 4)
  }

  @Test func theExponentialFunctionIsThatOfTheSystem() {
    for x in stride(from: Float(0), to: -100, by: -0.0173) {
      let value = Double(Sampler.exponential(SIMD16(repeating: x))[7])
      let expected = x < -87 ? 0 : exp(Double(x))
      #expect(abs(value - expected) <= expected * 0x1p-21)
    }
    #expect(Sampler.exponential(SIMD16(repeating: -.infinity))[0] == 0)
  }

  @Test func aSeedDeterminesTheChoices() throws {
    let logits = Logits(logits(50))
    func run(_ seed: UInt64?) throws -> [Int] {
      var sampler = Sampler(seed: seed)
      return try (0..<50).map { _ in try sampler.sample(logits, Sampler.Settings(temperature: 1)) }
    }
    #expect(try run(5) == run(5))
    #expect(try run(5) != run(6))
    #expect(try run(nil) != run(nil))
  }
}
