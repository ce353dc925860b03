/// Layered layout of a directed acyclic graph from top to bottom, after Sugiyama, Tagawa and Toda: layers by longest path, order within
/// layers by barycentres, positions by isotonic regression (which is optimal for one layer with fixed neighbours).
struct LayeredLayout {
  /// A box to position. Lengths are in pixels.
  struct Box {
    var width: Double
    var height: Double
    /// Space for captions of its edges to the right of the middle, if that exceeds the box itself.
    var captionWidth = 0.0
    /// Whether the graph starts at this box. Boxes that are not reachable from any such box are placed just above their successors.
    var isEntry = false
  }

  struct Edge {
    var source: Int
    var target: Int
    /// Where the edge leaves and enters, relative to the middles of the boxes.
    var sourceOffset: Double
    var targetOffset: Double
  }

  /// A point where an edge passes through a layer, vertically from `top` to `bottom`.
  struct Passage {
    var x: Double
    var top: Double
    var bottom: Double
  }

  /// Middle and top of each box.
  private(set) var positions: [(x: Double, y: Double)] = []
  /// The points of each edge between its ends.
  private(set) var passages: [[Passage]] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let layerGap = 44.0
  private static let boxGap = 22.0
  private static let passageGap = 9.0
  private static let positionSweeps = 80

  /// A box, or the passage of an edge through a layer.
  private struct Vertex {
    var layer: Int
    var left: Double
    var right: Double
    var above: [Int] = []
    var below: [Int] = []
    /// Offsets of the ends on this vertex and on the other one, for the edges in `above` and `below`.
    var aboveOffsets: [(own: Double, other: Double)] = []
    var belowOffsets: [(own: Double, other: Double)] = []
    var isPassage: Bool
    var x = 0.0
  }

  private var vertices: [Vertex] = []
  private var layers: [[Int]] = []
  /// Position of a vertex in its layer.
  private var ranks: [Int] = []

  /// - Parameter edges: each from a box to a later one in `boxes`.
  init(_ boxes: [Box], _ edges: [Edge]) {
    guard !boxes.isEmpty else { return }
    let boxLayers = Self.layers(boxes, edges)
    vertices = boxes.indices.map { index in
      let box = boxes[index]
      return Vertex(layer: boxLayers[index], left: box.width / 2, right: max(box.width / 2, box.captionWidth), isPassage: false)
    }
    var chains: [[Int]] = []
    for edge in edges { chains.append(addChain(edge)) }
    layers = [[Int]](repeating: [], count: (boxLayers.max() ?? 0) + 1)
    for index in vertices.indices { layers[vertices[index].layer].append(index) }
    ranks = [Int](repeating: 0, count: vertices.count)
    updateRanks()
    orderLayers()
    placeHorizontally()

    var tops = [Double](repeating: 0, count: layers.count)
    var heights = [Double](repeating: 0, count: layers.count)
    for (index, box) in boxes.enumerated() { heights[boxLayers[index]] = max(heights[boxLayers[index]], box.height) }
    for layer in layers.indices.dropFirst() { tops[layer] = tops[layer - 1] + heights[layer - 1] + Self.layerGap }
    positions = boxes.indices.map { index in (vertices[index].x, tops[boxLayers[index]]) }
    passages = chains.map { chain in
      chain.map { vertex in
        let layer = vertices[vertex].layer
        return Passage(x: vertices[vertex].x, top: tops[layer], bottom: tops[layer] + heights[layer])
      }
    }
    width = vertices.map { $0.x + $0.right }.max() ?? 0
    height = (tops.last ?? 0) + (heights.last ?? 0)
  }

