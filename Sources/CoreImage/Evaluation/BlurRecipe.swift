import Foundation

/// An image convolved with a normal distribution.
struct BlurRecipe: Recipe {
  let input: any Recipe
  /// Standard deviation in pixels, above 0.
  let sigma: Double

  /// The image with its extent larger by three standard deviations on every side; the image itself without a positive one.
  static func make(_ input: any Recipe, sigma: Double) -> any Recipe {
    sigma > 0 && sigma.isFinite ? BlurRecipe(input: input, sigma: min(sigma, 1e5)) : input
  }

  private var radius: Int { Int((3 * sigma).rounded(.up)) }

  var extent: PixelRegion { input.extent.expanded(by: radius) }
  var reach: Int { min(input.reach + radius, 1 << 20) }

  private var weights: [Float] {
    let raw = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = raw.reduce(0, +)
    return raw.map { Float($0 / sum) }
  }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    let needed = region.expanded(by: radius)
    let source = try renderer.tile(input, needed)
    let weights = weights
    let (width, height) = (region.width, region.height)
    return try unsafe Tile(region) { pixels throws(RenderError) in
      unsafe withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width * needed.height) { memory in
        let narrow = memory.baseAddress!
        unsafe source.pixels.withUnsafeBufferPointer { source in
          unsafe weights.withUnsafeBufferPointer { weights in
            for row in 0..<needed.height {
              let line = unsafe source.baseAddress! + row * needed.width
              for column in 0..<width {
                var sum = SIMD4<Float>.zero
                for tap in 0..<weights.count { unsafe sum += line[column + tap] * weights[tap] }
                unsafe narrow[row * width + column] = sum
              }
            }
            for row in 0..<height {
              let line = unsafe pixels + row * width
              unsafe line.initialize(repeating: .zero, count: width)
              for tap in 0..<weights.count {
                let source = unsafe narrow + (row + tap) * width
                let weight = unsafe weights[tap]
                for column in 0..<width { unsafe line[column] += source[column] * weight }
              }
            }
          }
        }
      }
    }
  }
}
