import CoreML

/// A WAV file with one channel of 16 bits a sample.
struct Recording {
  let rate: Int
  /// From -1 to 1.
  let samples: [Float]

  init?(contentsOf url: URL) throws {
    let data = [UInt8](try Data(contentsOf: url))
    func number(_ at: Int, bytes: Int) -> Int { (0..<bytes).reduce(0) { $0 | Int(data[at + $1]) << (8 * $1) } }
    func name(_ at: Int) -> String { String(decoding: data[at..<at + 4], as: UTF8.self) }

    guard data.count >= 12, name(0) == "RIFF", name(8) == "WAVE" else { return nil }
    var rate: Int?
    var position = 12
    while position + 8 <= data.count {
      let (chunk, start) = (name(position), position + 8)
      let end = start + number(position + 4, bytes: 4)
      guard end <= data.count else { return nil }
      if chunk == "fmt ", end - start >= 16 {
        // PCM, one channel, 16 bits.
        guard number(start, bytes: 2) == 1, number(start + 2, bytes: 2) == 1, number(start + 14, bytes: 2) == 16 else { return nil }
        rate = number(start + 4, bytes: 4)
      } else if chunk == "data", let rate {
        self.rate = rate
        samples = stride(from: start, to: end - 1, by: 2).map { Float(Int16(truncatingIfNeeded: number($0, bytes: 2))) / 32768 }
        return
      }
      position = end + (end - start) % 2
    }
    return nil
  }
}
