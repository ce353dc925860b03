import Martlet

/// A plan as a page: cost along the program, cost by operator, and a searchable, sortable table of all operations.
struct PlanPage {
  private let report: PlanReport
  private let operations: [ModelPlan.Operation]
  private let measuredSeconds: Double?
  private let largestShare: Double

  init(_ report: PlanReport) {
    self.report = report
    operations = report.computed
    measuredSeconds = report.measuredSeconds
    largestShare = operations.map(\.share).max() ?? 1
  }

  var text: String {
    let notes = report.notes.map { "<p class=\"note\">\(Markup.escaped($0))</p>" }.joined(separator: "\n")
    let measured = measuredSeconds.map { ", measured \(Formatting.seconds($0)) in kernels" } ?? ""
    let legend = measuredSeconds == nil ? "" : " Bars are estimates, dark lines are measurements."
    let body = """
      <header>
      <h1>\(Markup.escaped(report.name))</h1>
      <p>\(Markup.escaped(report.summary))</p>
      <p>estimated \(Formatting.seconds(report.plan.estimatedSeconds))\(measured)</p>
      \(notes)
      </header>
      <main>
      <h2>Share of the cost by operator</h2>
      \(operatorChart)
      <h2>Share of the cost along the program</h2>
      <p class="note">Operations in the file's order.\(legend) Point at a bar to see its operation; click it to see its row.</p>
      \(programChart)
      <h2>Operations</h2>
      <p><input id="search" type="search" placeholder="find an operator, name or kernel" size="34"> <span id="found"></span></p>
      <table id="operations">
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(operations.indices.map(row).joined(separator: "\n"))
      </tbody>
      </table>
      </main>
      """
    return Markup.page(title: "\(report.name): plan", style: Self.style, body: body, script: Self.script)
  }

  // MARK: Shares

  private func measuredShare(_ operation: ModelPlan.Operation) -> Double? {
    guard let measuredSeconds, measuredSeconds > 0 else { return nil }
    return (operation.measuredSeconds ?? 0) / measuredSeconds
  }

  /// The short name for colours and charts: `convolution` for `aten::convolution.out`.
  private static func kind(_ op: String) -> String {
    let tail = op.split(separator: ":").last.map(String.init) ?? op
    return op.contains("::") ? String(tail.prefix { $0 != "." }) : op
  }

  private static func fill(_ op: String) -> String { Markup.color(Markup.hue(of: kind(op)), saturation: 0.5, lightness: 0.66) }

