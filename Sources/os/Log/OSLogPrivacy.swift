/// Who may see a value of a log message.
///
/// Standard error shows what the debugger's console shows on Apple's systems: values are written unless they are marked private or sensitive.
public struct OSLogPrivacy: Sendable {
  public enum Mask: Sendable {
    /// The value's hash, so that equal values are recognised. Hashes of two processes differ.
    case hash
    case none
  }

  private let isHidden: Bool
  private let mask: Mask

  public static var `public`: OSLogPrivacy { OSLogPrivacy(isHidden: false, mask: .none) }
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isHidden: true, mask: .none) }
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isHidden: true, mask: .none) }
  public static var auto: OSLogPrivacy { OSLogPrivacy(isHidden: false, mask: .none) }
  public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: true, mask: mask) }
  public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: true, mask: mask) }
  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(isHidden: mask == .hash, mask: mask) }

  /// The text, or what stands for it.
  func text(_ text: @autoclosure () -> String) -> String {
    guard isHidden else { return text() }
    return mask == .hash ? LogPrivacyMask.hash(of: text()) : "<private>"
  }
}
