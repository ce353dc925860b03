/// Writes a drawing as SVG 1.1.
enum SVGWriter {
  private static let margin = 24.0
  private static let font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

  /// - Parameter states: lines describing the method's states, placed under the title.
  static func text(of drawing: GraphDrawing, title: String, states: [String]) -> String {
    let head = [title] + states
    let headHeight = Double(head.count) * 16 + 14
    let headWidth = head.map { GraphDrawing.textWidth($0, size: GraphDrawing.titleSize) }.max() ?? 0
    let width = max(drawing.width, headWidth) + 2 * margin
    let height = drawing.height + headHeight + 2 * margin
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
      viewBox="0 0 \(number(width)) \(number(height))" font-family="\(font)" font-size="\(number(GraphDrawing.lineSize))">
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
      <path d="M0,0.5 L8,4 L0,7.5 z" fill="#6b7686"/></marker></defs>
      <rect width="100%" height="100%" fill="#ffffff"/>

      """
    for (line, text) in head.enumerated() {
      let weight = line == 0 ? " font-weight=\"bold\"" : ""
      out += "<text x=\"\(number(margin))\" y=\"\(number(margin + 4 + Double(line) * 16))\" font-size=\"12\" fill=\"#1d2430\"\(weight)>"
      out += "\(escaped(text))</text>\n"
    }
    // The graph is centred if the heading is wider.
    let x = margin + max(0, (width - 2 * margin - drawing.width) / 2)
    write(drawing, x: x, y: margin + headHeight, to: &out)
    out += "</svg>"
    return out
  }

  private static func write(_ drawing: GraphDrawing, x: Double, y: Double, to out: inout String) {
    out += "<g transform=\"translate(\(number(x)),\(number(y)))\">\n"
    for line in drawing.lines { write(line, to: &out) }
    for box in drawing.boxes { write(box, to: &out) }
    for caption in drawing.captions {
      // A white outline keeps the text readable over lines.
      out += "<text x=\"\(number(caption.x))\" y=\"\(number(caption.y))\" fill=\"#4a5565\" stroke=\"#ffffff\" stroke-width=\"3\" "
      out += "paint-order=\"stroke\">\(escaped(caption.text))</text>\n"
    }
    out += "</g>\n"
  }

  private static func write(_ line: GraphDrawing.Line, to out: inout String) {
    var path = "M\(number(line.start.x)),\(number(line.start.y))"
    var (x, y) = line.start
    func curve(to end: (x: Double, y: Double)) {
      let middle = (y + end.y) / 2
      if abs(end.x - x) < 0.05 {
        path += " L\(number(end.x)),\(number(end.y))"
      } else {
        path += " C\(number(x)),\(number(middle)) \(number(end.x)),\(number(middle)) \(number(end.x)),\(number(end.y))"
      }
      (x, y) = end
    }
    for passage in line.passages {
      curve(to: (passage.x, passage.top))
      if passage.bottom > passage.top { curve(to: (passage.x, passage.bottom)) }
    }
    curve(to: line.end)
    out += "<path d=\"\(path)\" fill=\"none\" stroke=\"#8a94a3\" stroke-width=\"1.2\" marker-end=\"url(#tip)\"/>\n"
  }

  private static func write(_ box: GraphDrawing.Box, to out: inout String) {
    let (fill, stroke, radius) = appearance(of: box)
    out += "<g class=\"box\"><title>\(escaped(box.details))</title>"
    out += "<rect x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" height=\"\(number(box.height))\" "
    out += "rx=\"\(number(radius))\" fill=\"\(fill)\" stroke=\"\(stroke)\"/>"
    let isPill = box.style != .node
    let middle = box.x + box.width / 2
    let titleY = box.y + (isPill ? box.height / 2 + 4 : 15)
    out += "<text x=\"\(number(middle))\" y=\"\(number(titleY))\" text-anchor=\"middle\" font-size=\"12\" "
    out += "font-weight=\"\(isPill ? "normal" : "bold")\" fill=\"\(box.style == .portal ? "#4a5565" : "#1d2430")\">"
    out += "\(escaped(box.title))</text>"
    for (index, line) in box.lines.enumerated() {
      let y = box.y + 30 + Double(index) * 13
      out += "<text x=\"\(number(box.x + 8))\" y=\"\(number(y))\" fill=\"#303a48\">\(escaped(line))</text>"
    }
    for region in box.regions {
      let (x, y) = (box.x + region.x, box.y + region.y)
      out += "<rect x=\"\(number(x - 8))\" y=\"\(number(y - 4))\" width=\"\(number(region.drawing.width + 16))\" "
      out += "height=\"\(number(region.drawing.height + 12))\" rx=\"5\" fill=\"#ffffff\" stroke=\"\(stroke)\" stroke-dasharray=\"4 3\"/>"
      out += "<text x=\"\(number(x - 6))\" y=\"\(number(y - 8))\" fill=\"#303a48\">\(escaped(region.caption))</text>\n"
    }
    out += "</g>\n"
    // Outside the group, so that a click on an inner box does not count as one on this box.
    for region in box.regions { write(region.drawing, x: box.x + region.x, y: box.y + region.y, to: &out) }
  }

  private static func appearance(of box: GraphDrawing.Box) -> (fill: String, stroke: String, radius: Double) {
    switch box.style {
    case .input: return ("#dbeafe", "#3b6fb6", 12)
    case .output: return ("#dcfce7", "#3a8a5a", 12)
    case .portal: return ("#f3f4f6", "#8a94a3", 12)
    case .node:
      let hue = Markup.hue(of: box.name)
      return (
        Markup.color(hue, saturation: 0.62, lightness: 0.92), Markup.color(hue, saturation: 0.38, lightness: 0.55), 5
      )
    }
  }

  private static func number(_ value: Double) -> String { Markup.number(value) }
  private static func escaped(_ text: String) -> String { Markup.escaped(text) }
}
