import MartletBytes
import MartletTensor

/// A type of message: a typed view of the fields of a serialised message.
protocol ProtobufMessage: Sendable {
  /// The number of the type in its schema.
  static var number: Int { get }
  init(_ fields: MessageFields)
}

extension ProtobufMessage {
  /// A message in `bytes`, which are not copied.
  ///
  /// - Throws: `FileError` naming `part` if the bytes, or messages in them, do not follow the schema.
  init(checking bytes: ByteView, against schema: ProtobufSchema, part: String) throws(FileError) {
    try schema.check(bytes, message: Self.number, part: part)
    self.init(MessageFields(bytes))
  }
}

/// The fields of a serialised protobuf message, each decoded whenever it is read.
///
/// The rules are those of proto3: a field that is missing, or has another wire type than expected, is 0 or empty; of several values the last
/// one counts; several messages in one field are one message; lists of numbers may be packed or not. The bytes have been checked
/// (`ProtobufSchema.check`). If they change nevertheless, because a file is overwritten while it is mapped, values change, too.
struct MessageFields: Sendable {
  private let bytes: ByteView
  /// The field that was chosen by `choice`; 0 for none.
  let chosen: Int

  /// A message without fields.
  static let empty = MessageFields(ByteView.empty)

  init(_ bytes: ByteView) { self.init(bytes, chosen: 0) }

  private init(_ bytes: ByteView, chosen: Int) {
    self.bytes = bytes
    self.chosen = chosen
  }

  // MARK: Single values

  @inline(never)
  private func varint(_ number: Int) -> UInt64 {
    var value: UInt64 = 0
    var scanner = ProtobufScanner(bytes)
    while scanner.seek(number, .varint) { value = (try? scanner.varint()) ?? 0 }
    return value
  }

  func uint64(_ number: Int) -> UInt64 { varint(number) }
  func uint32(_ number: Int) -> UInt32 { UInt32(truncatingIfNeeded: varint(number)) }
  func int64(_ number: Int) -> Int64 { Int64(bitPattern: varint(number)) }
  func int32(_ number: Int) -> Int32 { Int32(truncatingIfNeeded: varint(number)) }
  func bool(_ number: Int) -> Bool { varint(number) != 0 }
  func enumeration(_ number: Int) -> Int { Int(widening: int32(number)) }

  func float(_ number: Int) -> Float {
    var value: Float = 0
    var scanner = ProtobufScanner(bytes)
    while scanner.seek(number, .fixed32) { value = Float(bitPattern: (try? scanner.fixed32()) ?? 0) }
    return value
  }

  func double(_ number: Int) -> Double {
    var value = 0.0
    var scanner = ProtobufScanner(bytes)
    while scanner.seek(number, .fixed64) { value = Double(bitPattern: (try? scanner.fixed64()) ?? 0) }
    return value
  }

  func string(_ number: Int) -> String { view(number).map(Self.text) ?? "" }

  func data(_ number: Int) -> [UInt8] { view(number)?.array ?? [] }

  /// True if there is a field of bytes or a message.
  func contains(_ number: Int) -> Bool { view(number) != nil }

  /// The content of the last field of bytes.
  @inline(never)
  private func view(_ number: Int) -> ByteView? {
    var found: ByteView?
    var scanner = ProtobufScanner(bytes)
    while scanner.seek(number, .bytes) { found = scanner.view() }
    return found
  }

  /// An empty message if there is none.
  @inline(never)
  func message(_ number: Int) -> MessageFields {
    let all = views(number)
    return MessageFields(all.count > 1 ? ByteView(joining: all) : all.first ?? .empty)
  }

