import MartletBytes
import Testing

@Suite struct SHA256Tests {
  @Test func `Digests are those of the standard`() {
    func digest(_ bytes: [UInt8], pieces: Int = 1) -> String {
      var hash = SHA256()
      let size = max(bytes.count / pieces, 1)
      for start in stride(from: 0, to: bytes.count, by: size) { hash.update(Array(bytes[start..<min(start + size, bytes.count)])) }
      return hash.digest().text
    }
    // FIPS 180-4's examples.
    #expect(digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(digest(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(digest(long) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(digest(million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    for pieces in [3, 7, 1000] { #expect(digest(million, pieces: pieces) == digest(million)) }
    for count in [55, 56, 63, 64, 65, 119, 120] {
      #expect(digest([UInt8](repeating: 7, count: count), pieces: 5) == digest([UInt8](repeating: 7, count: count)))
    }
  }
}
