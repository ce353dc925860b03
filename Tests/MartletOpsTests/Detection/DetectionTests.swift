import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

private func tensor(_ result: CallResult) throws -> HostTensor {
  guard case .tensor(let tensor) = result else { throw HarnessError.noTensor }
  return tensor
}

/// Non-maximum suppression by its definition: all candidates in order, each against all that were kept.
private func reference(
  _ boxes: [[Float]], _ scores: [[Float]], _ suppression: BoxSuppression, _ limit: Int
) -> [Int] {
  let best = scores.map { $0.max()! }
  let classes = scores.map { row in row.firstIndex(of: row.max()!)! }
  let order = boxes.indices.sorted { (best[$1], $0) < (best[$0], $1) }
  func overlap(_ a: [Float], _ b: [Float]) -> Float {
    let width = max(0, min(a[0] + a[2] / 2, b[0] + b[2] / 2) - max(a[0] - a[2] / 2, b[0] - b[2] / 2))
    let height = max(0, min(a[1] + a[3] / 2, b[1] + b[3] / 2) - max(a[1] - a[3] / 2, b[1] - b[3] / 2))
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)
  }
  var kept: [Int] = []
  for index in order where suppression.scoreThreshold.map({ best[index] > $0 }) ?? true {
    let isFree = kept.allSatisfy {
      suppression.isPerClass && classes[$0] != classes[index] || overlap(boxes[$0], boxes[index]) <= suppression.overlapThreshold
    }
    if isFree { kept.append(index) }
  }
  return Array((kept.isEmpty ? order.prefix(1) : kept[...]).prefix(limit))
}

@Suite struct SuppressBoxesTests {
  @Test func theRecordedExampleComesOut() throws {
    // coremltools' test of the operator.
    let boxes = HostTensor(.float32, [1, 4, 4], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] as [Float])
    let scores = HostTensor(.float32, [1, 4, 1], [-3.5, 9.4, 2.3, 0.7] as [Float])
    let op = SuppressBoxes(
      BoxSuppression(overlapThreshold: 0.2, scoreThreshold: 0.4, isPerClass: true), count: .constant(2), boxesLast: false,
      givesCounts: true)
    let results = try runOperator(op, [.tensor(boxes), .tensor(scores)], outputs: 4)
    #expect(try tensor(results[0]).equals(HostTensor(.float32, [1, 2, 4], [1, 1, 1, 1, 2, 2, 2, 2] as [Float])))
    #expect(try tensor(results[1]).equals(HostTensor(.float32, [1, 2, 1], [9.4, 2.3] as [Float])))
    #expect(try tensor(results[2]).equals(HostTensor(.int32, [1, 2], [1, 2] as [Int32])))
    #expect(try tensor(results[3]).equals(HostTensor(.int32, [1], [2] as [Int32])))
  }

  @Test(arguments: [false, true], [nil, 0.2, 2] as [Float?]) func boxesAreChosenByTheDefinition(
    _ isPerClass: Bool, _ threshold: Float?
  ) throws {
    var random = SeededGenerator(seed: 11)
    let (images, count, classCount, limit) = (2, 60, 3, 25)
    let boxes = (0..<images * count).map { _ in random.floats(2, in: 0...10) + random.floats(2, in: 1...5) }
    let scores = (0..<images * count).map { _ in random.floats(classCount, in: -1...1) }
    let suppression = BoxSuppression(overlapThreshold: 0.25, scoreThreshold: threshold, isPerClass: isPerClass)
    let boxTensor = HostTensor(.float32, [images, count, 4], boxes.flatMap { $0 })
    let scoreTensor = HostTensor(.float32, [images, count, classCount], scores.flatMap { $0 })
    let results = try runOperator(
      SuppressBoxes(suppression, count: .constant(limit), boxesLast: false, givesCounts: true),
      [.tensor(boxTensor), .tensor(scoreTensor)], outputs: 4)
    let last = try runOperator(
      SuppressBoxes(suppression, count: .constant(limit), boxesLast: true, givesCounts: false),
      [.tensor(boxTensor.permuted([0, 2, 1])), .tensor(scoreTensor.permuted([0, 2, 1]))], outputs: 3)
    let other = BoxSuppression(overlapThreshold: 1, scoreThreshold: threshold == nil ? nil : 5, isPerClass: isPerClass)
    let numbers: [Double] = [0.25] + (threshold.map { [Double($0)] } ?? [])
    let operands: [TestOperand] = [.tensor(boxTensor), .tensor(scoreTensor)] + numbers.map { TestOperand.runtimeNumber(.double($0)) }
    let atRun = try runOperator(
      SuppressBoxes(
        other, count: .constant(limit), boxesLast: false, givesCounts: true, overlapOperand: 2,
        scoreOperand: threshold == nil ? nil : 3),
      operands, outputs: 4)
    for (result, expected) in zip(atRun, results) { #expect(try tensor(result).equals(try tensor(expected))) }
    #expect(try tensor(last[0]).permuted([0, 2, 1]).equals(try tensor(results[0])))
    #expect(try tensor(last[1]).permuted([0, 2, 1]).equals(try tensor(results[1])))
    #expect(try tensor(last[2]).equals(try tensor(results[2])))
    for image in 0..<images {
      let range = image * count..<(image + 1) * count
      let expected = reference(Array(boxes[range]), Array(scores[range]), suppression, limit)
      let found = try tensor(results[2]).elements(as: Int32.self)[image * limit..<(image + 1) * limit].map(Int.init)
      #expect(Array(found.prefix(expected.count)) == expected)
      #expect(found.dropFirst(expected.count).allSatisfy { $0 == -1 })
      #expect(try tensor(results[3]).elements(as: Int32.self)[image] == Int32(expected.count))
      let rows = try tensor(results[0]).elements(as: Float.self)[image * limit * 4..<(image + 1) * limit * 4]
      #expect(
        Array(rows) == expected.flatMap { boxes[image * count + $0] } + [Float](repeating: 0, count: (limit - expected.count) * 4))
    }
  }

  @Test func noBoxesAndBoxesThatDoNotFit() throws {
    let op = SuppressBoxes(
      BoxSuppression(overlapThreshold: 0.5, scoreThreshold: nil, isPerClass: false), count: .constant(2), boxesLast: false,
      givesCounts: true)
    let empty = try runOperator(
      op, [.tensor(HostTensor(zeros: .float32, shape: [1, 0, 4])), .tensor(HostTensor(zeros: .float32, shape: [1, 0, 3]))], outputs: 4)
    #expect(try tensor(empty[2]).elements(as: Int32.self) == [-1, -1])
    #expect(try tensor(empty[3]).elements(as: Int32.self) == [0])
    for (boxes, scores) in [([1, 3, 5], [1, 3, 1]), ([1, 3, 4], [1, 2, 1]), ([3, 4], [3, 1]), ([2, 3, 4], [1, 3, 1])] {
      #expect(throws: (any Error).self) {
        try runOperator(
          op, [.tensor(HostTensor(zeros: .float32, shape: boxes)), .tensor(HostTensor(zeros: .float32, shape: scores))], outputs: 4)
      }
    }
  }
}
