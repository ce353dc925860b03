import Foundation
import MartletKernels
import MartletMedia
import MartletPixels
import MartletTensor
import MartletVocabulary
import Testing

/// Results of Pillow and OpenCV (Oracles/make_pixel_fixtures.py).
struct ResamplingTests {
  private let arrays: [String: HostTensor]

  init() throws {
    let path = Bundle.module.resourceURL!.appendingPathComponent("Fixtures/resampled.npz").path
    arrays = Dictionary(uniqueKeysWithValues: try NumPyArchive.read(path: path).map { ($0.name, $0.tensor) })
  }

  private func image(_ name: Substring) throws -> Image {
    let tensor = try #require(arrays[String(name)])
    let format: Image.PixelFormat = name == "L" ? .gray8 : name == "RGB" ? .rgb8 : .rgba8
    return try #require(Image(width: tensor.shape[1], height: tensor.shape[0], format: format, pixels: tensor.bytes))
  }

  @Test func `resized pictures are Pillow's, for every filter and format`() throws {
    let filters: [Substring: ResamplingFilter] = [
      "nearest": .nearest, "box": .box, "bilinear": .bilinear, "bicubic": .bicubic, "lanczos": .lanczos,
    ]
    var compared = 0
    for (name, expected) in arrays {
      let words = name.split(separator: ".")
      guard words.count >= 3, let filter = filters[words[1]] else { continue }
      let part = words.count == 4 ? PixelRectangle(columns: 2.25..<31.5, rows: 1.5..<21) : nil
      let resized = try image(words[0]).resized(width: expected.shape[1], height: expected.shape[0], filter: filter, part: part)
      #expect(resized.pixels == expected.bytes, "\(name)")
      compared += 1
    }
    #expect(compared == 3 * 5 * 7)
  }

  @Test func `a window of the result is a part of the whole`() throws {
    let image = try image("RGB")
    for (width, height) in [(18, 12), (70, 50), (5, 3)] {
      for filter in ResamplingFilter.allCases {
        let whole = image.resized(width: width, height: height, filter: filter)
        let (x, y) = (width / 5..<width - width / 7, height / 3..<height - height / 9)
        let window = image.resized(width: width, height: height, filter: filter, window: (x, y))
        #expect(window == whole.cropped(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count), "\(filter) \(width)")
      }
    }
  }

  @Test func `a region is resized as if it had been cropped`() throws {
    for name in ["L", "RGB", "RGBA"] {
      let image = try image(name[...])
      let cropped = try #require(image.cropped(x: 5, y: 3, width: 21, height: 16))
      for filter in ResamplingFilter.allCases {
        for (width, height) in [(9, 7), (21, 16), (40, 33)] {
          let resized = image.resized(width: width, height: height, filter: filter, region: (5..<26, 3..<19))
          #expect(resized == cropped.resized(width: width, height: height, filter: filter), "\(name) \(filter) \(width)")
        }
      }
    }
  }

  @Test func `boxes are Pillow's reduce`() throws {
    var compared = 0
    for (name, expected) in arrays {
      let words = name.split(separator: ".")
      guard words.count == 3, words[1] == "reduce" else { continue }
      let factors = words[2].split(separator: "x").compactMap { Int($0) }
      #expect(try image(words[0]).reduced(xFactor: factors[0], yFactor: factors[1]).pixels == expected.bytes, "\(name)")
      compared += 1
    }
    #expect(compared == 12)
  }

  @Test func `areas are OpenCV's within a step`() throws {
    var compared = 0
    for (name, expected) in arrays {
      let words = name.split(separator: ".")
      guard words.count == 3, words[0] == "area" else { continue }
      let resized = try image(words[1]).resized(width: expected.shape[1], height: expected.shape[0], filter: .area)
      let largest = zip(resized.pixels, expected.bytes).map { abs(Int($0) - Int($1)) }.max()
      #expect(largest ?? 255 <= 1, "\(name)")
      compared += 1
    }
    #expect(compared == 8)
  }

  @Test(arguments: [(1, 1, 1, 1), (1, 300, 1, 7), (300, 1, 7, 1), (2, 2, 257, 129), (640, 480, 33, 31), (1000, 900, 3, 2)])
  func `stripes and blocks give the rows of a picture of one colour`(extents: (Int, Int, Int, Int)) throws {
    let color: [UInt8] = [9, 200, 77]
    let pixels = (0..<extents.0 * extents.1).flatMap { _ in color }
    let image = try #require(Image(width: extents.0, height: extents.1, format: .rgb8, pixels: pixels))
    for filter in ResamplingFilter.allCases {
      let resized = image.resized(width: extents.2, height: extents.3, filter: filter)
      #expect(resized.pixels == (0..<extents.2 * extents.3).flatMap { _ in color }, "\(filter)")
    }
  }

