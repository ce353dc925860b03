import MartletColor
import Testing

struct ColorSpaceTests {
  @Test func `primaries and white are adapted to D50`() throws {
    guard case .rgb(let matrix, _, _, _) = ColorSpace.sRGB.definition else { throw Missing() }
    // The colorants of IEC 61966-2-1 in profiles, rounded to 1/65536.
    let expected: [[Double]] = [[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169], [0.0139322, 0.0971045, 0.7141733]]
    for row in 0..<3 { for column in 0..<3 { #expect(abs(matrix.rows[row][column] - expected[row][column]) < 3e-4) } }
  }

  struct Missing: Error {}

  @Test(arguments: [
    ToneCurve.linear, .gamma(2.2), .sRGB, .bt709, .romm, .samples([0, 100, 4000, 30000, 65535]), .samples([65535, 1000, 0]),
  ])
  func `encoding undoes decoding`(_ curve: ToneCurve) {
    for step in 0...100 {
      let x = Double(step) / 100
      #expect(abs(curve.encode(curve.decode(x)) - x) < 1e-4)
    }
  }
}
