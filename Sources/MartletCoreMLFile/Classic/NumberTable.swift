package import MartletBytes

/// Numbers in an array, or in a mapped file, in which they are aligned and little-endian.
@safe
package struct NumberTable<Element: BitwiseCopyable & Equatable & Sendable>: RandomAccessCollection, Sendable {
  private enum Storage: Sendable {
    case array([Element])
    case mapped(ByteView)
  }

  private let storage: Storage
  package let count: Int

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package init(_ numbers: [Element]) {
    storage = .array(numbers)
    count = numbers.count
  }

  /// Numbers that stay in a file.
  /// - Throws: `FileError` if the bytes are not aligned to the numbers, or end within one.
  init(mapped bytes: ByteView) throws(FileError) {
    let size = MemoryLayout<Element>.stride
    guard bytes.count % size == 0, bytes.isAligned(to: MemoryLayout<Element>.alignment) else {
      throw bytes.error(field: "data", "\(bytes.count) bytes are not a table of numbers of \(size) bytes")
    }
    storage = .mapped(bytes)
    count = bytes.count / size
  }

  /// The bytes of numbers that lie in a file; nil for others.
  package var mapped: ByteView? { if case .mapped(let bytes) = storage { bytes } else { nil } }

  /// The numbers in memory.
  package var array: [Element] {
    switch storage {
    case .array(let numbers): numbers
    case .mapped(let bytes): unsafe bytes.withUnsafeBytes { unsafe Array($0.assumingMemoryBound(to: Element.self)) }
    }
  }

  package subscript(position: Int) -> Element {
    switch storage {
    case .array(let numbers): return numbers[position]
    case .mapped(let bytes):
      precondition(position >= 0 && position < count)
      // In range: a position in the table.
      return unsafe bytes.unsafeBaseAddress.load(fromByteOffset: position * MemoryLayout<Element>.stride, as: Element.self)
    }
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    switch storage {
    case .array(let numbers): try unsafe numbers.withUnsafeBytes(body)
    case .mapped(let bytes): try unsafe bytes.withUnsafeBytes(body)
    }
  }
}

extension NumberTable: Equatable {
  package static func == (a: NumberTable, b: NumberTable) -> Bool {
    if let first = a.mapped, let second = b.mapped, first.isSamePart(as: second) { return true }
    return a.elementsEqual(b)
  }
}

extension NumberTable: ExpressibleByArrayLiteral {
  package init(arrayLiteral numbers: Element...) { self.init(numbers) }
}