  /// Tall windows make stripes narrow.
  @Test func `a very tall picture is resampled in blocks of columns`() throws {
    let (width, height) = (40, 60_000)
    var generator = SplitMix64(state: 3)
    let pixels = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = try #require(Image(width: width, height: height, format: .gray8, pixels: pixels))
    let resized = image.resized(width: 37, height: 1, filter: .box)
    let halves = image.resized(width: 37, height: 2, filter: .box).pixels
    for column in 0..<37 { #expect(abs(Int(resized.pixels[column]) - (Int(halves[column]) + Int(halves[37 + column])) / 2) <= 1) }
  }

  @Test func `pixels that are made when they are needed are scaled like those in memory`() throws {
    let image = try image("RGBA")
    let (width, height) = (image.width, image.height)
    for filter in ResamplingFilter.allCases {
      for (columns, rows) in [(2.25..<31.5, 1.5..<21.0), (0..<Double(width), 0..<Double(height)), (3..<13, 2..<9), (-0.75..<20, -1.5..<12)]
      {
        let axes = (
          ResamplingAxis.Parameters(from: width, part: columns, to: 10, filter: filter),
          ResamplingAxis.Parameters(from: height, part: rows, to: 7, filter: filter)
        )
        let made = unsafe MadePixels(width: width, height: height) { row, columns, pixels in
          for (place, byte) in image.pixels[4 * (row * width + columns.lowerBound)..<4 * (row * width + columns.upperBound)].enumerated() {
            unsafe pixels[place] = byte
          }
        }
        var results = [[UInt8](repeating: 0, count: 280), [UInt8](repeating: 1, count: 280)]
        unsafe PixelResampler(source: made, columns: axes.0, rows: axes.1).forEachRow { row, column, count, samples in
          for place in 0..<4 * count { unsafe results[0][4 * (row * 10 + column) + place] = samples[place] }
        }
        try unsafe image.pixels.withUnsafeBytes { bytes in
          let source = unsafe PixelSource(
            width: width, height: height, format: .rgba8, plane: .init(base: bytes.baseAddress!, rowByteCount: 4 * width))
          let resampler = PixelResampler(source: try #require(source), columns: axes.0, rows: axes.1, samples: .stored)
          unsafe resampler.forEachRow { row, column, count, samples in
            for place in 0..<4 * count { unsafe results[1][4 * (row * 10 + column) + place] = samples[place] }
          }
        }
        #expect(results[0] == results[1], "\(filter) \(columns) \(rows)")
        guard columns == 3..<13, rows == 2..<9 else { continue }
        #expect(results[0] == image.cropped(x: 3, y: 2, width: 10, height: 7)?.pixels, "a part of its own size is copied: \(filter)")
      }
    }
  }

  @Test(arguments: [(20, 7, 0.0..<20.0), (20, 7, -1.25..<21.5), (9, 31, 0.5..<8.25), (9, 31, -0.2..<9.1), (12, 12, 0.0..<12.0)])
  func `numbers are scaled by the triangle filter`(_ extent: Int, _ count: Int, _ part: Range<Double>) {
    let numbers = (0..<2 * extent).map { Float(($0 * 37) % 23) - 7.5 }
    func weights(_ position: Int) -> [Double] {
      let scale = (part.upperBound - part.lowerBound) / Double(count)
      let center = min(max(part.lowerBound + (Double(position) + 0.5) * scale, 0), Double(extent))
      let support = max(scale, 1)
      let weights: [Double] = (0..<extent).map { index in
        let distance = abs(Double(index) + 0.5 - center)
        return max(0, 1 - distance / support)
      }
      let sum = weights.reduce(0, +)
      return weights.map { $0 / sum }
    }
    let axes = (
      ResamplingAxis.Parameters(from: extent, part: part, to: count, filter: .bilinear, precision: .once),
      ResamplingAxis.Parameters(from: 2, to: 2, filter: .bilinear, precision: .once)
    )
    // Two planes in two rows, the second one with other signs.
    let resampler = unsafe NumberResampler(planeCount: 2, columns: axes.0, rows: axes.1) { row, planes in
      for place in 0..<2 * extent { unsafe planes[place] = row == 0 ? numbers[place] : -numbers[place] }
    }
    var results = [[Float]](repeating: [], count: 2)
    unsafe resampler.forEachRow { row, planes in results[row] = (0..<2 * count).map { unsafe planes[$0] } }
    for plane in 0..<2 {
      for position in 0..<count {
        let expected = zip(weights(position), numbers[plane * extent..<(plane + 1) * extent]).reduce(0) { $0 + $1.0 * Double($1.1) }
        #expect(abs(Double(results[0][plane * count + position]) - expected) < 1e-4, "\(plane) \(position)")
        #expect(results[1][plane * count + position] == -results[0][plane * count + position])
      }
    }
  }

  @Test func `a copied row keeps numbers beside infinities`() {
    let axis = ResamplingAxis.Parameters(from: 4, part: 1..<3, to: 2, filter: .bilinear, precision: .once)
    let resampler = unsafe NumberResampler(planeCount: 1, columns: axis, rows: axis) { _, planes in
      for place in 0..<4 { unsafe planes[place] = place == 2 ? .infinity : 1 }
    }
    unsafe resampler.forEachRow { _, planes in unsafe #expect(planes[0] == 1 && planes[1] == .infinity) }
  }
}
