#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sizes of the system's memory pages.
package enum MemoryPages {
  /// Size of a page in bytes.
  package static let byteCount = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)

  /// Size in bytes of a large page, which Linux composes of many small ones. 2 MiB if the system does not report it: the size on x86-64,
  /// and on arm64 with pages of 4 KiB.
  package static let largeByteCount: Int = {
    let usual = 2 << 20
    #if os(Linux)
      guard let file = unsafe fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r") else { return usual }
      defer { unsafe fclose(file) }
      var text = [CChar](repeating: 0, count: 32)
      guard unsafe fgets(&text, Int32(text.count), file) != nil else { return usual }
      let count = unsafe strtol(text, nil, 10)
      return count >= byteCount && count.nonzeroBitCount == 1 ? count : usual
    #else
      return usual
    #endif
  }()
}
