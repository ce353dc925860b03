import Foundation
import Testing

/// Numbers from files are computed with `Extent` and labelled conversions, so that none can trap.
struct NumberTests {
  /// Folders whose numbers come from files. Kernels get pointers and counts of tensors that the planner has checked;
  /// `MartletPixels` gets pixels in memory, whose byte counts the initialisers of its views check.
  private static let folders = [
    "MartletBytes", "MartletTensor", "MartletVocabulary", "MartletGraph", "MartletMedia", "MartletExecuTorchFile", "MartletFeatures",
    "MartletCoreMLFile", "MartletOps", "MartletImport", "MartletCompiler", "MartletRuntime", "Martlet", "MartletPixelBuffers",
    "MartletColor", "MartletConformance", "MartletCLI", "MartletCommands", "MartletTokenizers",
  ]

  /// Files that the lint leaves out, each with the reason why its arithmetic does not overflow.
  private static let reasons = [
    "MartletBytes/ByteView.swift": "offsets of a view that `contains` has checked",
    "MartletBytes/FlatBuffers/FlatBufferReader.swift": "positions in a buffer plus numbers of 32 bits, times at most 8",
    "MartletBytes/FlatBuffers/FlatBufferTable.swift": "positions in a buffer plus numbers of 32 bits, times at most 8",
    "MartletBytes/MappedFile.swift": "positions in a mapped file, rounded to pages",
    "MartletBytes/SHA256.swift": "words of a digest, modulo 2^32",
    "MartletColor/ColorSpace.swift": "floating-point numbers",
    "MartletColor/ColorTransform.swift": "floating-point numbers",
    "MartletColor/CurveTable.swift": "floating-point numbers, limited to 0…1 before they become positions",
    "MartletColor/LibraryProfile.swift": "colours in memory",
    "MartletColor/Matrix3.swift": "floating-point numbers",
    "MartletCoreMLFile/Compiled/CompiledFormWriter.swift": "sizes of a file that is written from memory",
    "MartletCoreMLFile/Program/MILTensorBuilder.swift": "bits of bytes in memory",
    "MartletCoreMLFile/Program/SmallFloat.swift": "bits of floating-point numbers",
    "MartletCommands/Bench/GenerationMeasurement.swift": "tokens and logits in memory",
    "MartletConformance/Operators/MILOperatorTable.swift": "a table of this package",
    "MartletConformance/Operators/OperatorProgram.swift": "a table of this package",
    "Martlet/Features/ImageFeature+Tensor.swift": "pixels in memory",
    "Martlet/Compiled/PackedWeightFile.swift": "entries of a mapped file, and sizes of a file that is written from memory",
    "MartletMedia/HEIF/HEIFContainer.swift": "positions in bytes in memory plus numbers of 32 bits, and boxes that lie within the file",
    "MartletMedia/HEIF/HEIFFile.swift": "pixels in memory, and positions of 32 bits",
    "MartletMedia/JPEG/JPEGCodec.swift": "a file in memory",
    "MartletMedia/JPEG/JPEGSegments.swift": "positions in bytes in memory plus numbers of 16 bits",
    "MartletMedia/Metadata/IPTCRecords.swift": "positions in bytes in memory plus numbers of 32 bits",
    "MartletMedia/Metadata/OrderedBytes.swift": "bits of a number",
    "MartletMedia/Metadata/TIFFDirectory.swift": "values that lie within the block, and floating-point numbers",
    "MartletMedia/PNG/PNGChunks.swift": "positions in bytes in memory plus numbers of 32 bits",
    "MartletMedia/PNG/PNGCodec.swift": "floating-point numbers",
    "MartletMedia/Pictures/DecodedPicture.swift": "pixels in memory",
    "MartletMedia/NumPyFile.swift": "elements in memory",
    "MartletMedia/NumPyHeader.swift": "a header that is written",
    "MartletMedia/PPMCodec.swift": "samples in memory",
    "MartletMedia/ZipArchive.swift": "positions at which bytes have been read plus numbers of 16 bits",
    "MartletOps/Convolution/TransposedPhase.swift": "taps and paddings whose reach the shape rule has checked",
    "MartletOps/Planning/PackedMemory.swift": "sizes that are less than half of the largest number",
    "MartletOps/Pointwise/ComplexPointwise.swift": "floating-point numbers",
    "MartletOps/Reduction/ReductionPasses.swift": "extents and strides of tensors that the planner has checked",
    "MartletTensor/CounterGenerator.swift": "words of random bits",
    "MartletTensor/ElementCopy.swift": "positions in tensors in memory",
    "MartletTensor/Extent.swift": "the type that checks",
    "MartletTensor/TensorStorage.swift": "addresses, rounded to pages",
    "MartletBytes/JSON/JSONDocument.swift": "digits of a number, whose overflow is looked at",
    "MartletTokenizers/Decoders/Decoder.swift": "positions in a text in memory",
    "MartletTokenizers/Formats/HuggingFace/HuggingFaceModelReader.swift": "a count of values in memory, as a guess of a size",
    "MartletTokenizers/Formats/LlamaBinaryReader.swift": "positions in a file of at most 2^30 bytes plus lengths of at most 2^16",
    "MartletTokenizers/Formats/Pipeline.swift": "a bound of texts' lengths",
    "MartletTokenizers/Formats/SentencePiece/SentencePieceEngine.swift": "positions in a text in memory",
    "MartletTokenizers/Formats/TekkenReader.swift": "numbers of tokens, which are bounded before",
    "MartletTokenizers/Models/MergeTable.swift": "counts of pairs and tokens in memory",
    "MartletTokenizers/Models/WordModels.swift": "positions in a text in memory",
    "MartletTokenizers/Normalizers/Normalizer.swift": "positions in a text in memory",
    "MartletTokenizers/Normalizers/PrecompiledMap.swift": "positions in bytes in memory plus a number of 32 bits",
    "MartletTokenizers/PostProcessors/Encoding.swift": "lists",
    "MartletTokenizers/PostProcessors/PostProcessor.swift": "counts of tokens, and lengths that are bounded when they are read",
    "MartletTokenizers/Regex/RegexCache+Matches.swift": "positions in a text in memory",
    "MartletTokenizers/Regex/RegexCache.swift": "counts of sets in memory times those of a pattern's classes and states, which are bounded",
    "MartletTokenizers/Regex/ScalarClasses.swift": "pages of a table in memory",
    "MartletTokenizers/Text/AlignedText.swift": "positions in a text in memory",
    "MartletTokenizers/Vocabulary/AddedTokens.swift": "positions in a text in memory",
    "MartletTokenizers/Vocabulary/ByteTrie.swift": "units of a tree in memory",
    "MartletTokenizers/Vocabulary/Vocabulary.swift": "counts of strings in memory",
    "MartletTensor/TensorView.swift": "extents and strides of tensors with a checked number of elements",
  ]