  /// Longest paths from the entries. Entries, and boxes not reachable from an entry, are placed as low as their successors allow.
  private static func layers(_ boxes: [Box], _ edges: [Edge]) -> [Int] {
    var incoming = [[Int]](repeating: [], count: boxes.count)
    var outgoing = [[Int]](repeating: [], count: boxes.count)
    for edge in edges {
      incoming[edge.target].append(edge.source)
      outgoing[edge.source].append(edge.target)
    }
    var layers = [Int](repeating: 0, count: boxes.count)
    var isLoose = [Bool](repeating: false, count: boxes.count)
    for index in boxes.indices {
      isLoose[index] = !boxes[index].isEntry && incoming[index].allSatisfy { isLoose[$0] }
      layers[index] = (incoming[index].map { layers[$0] }.max() ?? -1) + 1
    }
    // Loose boxes whose successors are all loose are placed below their predecessors.
    var isUsed = isLoose.map { !$0 }
    for index in boxes.indices.reversed() {
      let users = outgoing[index].filter { isUsed[$0] }
      guard isLoose[index] || boxes[index].isEntry, let highest = users.map({ layers[$0] }).min() else { continue }
      isUsed[index] = true
      layers[index] = highest - 1
    }
    for index in boxes.indices where !isUsed[index] {
      if let lowest = incoming[index].map({ layers[$0] }).max() { layers[index] = lowest + 1 }
    }
    return layers
  }

  /// - Returns: the passages of the edge, from top to bottom.
  private mutating func addChain(_ edge: Edge) -> [Int] {
    var chain: [Int] = []
    var previous = edge.source
    var offset = edge.sourceOffset
    func connect(_ upper: Int, _ lower: Int, _ upperOffset: Double, _ lowerOffset: Double) {
      vertices[upper].below.append(lower)
      vertices[upper].belowOffsets.append((upperOffset, lowerOffset))
      vertices[lower].above.append(upper)
      vertices[lower].aboveOffsets.append((lowerOffset, upperOffset))
    }
    var layer = vertices[edge.source].layer + 1
    while layer < vertices[edge.target].layer {
      vertices.append(Vertex(layer: layer, left: 0, right: 0, isPassage: true))
      connect(previous, vertices.count - 1, offset, 0)
      (previous, offset) = (vertices.count - 1, 0)
      chain.append(previous)
      layer += 1
    }
    connect(previous, edge.target, offset, edge.targetOffset)
    return chain
  }

  // MARK: Order

  private mutating func updateRanks() {
    for layer in layers { for (rank, vertex) in layer.enumerated() { ranks[vertex] = rank } }
  }

  /// Sweeps down and up, and keeps the order with the fewest crossings.
  private mutating func orderLayers() {
    var best = layers
    var fewest = crossingCount()
    for sweep in 0..<16 where fewest > 0 {
      let isDown = sweep.isMultiple(of: 2)
      let order = isDown ? Array(layers.indices.dropFirst()) : Array(layers.indices.dropLast().reversed())
      for layer in order {
        let keys = layers[layer].map { vertex -> Double in
          let neighbours = isDown ? vertices[vertex].above : vertices[vertex].below
          let offsets = isDown ? vertices[vertex].aboveOffsets : vertices[vertex].belowOffsets
          guard !neighbours.isEmpty else { return Double(ranks[vertex]) }
          // The offset on a wide box orders the edges that leave it.
          let sum = zip(neighbours, offsets).reduce(0) { $0 + Double(ranks[$1.0]) + $1.1.other * 1e-4 }
          return sum / Double(neighbours.count)
        }
        let sorted = zip(layers[layer], keys).enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
        layers[layer] = sorted.map(\.element.0)
        for (rank, vertex) in layers[layer].enumerated() { ranks[vertex] = rank }
      }
      let count = crossingCount()
      if count < fewest { (best, fewest) = (layers, count) }
    }
    layers = best
    updateRanks()
  }

