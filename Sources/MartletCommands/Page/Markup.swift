import MartletTensor

/// Building blocks of pages and drawings: self-contained HTML and SVG.
enum Markup {
  /// Escapes text for HTML and XML; characters that XML does not allow become U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A coordinate with one decimal digit, which is enough for pixels.
  static func number(_ value: Double) -> String {
    guard let tenths = Int(exactly: (value * 10).rounded()) else { return "0" }
    if tenths.isMultiple(of: 10) { return "\(tenths / 10)" }
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// Equal operators have equal hues in every drawing: a hash (FNV-1a) of the name.
  static func hue(of name: String) -> Double {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(widening: byte)) &* 0x0000_0100_0000_01b3 }
    return Double((hash >> 16) % 24) * 15
  }

  /// Converts an HSL colour to `#rrggbb`.
  static func color(_ hue: Double, saturation: Double, lightness: Double) -> String {
    let chroma = saturation * min(lightness, 1 - lightness)
    func channel(_ shift: Double) -> String {
      let k = (shift + hue / 30).truncatingRemainder(dividingBy: 12)
      // In range: floating-point numbers.
      let value = lightness - chroma * max(-1, min(k - 3, 9 - k, 1))
      let digits = String(Int(exactly: (value * 255).rounded()) ?? 0, radix: 16)
      return digits.count == 1 ? "0\(digits)" : digits
    }
    return "#\(channel(0))\(channel(8))\(channel(4))"
  }

  /// A complete page.
  /// - Parameters:
  ///   - style: rules in addition to those for text and colours.
  ///   - body: markup.
  static func page(title: String, style: String, body: String, script: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <title>\(escaped(title))</title>
    <style>
    html, body { height: 100%; margin: 0; font: 13px system-ui, sans-serif; color: #1d2430; background: #fff; }\(style)</style>
    </head>
    <body>
    \(body)
    <script>\(script)</script>
    </body>
    </html>

    """
  }
}
