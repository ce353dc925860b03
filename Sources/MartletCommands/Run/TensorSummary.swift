import Martlet
import MartletBytes
import MartletTensor

extension Tensor {
  static let blockElementCount = 1 << 16

  /// Calls `body` with consecutive parts of the elements as doubles in row-major order. As doubles, all elements of a large output would
  /// take up to eight times its memory.
  func forEachBlock(_ body: ([Double]) -> Void) {
    let size = host.dtype.byteCount
    var start = 0
    while start < elementCount {
      // In range: within the tensor, which lies in memory.
      let count = min(elementCount - start, Self.blockElementCount)
      // In range: bytes of a tensor in memory.
      let part = TensorStorage(count * size, of: host.sharedStorage, at: start * size)
      body(HostTensor(dtype: host.dtype, shape: [count], storage: part).numbers)
      start += count
    }
  }
}

/// The first elements of a tensor and the range of all elements.
struct TensorSummary {
  /// At most eight elements.
  let first: [Double]
  /// Over the finite elements; nil if there are none.
  let range: (minimum: Double, maximum: Double, mean: Double)?
  let notFiniteCount: Int
  private let elementCount: Int

  init(samplesOf picture: Picture) { self.init(Tensor(picture.pixels)) }

  init(_ tensor: Tensor) {
    elementCount = tensor.elementCount
    var first: [Double] = []
    var (minimum, maximum, sum, count) = (Double.infinity, -Double.infinity, 0.0, 0)
    tensor.forEachBlock { elements in
      if first.isEmpty { first = Array(elements.prefix(8)) }
      for element in elements where element.isFinite {
        minimum = min(minimum, element)
        maximum = max(maximum, element)
        sum += element
        count += 1
      }
    }
    self.first = first
    range = count == 0 ? nil : (minimum, maximum, sum / Double(count))
    notFiniteCount = elementCount - count
  }

  var text: String {
    let dots = elementCount > first.count ? ", …" : ""
    var text = "[\(first.map { Formatting.element($0) }.joined(separator: ", "))\(dots)]"
    if let range, elementCount > 1 {
      text += "  min \(Formatting.element(range.minimum)), max \(Formatting.element(range.maximum))"
      text += ", mean \(Formatting.element(range.mean))"
    }
    if notFiniteCount > 0 { text += "  \(notFiniteCount) not finite" }
    return text
  }
}

/// The largest elements of a vector.
struct Ranking {
  struct Entry {
    let index: Int
    let label: String?
    let value: Double
  }

  /// In descending order of value; equal values in order of index.
  let entries: [Entry]

  private init(entries: [Entry]) { self.entries = entries }

  /// - Parameter labels: the name for each index.
  init(_ tensor: Tensor, count: Int, labels: [String]?) {
    var candidates: [(value: Double, index: Int)] = []
    var position = 0
    func keepLargest() {
      candidates.sort { (-$0.value, $0.index) < (-$1.value, $1.index) }
      // In range: not negative.
      candidates.removeLast(max(candidates.count - count, 0))
    }
    tensor.forEachBlock { elements in
      for value in elements {
        candidates.append((value, position))
        position += 1
      }
      // In range: half of what lies in memory.
      if candidates.count / 2 >= max(count, Tensor.blockElementCount) { keepLargest() }
    }
    keepLargest()
    entries = candidates.map { value, index in
      Entry(index: index, label: labels.flatMap { index < $0.count ? $0[index] : nil }, value: value)
    }
  }

  /// Of the first dictionary, or else of the first tensor, which must be a vector apart from extents of 1.
  init(_ outputs: [NamedOutput], count: Int, labels: [String]?) throws {
    if let dictionary = outputs.lazy.compactMap(\.dictionary).first {
      let entries = NamedOutput.entries(dictionary)
      self.init(entries: entries.prefix(count).enumerated().map { Entry(index: $0, label: $1.key, value: $1.value) })
      return
    }
    guard let tensor = outputs.lazy.compactMap(\.value.tensor).first else { throw CommandFailure("--top needs an output that is a tensor") }
    guard tensor.shape.count(where: { $0 != 1 }) <= 1 else {
      throw CommandFailure("--top needs a vector, but the first output has the shape \(tensor.shape)")
    }
    self.init(tensor, count: count, labels: labels)
  }

  var text: String {
    let rows = entries.map { ["\($0.index)", Formatting.element($0.value), $0.label ?? ""] }
    return Formatting.table(rows, [.right, .right, .left], indentation: "  ").joined(separator: "\n")
  }

  var json: JSONValue {
    .array(entries.map { .members(["index": .integer($0.index), "label": .optional($0.label), "value": .finite($0.value)]) })
  }
}