  /// The largest of some shares, rounded up to a round end of a scale.
  private static func top(_ shares: [Double]) -> Double {
    let largest = max(shares.max() ?? 0, 0.001)
    let steps = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1]
    return steps.first { $0 >= largest } ?? 1
  }

  // MARK: Charts

  private static let chartWidth = 1120.0

  /// One column per operation.
  private var programChart: String {
    let (left, height, bottom) = (56.0, 220.0, 18.0)
    let width = Self.chartWidth - left - 8
    let top = Self.top(operations.flatMap { [$0.share, measuredShare($0) ?? 0] })
    let step = width / Double(max(operations.count, 1))
    let bar = max(step * 0.86, 0.6)
    var out = Self.open(width: Self.chartWidth, height: height + bottom + 10, label: "share of the cost of each operation")
    for quarter in 0...4 {
      let y = 6 + height * (1 - Double(quarter) / 4)
      out += "<line x1=\"\(Markup.number(left))\" y1=\"\(Markup.number(y))\" x2=\"\(Markup.number(left + width))\" "
      out += "y2=\"\(Markup.number(y))\" stroke=\"#d4d9e1\"/>"
      out += "<text x=\"\(Markup.number(left - 6))\" y=\"\(Markup.number(y + 4))\" text-anchor=\"end\" fill=\"#6b7686\">"
      out += "\(PlanReport.percent(top * Double(quarter) / 4))</text>\n"
    }
    for (index, operation) in operations.enumerated() {
      let x = left + Double(index) * step + (step - bar) / 2
      let extent = height * operation.share / top
      out += "<g class=\"bar\" data-row=\"\(index)\"><title>\(Markup.escaped(details(operation)))</title>"
      // As high as the chart, so that small bars can be pointed at.
      out += "<rect x=\"\(Markup.number(left + Double(index) * step))\" y=\"6\" width=\"\(Markup.number(step))\" "
      out += "height=\"\(Markup.number(height))\" fill=\"#ffffff\" fill-opacity=\"0\"/>"
      out += "<rect x=\"\(Markup.number(x))\" y=\"\(Markup.number(6 + height - extent))\" width=\"\(Markup.number(bar))\" "
      out += "height=\"\(Markup.number(extent))\" fill=\"\(Self.fill(operation.op))\"/>"
      if let share = measuredShare(operation) {
        let y = Markup.number(6 + height * (1 - share / top))
        out += "<line x1=\"\(Markup.number(x))\" y1=\"\(y)\" x2=\"\(Markup.number(x + bar))\" y2=\"\(y)\" stroke=\"#1d2430\" "
        out += "stroke-width=\"1.5\"/>"
      }
      out += "</g>\n"
    }
    out += "<text x=\"\(Markup.number(left))\" y=\"\(Markup.number(height + bottom + 4))\" fill=\"#6b7686\">first operation</text>"
    out += "<text x=\"\(Markup.number(left + width))\" y=\"\(Markup.number(height + bottom + 4))\" text-anchor=\"end\" fill=\"#6b7686\">"
    return out + "last operation</text>\n</svg>"
  }

  private struct Kind {
    let name: String
    var count = 0
    var share = 0.0
    var measured = 0.0
  }

  /// One bar per kind of operation, in descending order of cost.
  private var operatorChart: String {
    var kinds: [String: Kind] = [:]
    for operation in operations {
      let name = Self.kind(operation.op)
      var kind = kinds[name] ?? Kind(name: name)
      kind.count += 1
      kind.share += operation.share
      kind.measured += measuredShare(operation) ?? 0
      kinds[name] = kind
    }
    let rows = kinds.values.sorted { ($1.share, $0.name) < ($0.share, $1.name) }
    let (left, right, line) = (290.0, 190.0, 22.0)
    let width = Self.chartWidth - left - right
    let top = Self.top(rows.flatMap { [$0.share, $0.measured] })
    var out = Self.open(width: Self.chartWidth, height: Double(rows.count) * line + 6, label: "share of the cost by operator")
    for (index, row) in rows.enumerated() {
      let y = Double(index) * line + 4
      out += "<text x=\"\(Markup.number(left - 8))\" y=\"\(Markup.number(y + 13))\" text-anchor=\"end\">"
      out += "\(Markup.escaped(row.name)) <tspan fill=\"#6b7686\">× \(row.count)</tspan></text>"
      let extent = width * row.share / top
      out += "<rect x=\"\(Markup.number(left))\" y=\"\(Markup.number(y))\" width=\"\(Markup.number(max(extent, 0.5)))\" height=\"16\" "
      out += "rx=\"2\" fill=\"\(Self.fill(row.name))\"/>"
      var caption = PlanReport.percent(row.share)
      var end = extent
      if measuredSeconds != nil {
        let x = left + width * row.measured / top
        out += "<line x1=\"\(Markup.number(x))\" y1=\"\(Markup.number(y - 1))\" x2=\"\(Markup.number(x))\" y2=\"\(Markup.number(y + 17))\" "
        out += "stroke=\"#1d2430\" stroke-width=\"2\"/>"
        caption += ", measured \(PlanReport.percent(row.measured))"
        end = max(end, x - left)
      }
      out += "<text x=\"\(Markup.number(left + end + 8))\" y=\"\(Markup.number(y + 13))\" fill=\"#303a48\">\(caption)</text>\n"
    }
    return out + "</svg>"
  }

  private static func open(width: Double, height: Double, label: String) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"\(label)\" width=\"\(Markup.number(width))\" "
      + "height=\"\(Markup.number(height))\" viewBox=\"0 0 \(Markup.number(width)) \(Markup.number(height))\" font-size=\"12\">\n"
  }

  private func details(_ operation: ModelPlan.Operation) -> String {
    var lines = ["\(operation.op) \(operation.name)", "\(PlanReport.percent(operation.share)) of the estimated time"]
    if let share = measuredShare(operation) { lines.append("\(PlanReport.percent(share)) of the measured time") }
    return (lines + operation.kernels).joined(separator: "\n")
  }

  // MARK: Table

  private var head: String {
    let measured = measuredSeconds == nil ? [] : ["measured", "measured share"]
    return (["#", "share", "estimate"] + measured + ["device", "operator", "operation", "kernel"])
      .map { "<th tabindex=\"0\">\($0)</th>" }.joined()
  }

  private func row(_ index: Int) -> String {
    let operation = operations[index]
    func number(_ value: Double, _ text: String, extra: String = "") -> String {
      "<td class=\"number\" data-value=\"\(value)\"\(extra)>\(text)</td>"
    }
    // The background of the cell shows the share.
    let width = Formatting.fixed(operation.share / max(largestShare, 1e-12) * 100, 1)
    let fill = Self.fill(operation.op)
    let background = " style=\"background: linear-gradient(90deg, \(fill) \(width)%, #fff \(width)%)\""
    var cells = number(Double(index), "\(index + 1)")
    cells += number(operation.share, PlanReport.percent(operation.share), extra: background)
    cells += number(operation.estimatedSeconds, Formatting.seconds(operation.estimatedSeconds))
    if let share = measuredShare(operation) {
      let seconds = operation.measuredSeconds ?? 0
      cells += number(seconds, Formatting.seconds(seconds)) + number(share, PlanReport.percent(share))
    }
    for text in [operation.device, operation.op, operation.name, operation.kernels.joined(separator: "; ")] {
      cells += "<td>\(Markup.escaped(text))</td>"
    }
    return "<tr id=\"row\(index)\">\(cells)</tr>"
  }

  private static let style = """

    body { padding: 0 24px 48px; }
    h1 { font-size: 20px; margin: 18px 0 4px; }
    h2 { font-size: 15px; margin: 26px 0 8px; }
    p { margin: 4px 0; }
    p.note { color: #6b7686; }
    svg { display: block; max-width: 100%; height: auto; }
    g.bar { cursor: pointer; }
    g.bar:hover > rect:first-child { fill: #1864ab; fill-opacity: 0.12; }
    table { border-collapse: collapse; }
    th, td { text-align: left; padding: 3px 10px; border-bottom: 1px solid #e6e9ee; vertical-align: top; }
    th { cursor: pointer; position: sticky; top: 0; background: #fff; border-bottom: 1px solid #aab3c0; }
    td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    tr.chosen > td { outline: 2px solid #1864ab; outline-offset: -1px; }

    """

  private static let script = """

    const body = document.querySelector("#operations tbody"), rows = [...body.rows];
    const search = document.getElementById("search"), found = document.getElementById("found");
    search.addEventListener("input", () => {
      const text = search.value.trim().toLowerCase();
      let count = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(text);
        if (!row.hidden) count += 1;
      }
      found.textContent = text ? `${count} found` : "";
    });
    let sorted = null, down = false;
    function key(row, column) {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    }
    for (const head of document.querySelectorAll("#operations th")) {
      const sort = () => {
        const column = head.cellIndex, isNumber = typeof key(rows[0], column) === "number" && column > 0;
        down = sorted === column ? !down : isNumber;
        sorted = column;
        rows.sort((a, b) => {
          const x = key(a, column), y = key(b, column);
          return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
        body.append(...rows);
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
    }
    for (const bar of document.querySelectorAll("g.bar")) {
      bar.addEventListener("click", () => {
        for (const old of document.querySelectorAll("tr.chosen")) old.classList.remove("chosen");
        const row = document.getElementById("row" + bar.dataset.row);
        row.hidden = false;
        row.classList.add("chosen");
        row.scrollIntoView({ block: "center" });
      });
    }

    """
}
