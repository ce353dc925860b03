import Martlet

/// A graph drawn as positioned boxes and lines. Lengths are in pixels.
struct GraphDrawing {
  struct Box {
    enum Style: Equatable {
      case input, output, node, portal
    }

    var style: Style
    /// Determines the colour.
    var name: String
    var title: String
    /// Smaller text below the title.
    var lines: [String]
    /// Full description, shown on demand.
    var details: String
    var regions: [Region] = []
    /// Left and top.
    var x = 0.0
    var y = 0.0
    var width: Double
    var height: Double
  }

  /// The body of a control-flow node, positioned inside its box.
  struct Region {
    var caption: String
    var drawing: GraphDrawing
    var x: Double
    var y: Double
  }

  struct Line {
    var start: (x: Double, y: Double)
    var passages: [LayeredLayout.Passage]
    var end: (x: Double, y: Double)
  }

  struct Caption {
    var text: String
    var x: Double
    var y: Double
  }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []
  /// The types of values, beside the lines.
  private(set) var captions: [Caption] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let titleSize = 12.0
  static let lineSize = 10.0
  /// Advance width of a character in a monospaced font, in ems; fonts differ by about a percent.
  static let characterWidth = 0.61
  private static let padding = 8.0
  private static let lineHeight = 13.0
  private static let titleHeight = 18.0
  private static let regionGap = 14.0
  private static let captionHeight = 16.0
  /// Lines across more layers than this end in a portal: a box that names the value.
  private static let longestSpan = 24
  private static let longestLine = 44
  private static let mostLines = 6

  init(_ graph: GraphDescription) {
    var builder = Builder(graph)
    builder.build()
    boxes = builder.boxes
    let layout = LayeredLayout(builder.layoutBoxes, builder.edges)
    for index in boxes.indices {
      boxes[index].x = layout.positions[index].x - boxes[index].width / 2
      boxes[index].y = layout.positions[index].y
    }
    var captioned: Set<Int> = []
    for (edge, (passages, value)) in zip(builder.edges, zip(layout.passages, builder.edgeValues)) {
      let source = boxes[edge.source]
      let target = boxes[edge.target]
      // In range: floating-point numbers.
      let start = (x: source.x + source.width / 2 + edge.sourceOffset, y: source.y + source.height)
      // In range: floating-point numbers.
      lines.append(Line(start: start, passages: passages, end: (target.x + target.width / 2 + edge.targetOffset, target.y)))
      guard captioned.insert(value).inserted, source.style != .portal else { continue }
      captions.append(Caption(text: graph.values[value].type, x: start.x + 5, y: start.y + 12))
    }
    width = layout.width
    height = layout.height
  }

  static func textWidth(_ text: String, size: Double) -> Double { Double(text.count) * size * characterWidth }

  /// Creates the boxes and edges of a graph, not yet positioned.
  private struct Builder {
    let graph: GraphDescription
    var boxes: [Box] = []
    var edges: [LayeredLayout.Edge] = []
    /// The value of each edge.
    var edgeValues: [Int] = []
    /// The box of each value, and where its line leaves, relative to the middle of the box.
    private var producers: [Int: (box: Int, offset: Double)] = [:]
    /// Layers by longest path, for detecting lines that are too long. Nil for boxes that depend only on constants, which are placed where
    /// they are used.
    private var depths: [Int?] = []
    /// Space for captions to the right of the middle, by box.
    private var captionWidths: [Double] = []

    init(_ graph: GraphDescription) { self.graph = graph }

    var layoutBoxes: [LayeredLayout.Box] {
      zip(boxes, captionWidths).map { box, captionWidth in
        LayeredLayout.Box(width: box.width, height: box.height, captionWidth: captionWidth, isEntry: box.style == .input)
      }
    }

    mutating func build() {
      for (position, input) in graph.inputs.enumerated() {
        let title = graph.values[input].name ?? "input \(position)"
        addPill(.input, title: title, details: "input \(position), %\(input): \(graph.values[input].type)")
        produce(input, boxes.count - 1, offset: 0)
      }
      for node in graph.nodes { add(node) }
      for (position, output) in graph.outputs.enumerated() {
        let value = graph.values[output]
        let name = graph.outputs.count == 1 ? "output" : "output \(position)"
        var title = name
        if case .literal(let text) = value.origin { title += " = \(text)" }
        if case .constant = value.origin { title += " = constant \(value.type)" }
        if case .none = value.origin { title += " = none" }
        let source = producers[output]
        addPill(.output, title: title, details: "\(name) \(graph.label(output)): \(value.type)", below: source.map { [$0.box] } ?? [])
        if let source { connect(output, source, to: boxes.count - 1, offset: 0) }
      }
    }

    private mutating func produce(_ value: Int, _ box: Int, offset: Double) {
      producers[value] = (box, offset)
      let captionWidth = GraphDrawing.textWidth(graph.values[value].type, size: GraphDrawing.lineSize)
      captionWidths[box] = max(captionWidths[box], offset + 8 + captionWidth)
    }

    private mutating func addPill(_ style: Box.Style, title: String, details: String, below: [Int] = []) {
      let width = GraphDrawing.textWidth(title, size: GraphDrawing.titleSize) + 3 * GraphDrawing.padding
      append(Box(style: style, name: "", title: title, lines: [], details: details, width: width, height: 24), below: below)
    }

