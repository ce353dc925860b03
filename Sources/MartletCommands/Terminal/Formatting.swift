/// Formats numbers and columns for people.
package enum Formatting {
  /// Bytes with three significant digits, e.g. `1.21 MiB`; exact below 1 KiB.
  static func bytes(_ count: Int) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard abs(count) >= 1024 else { return "\(count) B" }
    var value = Double(count) / 1024
    var unit = 0
    while abs(value) >= 1023.5, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    return "\(significant(value)) \(units[unit])"
  }

  /// A duration with three significant digits in a suitable unit.
  static func seconds(_ value: Double) -> String {
    // A unit ends where three digits would round up to the next one.
    switch abs(value) {
    case 0: "0 s"
    case ..<0.9995e-6: "\(significant(value * 1e9)) ns"
    case ..<0.9995e-3: "\(significant(value * 1e6)) µs"
    case ..<0.9995: "\(significant(value * 1e3)) ms"
    default: "\(significant(value)) s"
    }
  }

  /// Three significant digits, but never fewer than the integer part has.
  static func significant(_ value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    let magnitude = abs(value)
    let digits = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.9995 || magnitude == 0 ? 2 : 3
    return fixed(value, digits)
  }

  /// `digits` decimal places, rounded to nearest.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    // In range: floating-point numbers.
    let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    guard abs(value) < 1e15, let scaled = Int64(exactly: (abs(value) * scale).rounded()), let divisor = Int64(exactly: scale) else {
      return "\(value)"
    }
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: divisor)
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let text = String(fraction)
    return "\(sign)\(whole).\(String(repeating: "0", count: digits - text.count))\(text)"
  }

  /// Six significant digits, for elements of tensors.
  static func element(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return value == 0 ? "0" : "\(value)" }
    let magnitude = abs(value)
    if magnitude < 1e9, let integer = Int64(exactly: value) { return "\(integer)" }
    guard magnitude >= 1e-4, magnitude < 1e9 else {
      let exponent = decimalExponent(magnitude)
      let mantissa = fixed(value / power(exponent), 4)
      return "\(mantissa)e\(exponent)"
    }
    return fixed(value, magnitude >= 1e5 ? 1 : magnitude >= 100 ? 3 : magnitude >= 1 ? 4 : 6)
  }

  private static func decimalExponent(_ magnitude: Double) -> Int {
    var exponent = 0
    var value = magnitude
    while value >= 10 {
      value /= 10
      exponent += 1
    }
    while value < 1, exponent > -400 {
      value *= 10
      exponent -= 1
    }
    return exponent
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<abs(exponent)).reduce(1.0) { value, _ in exponent < 0 ? value / 10 : value * 10 }
  }

  static func padded(_ text: String, to width: Int, alignment: Alignment = .left) -> String {
    let missing = max(0, width - text.count)
    let spaces = String(repeating: " ", count: missing)
    return alignment == .left ? text + spaces : spaces + text
  }

  package enum Alignment { case left, right }

  /// Rows in columns two spaces apart, without trailing spaces.
  package static func table(_ rows: [[String]], _ alignments: [Alignment], indentation: String = "") -> [String] {
    let columnCount = rows.map(\.count).max() ?? 0
    let widths = (0..<columnCount).map { column in rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0 }
    return rows.map { row in
      var line = indentation
      for (column, cell) in row.enumerated() {
        if column > 0 { line += "  " }
        line += padded(cell, to: widths[column], alignment: column < alignments.count ? alignments[column] : .left)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
