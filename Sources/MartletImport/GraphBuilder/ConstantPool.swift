package import MartletBytes
package import MartletExecuTorchFile
package import MartletGraph
import MartletTensor

/// The constants of a program, one object for each stretch of file content, whatever methods use it.
package final class ConstantPool {
  /// By address; one of each type and layout.
  private var constants: [Int: [Constant]] = [:]
  /// Bytes that had to be copied to be aligned.
  private var copiedByteCount = 0

  package init() {}

  /// The constant whose elements are at the start of `data`, laid out as `layout` says. Bytes stay in the file unless
  /// the file does not align them to the element type.
  package func constant(_ data: ByteView, layout: TensorLayout) throws(CallError) -> Constant {
    guard let dtype = DType(layout.scalarType) else { throw CallError("constants of type \(layout.scalarType) are not supported") }
    return try constant(
      data, type: TensorType(dtype, layout.sizes), strides: Shape.strides(layout.sizes, dimOrder: layout.dimOrder))
  }

  /// The constant whose elements are at the start of `data`, without gaps, `strides` elements apart on each axis.
  func constant(_ data: ByteView, type: TensorType, strides: [Int]) throws(CallError) -> Constant {
    let dtype = type.dtype
    guard type.rank <= 16 else { throw CallError("a constant has \(type.rank) axes, more than 16") }
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: type.shape), byteCount <= data.count else {
      throw CallError("a constant \(type) needs more than its \(data.count) bytes")
    }
    let address = unsafe UInt(bitPattern: data.unsafeBaseAddress)
    let key = Int(bitPattern: address)
    if let known = constants[key]?.first(where: { $0.type == type && $0.strides == strides }) { return known }
    let bytes: Constant.Bytes
    var releasing: (@Sendable () -> Void)?
    if address % UInt(dtype.byteCount) == 0 {
      bytes = unsafe Constant.Bytes(pointer: data.unsafeBaseAddress, owner: data.owner)
      let own = (try? data.slice(offset: 0, count: byteCount)) ?? data
      releasing = { own.owner.advise(.doNotNeed, for: own) }
    } else {
      // Any number of tensors may name the same bytes; copies together stay in proportion to the file.
      copiedByteCount += byteCount
      guard copiedByteCount <= 4 * data.owner.byteCount + (1 << 26) else {
        throw CallError("unaligned constants unfold beyond any plausible size")
      }
      let storage = AlignedStorage(byteCount: byteCount)
      unsafe data.withUnsafeBytes { unsafe storage.pointer.copyMemory(from: $0.baseAddress!, byteCount: byteCount) }
      bytes = Constant.Bytes(storage)
    }
    let constant = Constant(type: type, strides: strides, bytes: bytes, releasing: releasing)
    constants[key, default: []].append(constant)
    return constant
  }
}
