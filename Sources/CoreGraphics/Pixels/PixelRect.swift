import Foundation

/// A rectangle of pixels, with the first row at the top.
struct PixelRect: Hashable, Sendable {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int

  static let empty = PixelRect(left: 0, top: 0, right: 0, bottom: 0)

  init(left: Int, top: Int, right: Int, bottom: Int) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  /// The pixels that a rectangle touches. Numbers that are not finite give an empty one; those beyond 2^30 count as that.
  init(left: Double, top: Double, right: Double, bottom: Double) {
    func limited(_ value: Double) -> Int { Int(min(max(value, -0x1p30), 0x1p30)) }
    guard left <= right, top <= bottom else {
      self = .empty
      return
    }
    self.init(
      left: limited(left.rounded(.down)), top: limited(top.rounded(.down)), right: limited(right.rounded(.up)),
      bottom: limited(bottom.rounded(.up)))
  }

  var width: Int { max(right - left, 0) }
  var height: Int { max(bottom - top, 0) }
  var isEmpty: Bool { right <= left || bottom <= top }

  func intersection(_ other: PixelRect) -> PixelRect {
    let result = PixelRect(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right), bottom: min(bottom, other.bottom))
    return result.isEmpty ? .empty : result
  }
}
