import MartletCompiler
import MartletVocabulary
import Testing

@Suite struct ArenaLayoutTests {
  @Test(arguments: 0..<20) func buffersThatLiveAtTheSameTimeDoNotOverlap(seed: Int) {
    var state = UInt64(seed) &* 2_862_933_555_777_941_757 &+ 3_037_000_493
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let count = seed < 19 ? 60 : 1600
    let requests = (0..<count).map { index -> ArenaLayout.Request? in
      if next(10) == 0 { return nil }
      let first = seed < 19 ? next(40) : index
      return ArenaLayout.Request(byteCount: next(5000), first: first, last: first + next(12))
    }
    let layout = ArenaLayout(requests)
    for a in requests.indices {
      guard let x = requests[a] else { continue }
      if layout.offsets[a] % 64 != 0 || layout.offsets[a] + x.byteCount > layout.byteCount { Issue.record("buffer \(a) is out of place") }
      for b in requests.indices.dropFirst(a + 1) {
        guard let y = requests[b], x.first <= y.last, y.first <= x.last, x.byteCount > 0, y.byteCount > 0 else { continue }
        let apart =
          layout.offsets[a] + x.byteCount <= layout.offsets[b] || layout.offsets[b] + y.byteCount <= layout.offsets[a]
        if !apart { Issue.record("buffers \(a) and \(b) overlap") }
      }
    }
  }

  @Test func memoryIsReusedWhenItsBufferIsDead() {
    let layout = ArenaLayout([
      ArenaLayout.Request(byteCount: 4096, first: 0, last: 1), ArenaLayout.Request(byteCount: 4096, first: 1, last: 2),
      ArenaLayout.Request(byteCount: 4096, first: 2, last: 3),
    ])
    #expect(layout.byteCount == 8192)
  }
}
