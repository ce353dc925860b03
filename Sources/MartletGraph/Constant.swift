package import MartletTensor
import Synchronization

/// A constant tensor: bytes in a mapped file or in memory, or the result of a computation that runs on demand.
///
/// Row-major unless `strides` is given.
package final class Constant: Sendable {
  /// Identifies the contents of a constant: equal identities mean equal contents. Weights shared by several methods or plans are packed
  /// only once.
  package indirect enum Identity: Sendable, Hashable {
    case bytes(address: UInt, TensorType, strides: [Int])
    /// Result of a computation on other constants.
    case computed(String, [Identity])

    /// See `Constant.firstAddress`.
    fileprivate var firstAddress: UInt? {
      switch self {
      case .bytes(let address, _, _): address
      case .computed(_, let sources): sources.lazy.compactMap(\.firstAddress).min()
      }
    }
  }

  package let type: TensorType
  /// Strides in elements.
  package let strides: [Int]
  package var identity: Identity {
    // A constant without computation is stored.
    computation ?? .bytes(address: address!, type, strides: strides)
  }
  /// The identity of a computed constant; nil for stored bytes, whose identity is made on request.
  private let computation: Identity?
  /// Number of computations between stored bytes and this constant; one that is used twice counts twice. 0 for stored bytes.
  package let stepCount: Int
  /// For a weight whose output channels are scaled, the weight and the factors, so that packing can apply them in one pass.
  package let scaling: Scaling?
  /// For a computed constant that is stored compressed, its compressed form, for lookups that decode only a part.
  package let compression: Compression?
  /// For a view of a computed constant, that constant.
  private let viewed: Constant?
  private let source: Source
  /// Where stored bytes lie in a file.
  private let place: (any StoredPlace)?
  /// What a computed constant reads.
  private let sources: [Constant]

  /// Memory that is valid and does not change while its owner lives.
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

  /// The part of a file that holds a constant's bytes.
  package protocol StoredPlace: Sendable {
    /// The part that begins with these bytes and ends with those of `next`, if they lie near each other in one file, in this order.
    func joined(with next: any StoredPlace) -> (any StoredPlace)?
    /// Reads the bytes ahead.
    /// - Throws: if the current operation is cancelled meanwhile.
    func fetch() throws
    /// Declares that small parts of the bytes will be read, here and there.
    func expectParts()
    /// Releases the memory behind the bytes, which reading them restores.
    func release()
  }

  /// A float32 weight, stored row-major, and one factor per position of its first axis; the products are rounded.
  package struct Scaling: Sendable {
    package let weight: Constant
    package let factors: [Float]
  }

  /// The compressed form of a constant.
  package enum Compression: Sendable {
    /// `(data - offset - zeroPoint) × scale` in float32, with one offset and one scale per block. The shapes of `scales` and `offsets` give the
    /// number of blocks along each axis of the data.
    case blocks(data: Constant, scales: Constant, offsets: Constant?, zeroPoint: Int32 = 0)
    /// Integers packed into a stream of bits without gaps.
    case packed(stream: Constant, BitPacking)
  }

  private enum Source: Sendable {
    case bytes(Bytes)
    case unaligned(AlignedCopy)
    case deferred(@Sendable () throws -> Bytes)
  }

  /// A constant with at least `type.byteCount` stored bytes, aligned to the element type.
  /// - Parameter place: where the bytes lie, unless they are memory of the process.
  package init(type: TensorType, strides: [Int]? = nil, bytes: Bytes, place: (any StoredPlace)? = nil) {
    self.place = place
    sources = []
    self.scaling = nil
    self.compression = nil
    viewed = nil
    self.type = type
    self.strides = strides ?? Shape.contiguousStrides(type.shape)
    self.source = .bytes(bytes)
    self.stepCount = 0
    self.computation = nil
  }

  /// A constant whose bytes are not aligned to the element type. An aligned copy exists while anything uses it.
  package init(type: TensorType, strides: [Int], unaligned bytes: Bytes, byteCount: Int, place: any StoredPlace) {
    self.place = place
    sources = []
    scaling = nil
    compression = nil
    viewed = nil
    self.type = type
    self.strides = strides
    source = .unaligned(AlignedCopy(of: bytes, byteCount: byteCount))
    stepCount = 0
    computation = nil
  }

  package convenience init(_ tensor: HostTensor) {
    self.init(type: TensorType(tensor.dtype, tensor.shape), bytes: Bytes(tensor.sharedStorage))
  }

  /// A constant computed from others. Each call of `bytes()` computes it anew, so that a weight needed only for packing is not kept in
  /// memory twice.
  ///
  /// - Parameters:
  ///   - description: operator and attributes of the computation.
  ///   - sources: the constants that it reads.
  package init(
    type: TensorType, description: String, sources: [Constant], compression: Compression? = nil,
    computing: @escaping @Sendable () throws -> Bytes
  ) {
    self.type = type
    self.compression = compression
    self.strides = Shape.contiguousStrides(type.shape)
    self.source = .deferred(computing)
    self.scaling = nil
    viewed = nil
    place = nil
    self.sources = sources
    self.stepCount = sources.reduce(1) { $0 + $1.stepCount }
    self.computation = .computed(description, sources.map(\.identity))
  }

  /// A weight whose first axis, the output channels, is multiplied by factors. It is a computed constant like any other.
  ///
  /// - Parameters:
  ///   - constant: the factors as a constant, which contributes to the identity of the result.
  ///   - computing: computes the product, for consumers that do not use `scaling`.
  package init(
    scaling weight: Constant, by factors: [Float], constant: Constant, description: String,
    computing: @escaping @Sendable () throws -> Bytes
  ) {
    let sources = [weight, constant]
    compression = nil
    viewed = nil
    type = TensorType(.float32, weight.type.shape)
    strides = Shape.contiguousStrides(type.shape)
    source = .deferred(computing)
    place = nil
    self.sources = sources
    stepCount = sources.reduce(1) { $0 + $1.stepCount }
    computation = .computed(description, sources.map(\.identity))
    let isPlain = weight.isStored && weight.type.dtype == .float32 && weight.strides == strides
    scaling = isPlain && factors.count == weight.type.shape.first ? Scaling(weight: weight, factors: factors) : nil
  }

  /// A view of the same bytes with another shape and strides, which must stay within them. The view of a computed constant is computed,
  /// too.
  package init(viewOf other: Constant, shape: [Int], strides: [Int]) {
    self.type = TensorType(other.type.dtype, shape)
    self.scaling = nil
    self.compression = nil
    viewed = other.isStored ? nil : other.origin
    place = other.place
    sources = other.sources
    self.strides = strides
    if other.isStored {
      self.source = other.source
      self.stepCount = 0
      self.computation = nil
    } else {
      self.source = .deferred { try other.bytes() }
      self.stepCount = other.stepCount + 1
      self.computation = .computed("view \(shape) \(strides)", [other.identity])
    }
  }

  /// The constant's bytes, aligned to the element type. Keep the result alive while using its pointer.
  package func bytes() throws -> Bytes {
    switch source {
    case .bytes(let bytes): bytes
    case .unaligned(let copy): try copy.bytes()
    case .deferred(let compute): try compute()
    }
  }

  /// The constant's bytes, which may lie at any address, for readers to whom this does not matter: nothing is copied.
  package func bytesAtAnyAddress() throws -> Bytes {
    if case .unaligned(let copy) = source { copy.original } else { try bytes() }
  }

  /// The address of stored bytes.
  private var address: UInt? {
    switch source {
    case .bytes(let bytes): unsafe UInt(bitPattern: bytes.pointer)
    case .unaligned(let copy): unsafe UInt(bitPattern: copy.original.pointer)
    case .deferred: nil
    }
  }

  /// The lowest address of stored bytes that the constant is made of; nil if there are none.
  package var firstAddress: UInt? { address ?? computation?.firstAddress }

  /// Declares that the bytes will probably not be read again, for example after packing, so that pages of a mapped file need not stay in
  /// memory.
  package func release() {
    place?.release()
    for source in sources { source.release() }
  }

  /// The parts of files that hold the constant or what it is computed from.
  package var places: [any StoredPlace] { place.map { [$0] } ?? sources.flatMap(\.places) }

  /// True if `release` has an effect.
  package var isReleasable: Bool { place != nil || !sources.isEmpty }

  /// True if the elements are row-major without gaps.
  package var isRowMajor: Bool { strides == Shape.contiguousStrides(type.shape) }

  /// The constant with another shape of the same element count; nil if it is not stored row-major.
  package func reshaped(_ shape: [Int]) -> Constant? {
    guard isStored, isRowMajor, HostTensor.byteCount(dtype: type.dtype, shape: shape) == type.byteCount else { return nil }
    return Constant(viewOf: self, shape: shape, strides: Shape.contiguousStrides(shape))
  }

  /// The computed constant whose row-major elements this is a view of, itself if it is none; nil for stored bytes.
  package var origin: Constant? { isStored ? nil : viewed ?? self }

  /// True if the constant consists of stored bytes, rather than of the result of a computation.
  package var isStored: Bool { address != nil }

  /// The element of a stored constant that has exactly one; otherwise nil.
  package var scalarValue: Scalar? {
    guard isStored, type.elementCount == 1, let bytes = try? bytes() else { return nil }
    defer { withExtendedLifetime(bytes.owner) {} }
    let p = unsafe bytes.pointer
    switch type.dtype {
    case .float32: return unsafe .double(Double(p.loadUnaligned(as: Float.self)))
    case .float64: return unsafe .double(p.loadUnaligned(as: Double.self))
    case .int8: return unsafe .int(Int64(widening: p.loadUnaligned(as: Int8.self)))
    case .int16: return unsafe .int(Int64(widening: p.loadUnaligned(as: Int16.self)))
    case .int32: return unsafe .int(Int64(widening: p.loadUnaligned(as: Int32.self)))
    case .int64: return unsafe .int(p.loadUnaligned(as: Int64.self))
    case .uint8: return unsafe .int(Int64(widening: p.loadUnaligned(as: UInt8.self)))
    case .uint16: return unsafe .int(Int64(widening: p.loadUnaligned(as: UInt16.self)))
    case .uint32: return unsafe .int(Int64(widening: p.loadUnaligned(as: UInt32.self)))
    case .bool: return unsafe .bool(p.loadUnaligned(as: UInt8.self) != 0)
    case .bfloat16: return unsafe .double(Double(Float(bitPattern: UInt32(widening: p.loadUnaligned(as: UInt16.self)) << 16)))
    case .float16, .uint64, .complex64, .complex128: return nil
    }
  }
}
