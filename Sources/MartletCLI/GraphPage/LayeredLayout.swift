/// Places the boxes of a directed acyclic graph in layers from top to bottom, after Sugiyama, Tagawa and Toda: layers by
/// longest path, order within layers by barycentres, positions by isotonic regression (which is optimal for one layer
/// beside its fixed neighbours).
struct LayeredLayout {
  /// A box to place. Lengths are in pixels.
  struct Box {
    var width: Double
    var height: Double
    /// Space that captions of its edges need to the right of the middle, where that is more than the box itself.
    var captionWidth = 0.0
  }

  struct Edge {
    var source: Int
    var target: Int
    /// Where the edge leaves and enters, from the middles of the boxes.
    var sourceOffset: Double
    var targetOffset: Double
  }

  /// A point where an edge passes through a layer: straight down from `top` to `bottom`.
  struct Passage {
    var x: Double
    var top: Double
    var bottom: Double
  }

  /// Middle and top of each box.
  private(set) var positions: [(x: Double, y: Double)] = []
  /// The way of each edge between its ends.
  private(set) var passages: [[Passage]] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let layerGap = 44.0
  private static let boxGap = 22.0
  private static let passageGap = 9.0

  /// A box or an edge's passage through a layer.
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

  /// - Parameter edges: each from a box to one that comes later in `boxes`.
  init(_ boxes: [Box], _ edges: [Edge]) {
    guard !boxes.isEmpty else { return }
    let boxLayers = Self.layers(boxes.count, edges)
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

  /// Longest paths; boxes that nothing leads to move down to the first that they lead to.
  private static func layers(_ count: Int, _ edges: [Edge]) -> [Int] {
    var layers = [Int](repeating: 0, count: count)
    var isTarget = [Bool](repeating: false, count: count)
    let sorted = edges.sorted { $0.source < $1.source }
    for edge in sorted {
      layers[edge.target] = max(layers[edge.target], layers[edge.source] + 1)
      isTarget[edge.target] = true
    }
    var lowest = [Int](repeating: Int.max, count: count)
    for edge in edges { lowest[edge.source] = min(lowest[edge.source], layers[edge.target] - 1) }
    for index in 0..<count where !isTarget[index] && lowest[index] != Int.max { layers[index] = lowest[index] }
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

  /// Sweeps down and up; keeps the order with the fewest crossings.
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
          // Where an edge leaves a wide box decides between those that leave the same one.
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

  /// Pairs of edges between neighbouring layers that cross, counted by inversions in a Fenwick tree.
  private func crossingCount() -> Int {
    var crossings = 0
    for layer in layers.dropFirst() {
      var ends: [(upper: Int, lower: Int)] = []
      for vertex in layer { for above in vertices[vertex].above { ends.append((ranks[above], ranks[vertex])) } }
      ends.sort { $0 < $1 }
      var tree = [Int](repeating: 0, count: layer.count + 1)
      for (seen, end) in ends.enumerated() {
        var atMost = 0
        var index = end.lower + 1
        while index > 0 {
          atMost += tree[index]
          index -= index & -index
        }
        crossings += seen - atMost
        index = end.lower + 1
        while index <= layer.count {
          tree[index] += 1
          index += index & -index
        }
      }
    }
    return crossings
  }

  // MARK: Positions

  /// Least distance between the middles of two neighbours in a layer.
  private func separation(_ left: Int, _ right: Int) -> Double {
    let gap = vertices[left].isPassage || vertices[right].isPassage ? Self.passageGap : Self.boxGap
    return vertices[left].right + vertices[right].left + gap
  }

  private mutating func placeHorizontally() {
    for layer in layers {
      var x = 0.0
      for (rank, vertex) in layer.enumerated() {
        if rank > 0 { x += separation(layer[rank - 1], vertex) }
        vertices[vertex].x = x
      }
      // Layers begin with their middles at 0.
      for vertex in layer { vertices[vertex].x -= x / 2 }
    }
    for sweep in 0..<24 {
      let isDown = sweep.isMultiple(of: 2)
      for layer in isDown ? Array(layers.indices) : layers.indices.reversed() { place(layers[layer], isDown: isDown, last: sweep >= 22) }
    }
    let left = vertices.map { $0.x - $0.left }.min() ?? 0
    for index in vertices.indices { vertices[index].x -= left }
  }

  /// Moves a layer's vertices towards their neighbours above (or below, or on both sides), keeping order and distance.
  private mutating func place(_ layer: [Int], isDown: Bool, last: Bool) {
    var desired: [Double] = []
    var weights: [Double] = []
    for vertex in layer {
      var (sum, weight) = (0.0, 0.0)
      func add(_ neighbours: [Int], _ offsets: [(own: Double, other: Double)]) {
        for (neighbour, offset) in zip(neighbours, offsets) {
          // Long edges shall be straight.
          let importance = vertices[vertex].isPassage && vertices[neighbour].isPassage ? 8.0 : 1.0
          sum += importance * (vertices[neighbour].x + offset.other - offset.own)
          weight += importance
        }
      }
      if isDown || last { add(vertices[vertex].above, vertices[vertex].aboveOffsets) }
      if !isDown || last { add(vertices[vertex].below, vertices[vertex].belowOffsets) }
      desired.append(weight > 0 ? sum / weight : vertices[vertex].x)
      weights.append(weight > 0 ? weight : 0.05)
    }
    var shifts = [Double](repeating: 0, count: layer.count)
    for rank in layer.indices.dropFirst() { shifts[rank] = shifts[rank - 1] + separation(layer[rank - 1], layer[rank]) }
    // Without the shifts the positions must only not decrease: pool adjacent violators.
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
