package import MartletBytes
package import MartletExecuTorchFile
package import MartletGraph
import MartletTensor

/// The constants of a program: one object for each part of the file's content, shared by all methods.
package final class ConstantPool {
  /// By address.
  private var constants: [Int: Constant] = [:]
  /// Constants at addresses that have another one already, with another type or layout.
  private var others: [Int: [Constant]] = [:]
  /// Total size of the constants that are copied for alignment when they are used.
  private var copiedByteCount = 0

  package init() {}

  /// The constant whose elements are at the start of `data`, in the given layout. The bytes stay in the file; those that are not aligned
  /// to the element type are copied while they are in use.
  package func constant(_ data: ByteView, layout: TensorLayout) throws(CallError) -> Constant {
    guard let dtype = DType(layout.scalarType) else { throw CallError("constants of type \(layout.scalarType) are not supported") }
    return try constant(
      data, type: TensorType(dtype, layout.sizes), strides: Shape.strides(layout.sizes, dimOrder: layout.dimOrder))
  }

  /// The constant whose elements are at the start of `data`, with these strides in elements and without gaps.
  func constant(_ data: ByteView, type: TensorType, strides: [Int]) throws(CallError) -> Constant {
    let dtype = type.dtype
    guard type.rank <= 16 else { throw CallError("a constant has \(type.rank) axes, more than 16") }
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: type.shape), byteCount <= data.count else {
      throw CallError("a constant \(type) needs more than its \(data.count) bytes")
    }
    let address = data.address
    let key = Int(bitPattern: address)
    let first = constants[key]
    if let first {
      if first.type == type, first.strides == strides { return first }
      if let known = others[key]?.first(where: { $0.type == type && $0.strides == strides }) { return known }
    }
    let stored = unsafe Constant.Bytes(pointer: data.unsafeBaseAddress, owner: data.owner)
    let own = (try? data.slice(offset: 0, count: byteCount)) ?? data
    let place = FilePart(bytes: own)
    let constant: Constant
    if address % UInt(clamping: dtype.byteCount) == 0 {
      constant = Constant(type: type, strides: strides, bytes: stored, place: place)
    } else {
      // Any number of tensors may refer to the same bytes. The limit keeps the total size of copies in proportion to the file.
      // In range: bytes of mapped files, copied until the limit below.
      copiedByteCount += byteCount
      // In range: a mapping has less than 2^47 bytes.
      guard copiedByteCount <= 4 * data.owner.byteCount + (1 << 26) else {
        throw CallError("unaligned constants unfold beyond any plausible size")
      }
      constant = Constant(type: type, strides: strides, unaligned: stored, byteCount: byteCount, place: place)
    }
    if first == nil { constants[key] = constant } else { others[key, default: []].append(constant) }
    return constant
  }
}

private struct FilePart: Constant.StoredPlace {
  let bytes: ByteView

  /// Largest gap that is read together with what surrounds it.
  private static let longestGap = 64 << 10

  func joined(with next: any Constant.StoredPlace) -> (any Constant.StoredPlace)? {
    guard let next = next as? FilePart, next.bytes.owner === bytes.owner, next.bytes.offset >= bytes.offset else { return nil }
    // In range: positions within a file.
    let (end, nextEnd) = (bytes.offset + bytes.count, next.bytes.offset + next.bytes.count)
    // In range: positions within a file.
    guard next.bytes.offset < end || next.bytes.offset - end <= Self.longestGap else { return nil }
    // In range: positions within a file.
    return (try? bytes.owner.bytes.slice(offset: bytes.offset, count: max(end, nextEnd) - bytes.offset)).map(FilePart.init)
  }

  func expectParts() { bytes.owner.advise(.random, for: bytes) }
  /// Bytes read between two checks for cancellation.
  private static let stepByteCount = 16 << 20

  func fetch() throws {
    for start in stride(from: 0, to: bytes.count, by: Self.stepByteCount) {
      try Allowance.current?.check()
      bytes.owner.advise(.willNeed, for: try bytes.slice(offset: start, count: min(Self.stepByteCount, bytes.count - start)))
    }
  }

  func release() { bytes.owner.advise(.doNotNeed, for: bytes) }
}