  /// Number of crossing pairs of edges between neighbouring layers, counted as inversions with a Fenwick tree. Ends on the same box are
  /// ordered by their offsets.
  private func crossingCount() -> Int {
    var crossings = 0
    for layer in layers.dropFirst() {
      var ends: [(upper: Double, lower: Double)] = []
      for vertex in layer {
        for (above, offset) in zip(vertices[vertex].above, vertices[vertex].aboveOffsets) {
          ends.append((Double(ranks[above]) + offset.other * 1e-4, Double(ranks[vertex]) + offset.own * 1e-4))
        }
      }
      ends.sort { $0 < $1 }
      let places = Dictionary(Set(ends.map(\.lower)).sorted().enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
      var tree = [Int](repeating: 0, count: places.count + 1)
      for (seen, end) in ends.enumerated() {
        let place = places[end.lower] ?? 1
        var atMost = 0
        var index = place
        while index > 0 {
          atMost += tree[index]
          index -= index & -index
        }
        crossings += seen - atMost
        index = place
        while index <= places.count {
          tree[index] += 1
          index += index & -index
        }
      }
    }
    return crossings
  }

  // MARK: Positions

  /// Minimum distance between the middles of two neighbours in a layer.
  private func separation(_ left: Int, _ right: Int) -> Double {
    let gap = vertices[left].isPassage || vertices[right].isPassage ? Self.passageGap : Self.boxGap
    return vertices[left].right + vertices[right].left + gap
  }

  private func isTied(_ vertex: Int) -> Bool { !vertices[vertex].above.isEmpty || !vertices[vertex].below.isEmpty }

  private mutating func placeHorizontally() {
    for layer in layers {
      var x = 0.0
      for (rank, vertex) in layer.enumerated() {
        if rank > 0 { x += separation(layer[rank - 1], vertex) }
        vertices[vertex].x = x
      }
      // Layers are initially centred at 0.
      for vertex in layer { vertices[vertex].x -= x / 2 }
    }
    for sweep in 0..<Self.positionSweeps {
      let isDown = sweep.isMultiple(of: 2)
      let isLast = sweep >= Self.positionSweeps - 4
      for layer in isDown ? Array(layers.indices) : layers.indices.reversed() { place(layers[layer], isDown: isDown, isLast: isLast) }
    }
    let left = vertices.map { $0.x - $0.left }.min() ?? 0
    for index in vertices.indices { vertices[index].x -= left }
  }

  /// Moves a layer's vertices towards their neighbours above (or below; in the last sweeps on both sides), keeping order and distance.
  private mutating func place(_ layer: [Int], isDown: Bool, isLast: Bool) {
    var desired: [Double] = []
    var weights: [Double] = []
    for vertex in layer {
      var (sum, weight) = (0.0, 0.0)
      func add(_ neighbours: [Int], _ offsets: [(own: Double, other: Double)]) {
        for (neighbour, offset) in zip(neighbours, offsets) {
          // Long edges should be straight.
          let importance = vertices[vertex].isPassage && vertices[neighbour].isPassage ? 8.0 : 1.0
          sum += importance * (vertices[neighbour].x + offset.other - offset.own)
          weight += importance
        }
      }
      if isDown || isLast { add(vertices[vertex].above, vertices[vertex].aboveOffsets) }
      if !isDown || isLast { add(vertices[vertex].below, vertices[vertex].belowOffsets) }
      // A vertex without neighbours here follows its left neighbour.
      desired.append(weight > 0 ? sum / weight : isTied(vertex) ? vertices[vertex].x : desired.last ?? vertices[vertex].x)
      weights.append(weight > 0 ? weight : 0.05)
    }
    var shifts = [Double](repeating: 0, count: layer.count)
    for rank in layer.indices.dropFirst() { shifts[rank] = shifts[rank - 1] + separation(layer[rank - 1], layer[rank]) }
    // After subtracting the shifts, positions must be nondecreasing: pool adjacent violators.
    var blocks: [(value: Double, weight: Double, count: Int)] = []
    for rank in layer.indices {
      var block = (value: desired[rank] - shifts[rank], weight: weights[rank], count: 1)
      while let previous = blocks.last, previous.value > block.value {
        blocks.removeLast()
        let weight = previous.weight + block.weight
        block = ((previous.value * previous.weight + block.value * block.weight) / weight, weight, previous.count + block.count)
      }
      blocks.append(block)
    }
    var rank = 0
    for block in blocks {
      for _ in 0..<block.count {
        vertices[layer[rank]].x = block.value + shifts[rank]
        rank += 1
      }
    }
  }
}
