import MartletTensor

extension RegexCache {
  /// Calls `body` with each match in a text of valid UTF-8, from left to right; matches do not overlap. An empty match where the one
  /// before ended is none.
  func forEachMatch(in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
    let count = text.count
    if places.count <= count { places = Array(repeating: 0, count: max(count + 1, 2 * places.count)) }
    unsafe findPlaces(text)
    var start = 0
    var lastEnd = -1
    while let match = unsafe nextMatch(in: text, from: start) {
      if match.isEmpty {
        if match.lowerBound != lastEnd { body(match) }
        guard match.upperBound < count else { return }
        start = unsafe match.upperBound + UTF8Text.length(first: text[match.upperBound])
      } else {
        body(match)
        start = match.upperBound
      }
      lastEnd = match.upperBound
    }
  }

  /// Finds the set at each place of a text, from its end.
  private func findPlaces(_ text: UnsafeBufferPointer<UInt8>) {
    let classes = program.classes
    var position = text.count
    var (scalarClass, length) = unsafe classBefore(text, position, classes)
    var set = end(context: context(scalarClass, length))
    places[position] = set
    while position > 0 {
      // Cached transitions; one that is missing ends this loop, is computed and starts it again.
      var missing = 0
      let hasContexts = contextCount > 1
      unsafe transitions.withUnsafeBufferPointer { transitions in
        unsafe places.withUnsafeMutableBufferPointer { places in
          while position > 0 {
            let symbol: Int
            let place = position &- length
            var next = (UInt8(0), 0)
            if hasContexts {
              next = unsafe classBefore(text, place, classes)
              symbol = Int(widening: scalarClass) &* contextCount &+ context(next.0, next.1)
            } else {
              symbol = Int(widening: scalarClass)
            }
            let row = Int(widening: set)
            guard row < rowCount else {
              missing = symbol
              return
            }
            let before = unsafe transitions[row &* symbolCount &+ symbol]
            guard before != Self.unknown else {
              missing = symbol
              return
            }
            set = before
            position = place
            unsafe places[place] = before
            if !hasContexts { next = unsafe classBefore(text, place, classes) }
            (scalarClass, length) = next
          }
        }
      }
      guard position > 0 else { return }
      set = transition(set, symbol: missing)
      position -= length
      places[position] = set
      (scalarClass, length) = unsafe classBefore(text, position, classes)
    }
  }

  @inline(__always)
  private func context(_ scalarClass: UInt8, _ length: Int) -> Int {
    Int(widening: length == 0 ? program.contextAtStart : program.contextOfClass[Int(widening: scalarClass)])
  }

  /// The class and the length of the character before a position; length 0 at the start.
  @inline(__always)
  private func classBefore(_ text: UnsafeBufferPointer<UInt8>, _ position: Int, _ classes: ScalarClasses) -> (UInt8, Int) {
    guard position > 0 else { return (0, 0) }
    let last = unsafe text[position &- 1]
    if last < 0x80 { return (classes.ascii[Int(widening: last)], 1) }
    let (scalar, length) = unsafe UTF8Text.scalarBefore(text, position)
    return (classes.of(scalar), length)
  }

  private func nextMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
    let count = text.count
    var first = start
    while !beginsMatch[Int(widening: places[first])] {
      guard first < count else { return nil }
      first = unsafe first &+ UTF8Text.length(first: text[first])
    }
    var position = first
    var entry = 0
    while true {
      let set = places[position]
      let row = Int(widening: set)
      var next = row < rowCount ? steps[row &* entryCount &+ entry] : Self.unknownStep
      if next == Self.unknownStep { next = step(set, entry: entry) }
      if next == Self.matchStep { return first..<position }
      // In range: only a character leads to another entry.
      position = unsafe position &+ UTF8Text.length(first: text[position])
      entry = Int(widening: next)
    }
  }
}
