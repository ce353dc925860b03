package import MartletTensor
import Synchronization

/// A constant tensor: bytes in a mapped file or in memory, or the result of a computation that runs when asked.
///
/// Row-major unless `strides` says otherwise.
package final class Constant: Sendable {
  /// What a constant is made of: equal identities mean equal contents, so that weights which several methods or plans
  /// pack are packed once.
  package indirect enum Identity: Sendable, Hashable {
    case bytes(address: UInt, TensorType, strides: [Int])
    /// Result of a computation on other constants.
    case computed(String, [Identity])
  }

  package let type: TensorType
  /// In elements.
  package let strides: [Int]
  package let identity: Identity
  /// Computations that lead from stored bytes to this constant, one that is used twice counted twice; 0 for bytes.
  package let stepCount: Int
  /// For a weight whose output channels are multiplied with a factor each: what it is made of, for who packs it in one pass.
  package let scaling: Scaling?
  /// Of a computed constant that is stored compressed: how, for who looks up parts of it without decoding it all.
  package let compression: Compression?
  private let source: Source
  /// What `release()` does.
  private let releasing: (@Sendable () -> Void)?

  /// Memory that stays valid and unchanged while its owner lives.
  @safe
  package struct Bytes: @unchecked Sendable {
    package let pointer: UnsafeRawPointer
    package let owner: any AnyObject & Sendable

    package init(pointer: UnsafeRawPointer, owner: any AnyObject & Sendable) {
      unsafe self.pointer = pointer
      self.owner = owner
    }

    package init(_ storage: TensorStorage) {
      unsafe self.init(pointer: UnsafeRawPointer(storage.pointer), owner: storage)
    }
  }

  /// A float32 weight, stored row-major, and a factor for each of its first axis's positions; the products are rounded.
  package struct Scaling: Sendable {
    package let weight: Constant
    package let factors: [Float]
  }

  /// What a compressed constant is decoded from.
  package enum Compression: Sendable {
    /// `(data - offset) × scale` in float32, with an offset and a scale for each block: `scales` and `offsets` have a number of blocks for
    /// each axis of the data.
    case blocks(data: Constant, scales: Constant, offsets: Constant?)
    /// Integers packed into a stream of bytes without gaps, lowest bit first.
    case packed(stream: Constant, bits: Int, isSigned: Bool)
  }

  private enum Source: Sendable {
    case bytes(Bytes)
    case deferred(@Sendable () throws -> Bytes)
  }

  /// A constant whose bytes are there, at least `type.byteCount` of them, aligned to the element.
  /// - Parameter releasing: lets go of the memory behind the bytes, which must come back when they are read again.
  package init(type: TensorType, strides: [Int]? = nil, bytes: Bytes, releasing: (@Sendable () -> Void)? = nil) {
    self.releasing = releasing
    self.scaling = nil
    self.compression = nil
    self.type = type
    self.strides = strides ?? Shape.contiguousStrides(type.shape)
    self.source = .bytes(bytes)
    self.stepCount = 0
    self.identity = .bytes(address: unsafe UInt(bitPattern: bytes.pointer), type, strides: self.strides)
  }

  package convenience init(_ tensor: HostTensor) {
    self.init(type: TensorType(tensor.dtype, tensor.shape), bytes: Bytes(tensor.sharedStorage))
  }

  /// A constant computed from others. Each call of `bytes()` computes it anew, so that a weight which is only needed
  /// to be packed does not stay in memory twice.
  ///
  /// - Parameters:
  ///   - description: operator and attributes of the computation.
  ///   - sources: the constants that it uses.
  package init(
    type: TensorType, description: String, sources: [Constant], compression: Compression? = nil,
    computing: @escaping @Sendable () throws -> Bytes
  ) {
    self.type = type
    self.compression = compression
    self.strides = Shape.contiguousStrides(type.shape)
    self.source = .deferred(computing)
    self.scaling = nil
    self.releasing = { for source in sources { source.release() } }
    self.stepCount = sources.reduce(1) { $0 + $1.stepCount }
    self.identity = .computed(description, sources.map(\.identity))
  }

  /// A weight with its first axis's positions, the output channels, multiplied by factors: a computed constant like others.
  ///
  /// - Parameters:
  ///   - constant: the factors as a constant, for the identity of this one.
  ///   - computing: computes it, for who does not read `scaling`.
  package init(
    scaling weight: Constant, by factors: [Float], constant: Constant, description: String,
    computing: @escaping @Sendable () throws -> Bytes
  ) {
    let sources = [weight, constant]
    compression = nil
    type = TensorType(.float32, weight.type.shape)
    strides = Shape.contiguousStrides(type.shape)
    source = .deferred(computing)
    releasing = { for source in sources { source.release() } }
    stepCount = sources.reduce(1) { $0 + $1.stepCount }
    identity = .computed(description, sources.map(\.identity))
    let isPlain = weight.isStored && weight.type.dtype == .float32 && weight.strides == strides
    scaling = isPlain && factors.count == weight.type.shape.first ? Scaling(weight: weight, factors: factors) : nil
  }

  /// The same bytes seen with another shape and strides, which must stay inside them. A computed constant's view is
  /// computed too.
  package init(viewOf other: Constant, shape: [Int], strides: [Int]) {
    self.type = TensorType(other.type.dtype, shape)
    self.scaling = nil
    self.compression = nil
    self.releasing = other.releasing
    self.strides = strides
    if case .bytes(let bytes) = other.source {
      self.source = .bytes(bytes)
      self.stepCount = 0
      self.identity = .bytes(address: unsafe UInt(bitPattern: bytes.pointer), type, strides: strides)
    } else {
      self.source = .deferred { try other.bytes() }
      self.stepCount = other.stepCount + 1
      self.identity = .computed("view \(shape) \(strides)", [other.identity])
    }
  }

  /// The constant's bytes. Keep the result alive while using its pointer.
  package func bytes() throws -> Bytes {
    switch source {
    case .bytes(let bytes): bytes
    case .deferred(let compute): try compute()
    }
  }

  /// Says that the bytes will probably not be read again, as after packing: pages of a mapped file need not stay in memory.
  package func release() { releasing?() }

  /// Whether `release` does something.
  package var isReleasable: Bool { releasing != nil }

  /// Whether the elements lie row-major without gaps.
  package var isRowMajor: Bool { strides == Shape.contiguousStrides(type.shape) }

  /// The elements, if they are stored and lie row-major, in another shape with as many, else nil.
  package func reshaped(_ shape: [Int]) -> Constant? {
    guard isStored, isRowMajor, HostTensor.byteCount(dtype: type.dtype, shape: shape) == type.byteCount else { return nil }
    return Constant(viewOf: self, shape: shape, strides: Shape.contiguousStrides(shape))
  }

  /// Whether `bytes()` costs nothing.
  package var isStored: Bool {
    if case .bytes = source { true } else { false }
  }

  /// The only element as a number, for constants of one element that are stored.
  package var scalarValue: Scalar? {
    guard isStored, type.elementCount == 1, let bytes = try? bytes() else { return nil }
    defer { withExtendedLifetime(bytes.owner) {} }
    let p = unsafe bytes.pointer
    switch type.dtype {
    case .float32: return unsafe .double(Double(p.loadUnaligned(as: Float.self)))
    case .float64: return unsafe .double(p.loadUnaligned(as: Double.self))
    case .int8: return unsafe .int(Int64(p.loadUnaligned(as: Int8.self)))
    case .int16: return unsafe .int(Int64(p.loadUnaligned(as: Int16.self)))
    case .int32: return unsafe .int(Int64(p.loadUnaligned(as: Int32.self)))
    case .int64: return unsafe .int(p.loadUnaligned(as: Int64.self))
    case .uint8: return unsafe .int(Int64(p.loadUnaligned(as: UInt8.self)))
    case .uint16: return unsafe .int(Int64(p.loadUnaligned(as: UInt16.self)))
    case .uint32: return unsafe .int(Int64(p.loadUnaligned(as: UInt32.self)))
    case .bool: return unsafe .bool(p.loadUnaligned(as: UInt8.self) != 0)
    case .bfloat16: return unsafe .double(Double(Float(bitPattern: UInt32(p.loadUnaligned(as: UInt16.self)) << 16)))
    case .float16, .uint64, .complex64, .complex128: return nil
    }
  }
}