  /// Alternatives, of which the last one in the message counts: its number is `chosen`, and the result has its fields.
  ///
  /// - Parameter keys: the numbers of the alternatives times 8, plus their wire types, in ascending order.
  @inline(never)
  func choice(_ keys: [UInt16]) -> MessageFields {
    var (chosen, start): (UInt64, Int) = (0, 0)
    var scanner = ProtobufScanner(bytes)
    while true {
      let position = scanner.position
      guard let (number, kind) = try? scanner.next(), (try? scanner.skip(kind)) != nil else { break }
      let key = number << 3 | kind.rawValue
      let place = keys.partitioned { keys[$0] >= key }
      guard place < keys.count, keys[place] == key else { continue }
      if number != chosen { (chosen, start) = (number, position) }
    }
    return MessageFields((try? bytes.suffix(from: start)) ?? .empty, chosen: Int(clamping: chosen))
  }

  // MARK: Lists

  @inline(never)
  private func views(_ number: Int) -> [ByteView] {
    var all: [ByteView] = []
    var scanner = ProtobufScanner(bytes)
    while scanner.seek(number, .bytes) { all.append(scanner.view()) }
    return all
  }

  func messages(_ number: Int) -> [MessageFields] { views(number).map { MessageFields($0) } }
  func strings(_ number: Int) -> [String] { views(number).map(Self.text) }

  func uint64s(_ number: Int) -> [UInt64] { varints(number) { $0 } }
  func uint32s(_ number: Int) -> [UInt32] { varints(number) { UInt32(truncatingIfNeeded: $0) } }
  func int64s(_ number: Int) -> [Int64] { varints(number) { Int64(bitPattern: $0) } }
  func int32s(_ number: Int) -> [Int32] { varints(number) { Int32(truncatingIfNeeded: $0) } }
  func bools(_ number: Int) -> [Bool] { varints(number) { $0 != 0 } }
  func enumerations(_ number: Int) -> [Int] { varints(number) { Int(widening: Int32(truncatingIfNeeded: $0)) } }

  func floats(_ number: Int) -> [Float] {
    numbers(number, .fixed32) { list in
      list.isAtEnd ? nil : (try? list.fixed32()).map { Float(bitPattern: $0) }
    }
  }

  func doubles(_ number: Int) -> [Double] {
    numbers(number, .fixed64) { list in
      list.isAtEnd ? nil : (try? list.fixed64()).map { Double(bitPattern: $0) }
    }
  }

  private func varints<Element>(_ number: Int, _ convert: (UInt64) -> Element) -> [Element] {
    numbers(number, .varint) { list in
      list.isAtEnd ? nil : (try? list.varint()).map(convert)
    }
  }

  /// - Parameter read: reads an element; nil at the end.
  @inline(__always)
  private func numbers<Element>(
    _ number: Int, _ kind: ProtobufScanner.Kind, _ read: (inout ProtobufScanner) -> Element?
  ) -> [Element] {
    var all: [Element] = []
    var scanner = ProtobufScanner(bytes)
    while let (found, foundKind) = try? scanner.next() {
      if found == UInt64(clamping: number), foundKind == kind {
        guard let element = read(&scanner) else { break }
        all.append(element)
      } else if found == UInt64(clamping: number), foundKind == .bytes {
        let view = scanner.view()
        switch kind {
        case .fixed64: all.reserveCapacity(all.count + view.count / 8)
        case .fixed32: all.reserveCapacity(all.count + view.count / 4)
        default: break
        }
        var list = ProtobufScanner(view)
        while let element = read(&list) { all.append(element) }
      } else if (try? scanner.skip(foundKind)) == nil {
        break
      }
    }
    return all
  }

  // MARK: Contents

  private static func text(_ view: ByteView) -> String { unsafe view.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension ProtobufScanner {
  /// Goes to the content of the next field with a number and a wire type.
  fileprivate mutating func seek(_ number: Int, _ kind: Kind) -> Bool {
    while let (found, foundKind) = try? next() {
      if found == UInt64(clamping: number), foundKind == kind { return true }
      guard (try? skip(foundKind)) != nil else { return false }
    }
    return false
  }
}