  @Test func `arithmetic on numbers from files cannot trap`() throws {
    var leftOut: Set<String> = []
    for folder in Self.folders {
      for path in try Self.files(folder) {
        // Shape rules are checked; planning has tensors that were checked before.
        let skipped = folder == "MartletOps" ? ["NodePlan", "PlanBuilder"] : []
        let findings = NumberLint(try Sources.text("Sources/\(path)"), skipping: skipped).findings
        if Self.reasons[path] != nil {
          if !findings.isEmpty { leftOut.insert(path) }
          continue
        }
        for finding in findings { Issue.record("\(path):\(finding.line): \(finding.rule.rawValue): \(finding.text)") }
      }
    }
    let idle = Set(Self.reasons.keys).subtracting(leftOut).sorted()
    #expect(idle.isEmpty, "\(idle) need no exception")
  }

  private static func files(_ folder: String) throws -> [String] {
    let place = Sources.root.appendingPathComponent("Sources/\(folder)")
    let paths = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    try #require(!paths.isEmpty)
    let root = Sources.root.appendingPathComponent("Sources").path
    return paths.filter { $0.pathExtension == "swift" }.map { String($0.path.dropFirst(root.count + 1)) }.sorted()
  }

  private func rules(_ text: String, skipping skipped: [String] = []) -> [NumberLint.Rule] {
    NumberLint(text, skipping: skipped).findings.map(\.rule)
  }