    private mutating func append(_ box: Box, below: [Int]) {
      boxes.append(box)
      captionWidths.append(0)
      depths.append(box.style == .input ? 0 : below.compactMap { depths[$0] }.max().map { $0 + 1 })
    }

    private mutating func connect(_ value: Int, _ source: (box: Int, offset: Double), to target: Int, offset: Double) {
      edges.append(LayeredLayout.Edge(source: source.box, target: target, sourceOffset: source.offset, targetOffset: offset))
      edgeValues.append(value)
    }

    private mutating func add(_ node: GraphDescription.Node) {
      let operands = node.inputs.enumerated().compactMap { position, value in value.map { (position: position, value: $0) } }
      var lines: [String] = []
      var wired: [Int] = []
      for operand in operands {
        let value = graph.values[operand.value]
        switch value.origin {
        case .constant: lines.append("[\(operand.position)] \(value.name.map { "\($0) " } ?? "")\(value.type)")
        case .literal(let text): lines.append("[\(operand.position)] \(text)")
        case .none: continue
        case .input, .node: wired.append(operand.value)
        }
      }
      lines += node.attributes.map { "\($0.name): \($0.value)" }
      if lines.count > GraphDrawing.mostLines {
        lines = lines.prefix(GraphDrawing.mostLines - 1) + ["… \(lines.count - GraphDrawing.mostLines + 1) more"]
      }
      lines = lines.map { $0.count <= GraphDrawing.longestLine ? $0 : "\($0.prefix(GraphDrawing.longestLine - 1))…" }

      var sources = wired.compactMap { value in producers[value].map { (value: value, source: $0) } }
      let depth = (sources.compactMap { depths[$0.source.box] }.max() ?? -1) + 1
      for index in sources.indices {
        guard let other = depths[sources[index].source.box], depth - other > GraphDrawing.longestSpan else { continue }
        let value = sources[index].value
        let title = "from \(graph.label(value))"
        let origin = boxes[sources[index].source.box].title
        addPill(.portal, title: title, details: "\(graph.label(value)): \(graph.values[value].type), the output of \(origin)")
        sources[index].source = (boxes.count - 1, 0)
      }

      var box = Box(
        style: .node, name: node.name, title: node.name, lines: lines, details: graph.details(of: node),
        width: ([GraphDrawing.textWidth(node.name, size: GraphDrawing.titleSize)]
          + lines.map { GraphDrawing.textWidth($0, size: GraphDrawing.lineSize) }).max()! + 2 * GraphDrawing.padding,
        height: GraphDrawing.titleHeight + Double(lines.count) * GraphDrawing.lineHeight + GraphDrawing.padding)
      addRegions(of: node, to: &box)
      append(box, below: sources.map(\.source.box))
      let index = boxes.count - 1
      for (position, entry) in sources.enumerated() {
        connect(entry.value, entry.source, to: index, offset: Self.offset(position, of: sources.count, width: box.width))
      }
      for (position, output) in node.outputs.enumerated() {
        produce(output, index, offset: Self.offset(position, of: node.outputs.count, width: box.width))
      }
    }

    private func addRegions(of node: GraphDescription.Node, to box: inout Box) {
      guard !node.regions.isEmpty else { return }
      let captions = node.name == "if" && node.regions.count == 2 ? ["then", "else"] : node.regions.map(\.name)
      var x = GraphDrawing.padding
      let top = box.height
      for (caption, region) in zip(captions, node.regions) {
        let drawing = GraphDrawing(region)
        let width = max(drawing.width, GraphDrawing.textWidth(caption, size: GraphDrawing.lineSize))
        box.regions.append(Region(caption: caption, drawing: drawing, x: x + GraphDrawing.padding, y: top + GraphDrawing.captionHeight))
        x += width + 2 * GraphDrawing.padding + GraphDrawing.regionGap
        box.height = max(box.height, top + GraphDrawing.captionHeight + drawing.height + 2 * GraphDrawing.padding)
      }
      box.width = max(box.width, x - GraphDrawing.regionGap + GraphDrawing.padding)
    }

    /// Positions along a side of a box, within its middle half.
    private static func offset(_ position: Int, of count: Int, width: Double) -> Double {
      guard count > 1 else { return 0 }
      let distance = min(28, width * 0.7 / Double(count - 1))
      return (Double(position) - Double(count - 1) / 2) * distance
    }
  }
}

extension GraphDescription {
  /// The name of a value in text: that of the file, or its position as in the text dump.
  func label(_ value: Int) -> String { values[value].name ?? "%\(value)" }

  /// Full description of a node, one item per line.
  func details(of node: Node) -> String {
    func operand(_ value: Int?) -> String {
      guard let value else { return "none" }
      switch values[value].origin {
      case .literal(let text): return text
      case .none: return "none"
      case .constant: return "constant \(values[value].name ?? "%\(value)"): \(values[value].type)"
      case .input, .node: return "%\(value): \(values[value].type)"
      }
    }
    var lines = [node.name]
    lines += node.attributes.map { "  \($0.name): \($0.value)" }
    lines += node.inputs.enumerated().map { "  operand \($0): \(operand($1))" }
    lines += node.outputs.enumerated().map { "  result \($0): \(operand($1))" }
    if !node.source.isEmpty { lines.append("  from \(node.source)") }
    return lines.joined(separator: "\n")
  }
}
