import MartletGraph
import MartletTensor
import Testing

@Suite struct UnalignedConstantTests {
  private struct NoFile: Constant.StoredPlace {
    func joined(with next: any Constant.StoredPlace) -> (any Constant.StoredPlace)? { nil }
    func fetch() {}
    func expectParts() {}
    func release() {}
  }

  /// Four numbers, stored at an odd address.
  private static func constant() throws -> Constant {
    let storage = try TensorStorage(allocating: 17)
    for (position, number) in [Float(1), -2, 0.5, 4].enumerated() {
      unsafe storage.pointer.storeBytes(of: number.bitPattern, toByteOffset: 1 + 4 * position, as: UInt32.self)
    }
    return Constant(
      type: TensorType(.float32, [2, 2]), strides: [2, 1],
      unaligned: unsafe Constant.Bytes(pointer: storage.pointer + 1, owner: storage), byteCount: 16, place: NoFile())
  }

  private static func numbers(_ bytes: Constant.Bytes) -> [Float] {
    defer { withExtendedLifetime(bytes.owner) {} }
    return (0..<4).map { unsafe bytes.pointer.load(fromByteOffset: 4 * $0, as: Float.self) }
  }

  @Test func bytesAreAligned() throws {
    let constant = try Self.constant()
    let bytes = try constant.bytes()
    #expect(unsafe UInt(bitPattern: bytes.pointer) % 4 == 0)
    #expect(Self.numbers(bytes) == [1, -2, 0.5, 4])
    #expect(constant.isStored && constant.stepCount == 0 && constant.scaling == nil)
  }

  @Test func readersWithoutAlignmentGetTheBytesThemselves() throws {
    let constant = try Self.constant()
    let bytes = try constant.bytesAtAnyAddress()
    #expect(unsafe UInt(bitPattern: bytes.pointer) % 4 == 1)
    let numbers = (0..<4).map { unsafe bytes.pointer.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    #expect(numbers == [1, -2, 0.5, 4])
    let view = try #require(constant.reshaped([4]))
    #expect(try unsafe view.bytesAtAnyAddress().pointer == bytes.pointer)
    #expect(try constant.bytes().owner !== bytes.owner)
    withExtendedLifetime(bytes.owner) {}
  }

  @Test func oneCopyExistsWhileItIsUsed() throws {
    let constant = try Self.constant()
    weak var copy: TensorStorage?
    do {
      let bytes = try constant.bytes()
      copy = bytes.owner as? TensorStorage
      #expect(copy != nil)
      let view = try #require(constant.reshaped([4]))
      #expect(try constant.bytes().owner === bytes.owner)
      #expect(try view.bytes().owner === bytes.owner)
      withExtendedLifetime(bytes.owner) {}
    }
    #expect(copy == nil)
    #expect(Self.numbers(try constant.bytes()) == [1, -2, 0.5, 4])
  }
}
