/// How luma and chroma are made of colours.
package struct ChromaMatrix: Sendable, Hashable {
  package enum Standard: Sendable, Hashable, CaseIterable {
    case bt601
    case bt709
    case bt2020

    /// The weights of red and blue in luma; that of green is the rest.
    package var lumaWeights: (red: Double, blue: Double) {
      switch self {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    }
  }

  package var standard: Standard
  /// True if samples use all numbers; otherwise luma of 8 bits ranges from 16 to 235 and chroma from 16 to 240.
  package var isFullRange: Bool

  package init(_ standard: Standard, isFullRange: Bool) {
    self.standard = standard
    self.isFullRange = isFullRange
  }

  /// Steps of 8 bits from black to white, and of chroma from one end to the other, for samples of a number of bits that count four times as
  /// much as those of 8 bits if they have 10.
  private func spans(bits: Int) -> (luma: Double, chroma: Double) {
    isFullRange ? (bits == 10 ? (1023.0 / 4, 1023.0 / 4) : (255, 255)) : (219, 224)
  }

  func coefficients(bits: Int) -> mk_chroma_matrix {
    let (red, blue) = standard.lumaWeights
    let green = 1 - red - blue
    let (lumaSpan, chromaSpan) = spans(bits: bits)
    func fixed(_ factor: Double) -> Int16 { Int16((factor * 8192).rounded()) }
    let (redFactor, blueFactor) = (2 * (1 - red) * 255 / chromaSpan, 2 * (1 - blue) * 255 / chromaSpan)
    return mk_chroma_matrix(
      luma_offset: isFullRange ? 0 : 16, luma: fixed(255 / lumaSpan), red_cr: fixed(redFactor), green_cb: fixed(-blue / green * blueFactor),
      green_cr: fixed(-red / green * redFactor), blue_cb: fixed(blueFactor))
  }

  func weights(bits: Int) -> mk_luma_matrix {
    let (red, blue) = standard.lumaWeights
    let green = 1 - red - blue
    let (lumaSpan, chromaSpan) = spans(bits: bits)
    // Weights of a row add up to 1 or 0 also after rounding.
    func fixed(_ weights: (Double, Double, Double), _ factor: Double) -> (Int16, Int16, Int16) {
      let first = (weights.0 * factor * 16384).rounded()
      let last = (weights.2 * factor * 16384).rounded()
      let sum = ((weights.0 + weights.1 + weights.2) * factor * 16384).rounded()
      return (Int16(first), Int16(sum - first - last), Int16(last))
    }
    let (cbFactor, crFactor) = (chromaSpan / 255 / 2 / (1 - blue), chromaSpan / 255 / 2 / (1 - red))
    return mk_luma_matrix(
      luma_offset: isFullRange ? 0 : 16, luma: fixed((red, green, blue), lumaSpan / 255),
      cb: fixed((-red, -green, 1 - blue), cbFactor), cr: fixed((1 - red, -green, -blue), crFactor))
  }
}
