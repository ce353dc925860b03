import MartletVision
import Testing

struct RankedClassTests {
  @Test func `the most confident class is first, equal ones keep their order, and what is no number is last`() {
    let confidences: [Float] = [
      0.25, .nan, -0.0, 0, .infinity, 0.25, -1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, -.infinity, 3, .nan, 0.5, -2, 3,
    ]
    let classes = confidences.enumerated().map { RankedClass(identifier: "\($0.offset)", confidence: $0.element) }
    let order = RankedClass.ranked(classes).map(\.identifier)
    #expect(order == ["4", "10", "14", "12", "0", "5", "7", "2", "3", "8", "6", "13", "9", "1", "11"])
  }

  @Test func `classes come in the order of their probabilities, and those without a label by name`() {
    let probabilities = ["cat": 0.25, "dog": 0.5, "emu": 0.25, "ant": 0.25]
    let classes = RankedClass.classes(label: "dog", probabilities: probabilities, order: LabelOrder(["emu", "dog", "cat", "emu", "fox"]))
    #expect(classes.map(\.identifier) == ["dog", "emu", "cat", "ant"])
    #expect(classes.map(\.confidence) == [0.5, 0.25, 0.25, 0.25])
    #expect(RankedClass.classes(label: "dog", probabilities: nil, order: nil) == [RankedClass(identifier: "dog", confidence: 1)])
  }
}