  @Test(arguments: [
    "let n = Int(count)", "let n = UInt8(x + 1)", "let n = Int64(value.rounded())", "f { Int($0) }",
    "let text = \"\\(Int(x))\"",
  ])
  func `conversions that trap are found`(_ text: String) { #expect(rules(text) == [.conversion]) }

  @Test(arguments: [
    "let n = Int(exactly: count)", "let n = Int(widening: byte)", "let n = Int32(2)", "let n = Int(text, radix: 10)", "let n: Int = x",
    "// Int(x)", "let text = \"Int(x)\"", "let n = Int(_SC_PAGESIZE)", "let n = Double(x)", "let n = PointerInt(x)",
  ])
  func `other conversions are not`(_ text: String) { #expect(rules(text).isEmpty) }

  @Test(arguments: [
    "let n = rows * columns", "n *= extent", "let n = shape.reduce(1, *)", "let n = f(a)[0] * b.c", "let n = 2 * extent",
    "let n = \"\\(a * b)\"", "let n = (a + 1) * 4096",
  ])
  func `products are found`(_ text: String) { #expect(rules(text) == [.product]) }

  @Test(arguments: [
    "let n = Extent(rows) * columns", "let n = 0.5 * x", "let n = Double(a) * b", "let n = 4 * 1024", "let n = 2 * list.count",
    "func f(x: Double) { y = x * 2 }", "let total: Extent = 1\n total * n", "let n = pointer.pointee", "a = [*]",
  ])
  func `other products are not`(_ text: String) { #expect(rules(text).isEmpty) }

  @Test(arguments: [
    "let n = extent + 1", "let n = end - padding[axis]", "offset += n", "let n = position + x.byteCount", "let n = sizes.reduce(0, +)",
    "let n = -shape[0] + n",
  ])
  func `sums of declared numbers are found`(_ text: String) { #expect(rules(text) == [.sum]) }

  @Test(arguments: [
    "let n = Extent(offset) + size", "let n = (Extent(extent) - full + padding.before).value", "let n = index + 1",
    "let n = [size] + shape",
    "let n = pointer + offset", "let n: Double = 0\n n + length",
  ])
  func `other sums are not`(_ text: String) { #expect(rules(text).isEmpty) }

  @Test func `checks by hand are found`() {
    #expect(rules("let (n, overflow) = a.multipliedReportingOverflow(by: b)") == [.check])
    #expect(rules("a.addingReportingOverflow(b).overflow") == [.check])
  }

  @Test func `a reason holds for its line or for the block after it`() {
    #expect(rules("let n = a * b  // In range: both are bytes.").isEmpty)
    #expect(rules("// In range: both are bytes,\n// which have 8 bits.\nlet n = a * b").isEmpty)
    #expect(rules("// In range: bytes.\nlet n = a * b\nlet m = a * b") == [.product])
    let block = "  // In range: bytes.\n  func f(\n    _ a: Int\n  ) {\n    let n = a * b\n\n    g(a * b)\n  }\n  let m = a * b"
    #expect(rules(block) == [.product])
    #expect(rules("// Not a reason.\nlet n = a * b") == [.product])
  }

  @Test func `functions with a parameter of a skipped type are left out`() {
    let text = "  func plan(_ node: NodePlan) {\n    let n = a * b\n  }\n  func infer() {\n    let n = a * b\n  }\n"
    #expect(rules(text, skipping: ["NodePlan"]) == [.product])
    #expect(rules(text) == [.product, .product])
  }
}
