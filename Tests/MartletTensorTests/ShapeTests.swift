import MartletTensor
import Testing

@Suite struct ShapeTests {
  @Test(arguments: 0...9) func ordersOfAxesArePermutations(rank: Int) {
    #expect(Shape.rowMajorOrder(rank: rank) == Array(0..<rank))
    let last = Shape.channelsLastOrder(rank: rank)
    #expect(last.sorted() == Array(0..<rank))
    #expect(rank < 3 ? last == Array(0..<rank) : last.first == 0 && last.last == 1)
  }

  @Test func stridesOfDenseTensors() {
    #expect(Shape.contiguousStrides([]) == [])
    #expect(Shape.contiguousStrides([2, 3, 4]) == [12, 4, 1])
    #expect(Shape.contiguousStrides([2, 0, 4]) == [4, 4, 1])
    #expect(Shape.contiguousStrides([1 << 62, 1 << 62, 4]).last == 1)
    #expect(Shape.strides([2, 3, 4, 5], dimOrder: [0, 2, 3, 1]) == [60, 1, 15, 3])
    #expect(Shape.strides([2, 3], dimOrder: [0, 1]) == Shape.contiguousStrides([2, 3]))
  }
}
