import Martlet

/// A drawing of a graph: SVG, or an HTML page around it with zoom, search and details. Self-contained.
struct GraphPage {
  enum Format {
    case html, svg

    init?(path: String) {
      let lowercased = path.lowercased()
      if lowercased.hasSuffix(".html") || lowercased.hasSuffix(".htm") {
        self = .html
      } else if lowercased.hasSuffix(".svg") {
        self = .svg
      } else {
        return nil
      }
    }
  }

  let graph: GraphDescription
  let title: String
  private let drawing: GraphDrawing

  init(_ graph: GraphDescription, title: String) {
    self.graph = graph
    self.title = title
    drawing = GraphDrawing(graph)
  }

  func text(_ format: Format) -> String {
    let svg = SVGWriter.text(of: drawing, title: title, states: graph.states.map { "\($0.name): \($0.value)" })
    return format == .svg ? svg : Self.page(around: svg, title: title, nodeCount: graph.nodes.count)
  }

  private static func page(around svg: String, title: String, nodeCount: Int) -> String {
    let body = """
      <header>
      <strong>\(Markup.escaped(title))</strong>
      <span>\(nodeCount) nodes</span>
      <input id="search" type="search" placeholder="find an operator, shape or source" size="34">
      <span id="found"></span>
      <button id="whole">whole graph</button>
      <button id="actual">actual size</button>
      <span class="hint">drag to move, wheel to zoom, click a node for details</span>
      </header>
      <main id="view">
      \(svg)
      </main>
      <pre id="details" hidden></pre>
      """
    return Markup.page(title: title, style: style, body: body, script: script)
  }

  private static let style = """

    body { display: flex; flex-direction: column; }
    header { display: flex; gap: 12px; align-items: center; padding: 8px 12px; border-bottom: 1px solid #d4d9e1; flex-wrap: wrap; }
    header .hint { color: #6b7686; margin-left: auto; }
    main { flex: 1; overflow: hidden; cursor: grab; position: relative; }
    main.moving { cursor: grabbing; }
    main svg { position: absolute; left: 0; top: 0; transform-origin: 0 0; }
    g.box { cursor: pointer; }
    g.box.found > rect { stroke: #d6336c; stroke-width: 3; }
    g.box.chosen > rect { stroke: #1864ab; stroke-width: 3; }
    body.searching g.box:not(.found) > rect, body.searching g.box:not(.found) > text { opacity: 0.35; }
    #details { position: fixed; right: 12px; bottom: 12px; max-width: 46vw; max-height: 50vh; overflow: auto; margin: 0; padding: 10px 14px;
      background: #fff; border: 1px solid #aab3c0; border-radius: 6px; box-shadow: 0 4px 18px #0003; font: 12px ui-monospace, monospace;
      white-space: pre-wrap; }

    """

  /// Moves and scales the drawing by a transform. The search matches the tooltips, which contain all details.
  private static let script = """

    const view = document.getElementById("view"), svg = view.querySelector("svg"), details = document.getElementById("details");
    const width = svg.width.baseVal.value, height = svg.height.baseVal.value;
    let scale = 1, left = 0, top_ = 0;
    function show() { svg.style.transform = `translate(${left}px, ${top_}px) scale(${scale})`; }
    function zoom(factor, x, y) {
      const next = Math.min(8, Math.max(0.01, scale * factor));
      left = x - (x - left) * next / scale; top_ = y - (y - top_) * next / scale; scale = next; show();
    }
    function whole() {
      scale = Math.min(view.clientWidth / width, view.clientHeight / height, 1);
      left = (view.clientWidth - width * scale) / 2; top_ = 0; show();
    }
    function actual() { scale = 1; left = (view.clientWidth - width) / 2; top_ = 0; show(); }
    function reveal(box) {
      const frame = view.getBoundingClientRect(), place = box.getBoundingClientRect();
      left += frame.left + frame.width / 2 - (place.left + place.width / 2);
      top_ += frame.top + frame.height / 2 - (place.top + Math.min(place.height, frame.height) / 2); show();
    }
    view.addEventListener("wheel", event => {
      event.preventDefault();
      const frame = view.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - frame.left, event.clientY - frame.top);
    }, { passive: false });
    let from = null, moved = false;
    view.addEventListener("pointerdown", event => { from = [event.clientX - left, event.clientY - top_]; moved = false; });
    window.addEventListener("pointermove", event => {
      if (!from) return;
      const x = event.clientX - from[0], y = event.clientY - from[1];
      if (Math.abs(x - left) + Math.abs(y - top_) > 3) { moved = true; view.classList.add("moving"); }
      if (moved) { left = x; top_ = y; show(); }
    });
    window.addEventListener("pointerup", () => { from = null; view.classList.remove("moving"); });
    view.addEventListener("click", event => {
      if (moved) return;
      const box = event.target.closest("g.box");
      for (const old of svg.querySelectorAll("g.chosen")) old.classList.remove("chosen");
      details.hidden = !box;
      if (box) { box.classList.add("chosen"); details.textContent = box.querySelector(":scope > title").textContent; }
    });
    const search = document.getElementById("search"), found = document.getElementById("found");
    let matches = [], current = -1;
    search.addEventListener("input", () => {
      for (const box of matches) box.classList.remove("found");
      const text = search.value.trim().toLowerCase();
      matches = text ? [...svg.querySelectorAll("g.box")].filter(box =>
        box.querySelector(":scope > title").textContent.toLowerCase().includes(text)) : [];
      for (const box of matches) box.classList.add("found");
      document.body.classList.toggle("searching", text !== "");
      found.textContent = text ? `${matches.length} found, Enter for the next` : "";
      current = -1;
    });
    search.addEventListener("keydown", event => {
      if (event.key !== "Enter" || !matches.length) return;
      current = (current + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
      reveal(matches[current]);
    });
    document.getElementById("whole").addEventListener("click", whole);
    document.getElementById("actual").addEventListener("click", actual);
    if (height > view.clientHeight * 3) actual(); else whole();

    """
}
