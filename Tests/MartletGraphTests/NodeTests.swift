import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct NodeTests {
  private static let relu = Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu")

  @Test func aChangedNodeLeavesItsCopiesAsTheyAre() {
    let node = Node(op: Identity(), inputs: [ValueID(0)], outputs: [ValueID(1)], source: "a")
    var other = node
    other.op = Self.relu
    other.inputs.append(nil)
    other.outputs[0] = ValueID(2)
    other.source = "b"
    other.origins.append(NodeOrigin(SourceOperation(number: 1, op: "relu", name: "r")))
    other.regions.append(Graph(name: "region"))
    #expect(node.op is Identity && node.inputs == [ValueID(0)] && node.outputs == [ValueID(1)] && node.source == "a")
    #expect(node.origins.isEmpty && node.regions.isEmpty)
    #expect(other.op is Pointwise && other.inputs == [ValueID(0), nil] && other.outputs == [ValueID(2)] && other.source == "b")
    #expect(other.origins.count == 1 && other.regions.count == 1)
    #expect(node.applies(Identity.self) && other.applies(Pointwise.self) && !other.applies(Identity.self))
  }

  @Test func anOperandIsReplacedWhereItStands() {
    let node = Node(op: Identity(), inputs: [ValueID(0), nil, ValueID(0)], outputs: [], source: "a")
    var other = node
    other.replaceInput(2, ValueID(0), by: ValueID(5))
    #expect(node.inputs == [ValueID(0), nil, ValueID(0)] && other.inputs == [ValueID(0), nil, ValueID(5)])
    for index in [1, 2, 3] { other.replaceInput(index, ValueID(0), by: ValueID(7)) }
    #expect(other.inputs == [ValueID(0), nil, ValueID(5)])
  }

  @Test func operatorsOfOneTypeAreReadAsTheyAre() {
    let label = String(repeating: "label ", count: 20)
    let node = Node(op: Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: label), inputs: [], outputs: [], source: "a")
    #expect(node.op(as: Pointwise.self)?.label == label && node.op(as: Identity.self) == nil)
    #expect(Node(op: Identity(), inputs: [], outputs: [], source: "a").op(as: Identity.self) != nil)
  }

  @Test func shapesInTextsAreThoseOfArrays() {
    for shape in [[], [1], [1, -2, 300]] as [[Int]] { #expect("a \(shape)" == "a " + shape.description) }
  }
}
