import Foundation
import Martlet
import Testing

/// The engine's side of a call: how inputs are set, kept and refused.
struct InvocationTests {
  private let model: Model

  init() throws {
    model = try Model(contentsOf: URL(fileURLWithPath: Fixture.path("methods.pte")))
  }

  private func storage(_ numbers: [Float], offset: Int = 0) -> TensorStorage {
    let whole = TensorStorage(byteCount: offset + numbers.count * 4)
    for (index, number) in numbers.enumerated() {
      unsafe whole.pointer.storeBytes(of: number, toByteOffset: offset + index * 4, as: Float.self)
    }
    return TensorStorage(numbers.count * 4, of: whole, at: offset)
  }

  /// The sum that `forward` gives.
  private func run(_ invocation: Invocation) throws -> [Float] {
    try invocation.run { _, type in TensorStorage(byteCount: type.byteCount) }
    guard case .tensor(let type) = invocation.result(0), let storage = invocation.storage(ofOutput: 0) else { return [] }
    return (0..<type.elementCount).map { unsafe storage.pointer.load(fromByteOffset: $0 * 4, as: Float.self) }
  }

  @Test func `inputs stay set until the invocation is reset`() throws {
    let pool = try model.invocations(of: "forward")
    let invocation = pool.take()
    let x = storage([1, 2, 3])
    try invocation.setInput(0, to: TensorType(.float32, [3]), in: x)
    #expect(throws: MartletError.self) { try run(invocation) }
    try invocation.setInput(1, toCopyOf: TensorType(.float32, [3]), in: x)
    #expect(try run(invocation) == [2, 4, 6])
    // The first input is read in place, the second was copied.
    unsafe x.pointer.storeBytes(of: 10, as: Float.self)
    #expect(try run(invocation) == [11, 4, 6])
    #expect(invocation.isSet(0) && invocation.isSet(1))
    pool.release(invocation)
    let again = pool.take()
    #expect(again === invocation && !again.isSet(0) && !again.isSet(1) && again.storage(ofOutput: 0) == nil)
    #expect(throws: MartletError.self) { try run(again) }
  }

  @Test func `an input that is refused stays what it was`() throws {
    let invocation = Invocation(try model.compiled("forward"))
    for position in 0..<2 { try invocation.setInput(position, to: TensorType(.float32, [3]), in: storage([1, 2, 3])) }
    let other = storage([1, 2, 3, 4])
    #expect(throws: MartletError.self) { try invocation.setInput(0, to: TensorType(.float32, [4]), in: other) }
    #expect(throws: MartletError.self) { try invocation.setInput(0, toCopyOf: TensorType(.float32, [1, 3]), in: other) }
    #expect(throws: MartletError.self) { try invocation.setInput(0, toCopyOf: TensorType(.int32, [3]), in: other) }
    #expect(throws: MartletError.self) { try invocation.setInput(0, to: .int(1)) }
    #expect(throws: MartletError.self) { try invocation.setInputToNone(0) }
    #expect(try run(invocation) == [2, 4, 6])
  }

  @Test func `memory lives as long as an input refers to it`() throws {
    let invocation = Invocation(try model.compiled("forward"))
    weak var observed: TensorStorage?
    do {
      let x = storage([1, 2, 3])
      observed = x
      for position in 0..<2 { try invocation.setInput(position, to: TensorType(.float32, [3]), in: x) }
    }
    #expect(observed != nil)
    #expect(try run(invocation) == [2, 4, 6])
    for position in 0..<2 { try invocation.setInput(position, toCopyOf: TensorType(.float32, [3]), in: storage([4, 5, 6])) }
    #expect(observed == nil)
    #expect(try run(invocation) == [8, 10, 12])
  }

  @Test func `elements that are not aligned, have gaps or another type are copied`() throws {
    let invocation = Invocation(try model.compiled("forward"))
    try invocation.setInput(0, to: TensorType(.float32, [3]), in: storage([1, 2, 3], offset: 1))
    let wide = TensorStorage(zeroedByteCount: 64)
    for index in 0..<3 { unsafe wide.pointer.storeBytes(of: Double(index * 10), toByteOffset: index * 16, as: Double.self) }
    try unsafe invocation.setInput(
      1, toConverted: UnsafeRawPointer(wide.pointer), ElementPlacement(.float64, strides: [2]), shape: [3], as: .float32)
    #expect(try run(invocation) == [1, 12, 23])
  }
}
