import MartletBytes
import MartletTensor

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Tokenizer {
  /// Reads a tokenizer: a folder with `tokenizer.json` or another of the files below, or one of
  ///
  /// - `tokenizer.json` of the library `tokenizers`; a `tokenizer_config.json` beside it names the tokens that begin and end a text;
  /// - `tekken.json` of Mistral;
  /// - a file of tiktoken, with the pattern and the special tokens of Llama 3;
  /// - a `.model` file of SentencePiece;
  /// - a `.bin` file of llama2.c.
  ///
  /// The content decides, not the name.
  /// - Throws: `TokenizerError` with the file, the field and the reason.
  public convenience init(contentsOf url: URL) throws(TokenizerError) { try self.init(contentsOf: url, tiktokenSpecialTokens: []) }

  /// Reads a tokenizer as `init(contentsOf:)` does.
  /// - Parameter tiktokenSpecialTokens: the special tokens of a file of tiktoken, whose ids follow those of the file; the first one begins
  ///   a text, the second one ends it. Those of Llama 3 if there are none.
  package convenience init(contentsOf url: URL, tiktokenSpecialTokens: [String]) throws(TokenizerError) {
    let (path, file) = try Self.file(at: url)
    do throws(TokenizerError) {
      self.init(engine: try Self.engine(file, path: path, tiktokenSpecialTokens: tiktokenSpecialTokens))
    } catch {
      var error = error
      if error.file.isEmpty { error.file = path }
      throw error
    }
  }

  /// Reads a file of tiktoken, which names neither a pattern nor special tokens.
  ///
  /// - Parameters:
  ///   - pattern: the regular expression that divides text into words.
  ///   - specialTokens: texts of special tokens with their ids.
  public convenience init(
    contentsOfTiktoken url: URL, pattern: String, specialTokens: [String: Int], startToken: String? = nil, endToken: String? = nil
  ) throws(TokenizerError) {
    do throws(TokenizerError) {
      let file = try Self.open(url.path)
      self.init(
        engine: try TiktokenReader.read(
          file.array, pattern: pattern, specialTokens: specialTokens.sorted { $0.value < $1.value }.map { ($0.key, $0.value) },
          startToken: startToken, endToken: endToken))
    } catch {
      var error = error
      error.file = url.path
      throw error
    }
  }

  /// Reads a tokenizer from the bytes of a file, whose kind is found as by `init(contentsOf:)`.
  public convenience init(bytes: [UInt8]) throws(TokenizerError) {
    let file = ByteView(of: MappedFile(copying: bytes, name: "<memory>"))
    do throws(TokenizerError) {
      self.init(engine: try Self.engine(file, path: nil))
    } catch {
      var error = error
      error.file = "<memory>"
      throw error
    }
  }

  /// The file at a URL, or the one in a folder, which has one of a few names.
  private static func file(at url: URL) throws(TokenizerError) -> (path: String, bytes: ByteView) {
    for name in ["tokenizer.json", "tekken.json", "tokenizer.model", "tokenizer.bin"] {
      let path = url.path + "/" + name
      if let file = try? MappedFile(contentsOfPath: path) { return (path, try checked(file)) }
    }
    return (url.path, try open(url.path))
  }

  private static func open(_ path: String) throws(TokenizerError) -> ByteView {
    let file: MappedFile
    do { file = try MappedFile(contentsOfPath: path) } catch { throw TokenizerError(error) }
    return try checked(file)
  }

  private static func checked(_ file: MappedFile) throws(TokenizerError) -> ByteView {
    guard file.byteCount <= TokenizerLimits.fileByteCount else {
      throw TokenizerError(file: file.path, "has \(file.byteCount) bytes, more than \(TokenizerLimits.fileByteCount)")
    }
    return ByteView(of: file)
  }

  // MARK: Kinds

  private static func engine(
    _ file: ByteView, path: String?, tiktokenSpecialTokens: [String] = []
  ) throws(TokenizerError) -> any TokenEngine {
    let bytes = file.array
    guard let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { throw TokenizerError("is empty") }
    if first == UInt8(ascii: "{") {
      let document = try document(bytes)
      if document.root["config"] != nil, document.root["vocab"] != nil { return try TekkenReader.read(document) }
      var configuration: JSONDocument?
      if let path, let slash = path.lastIndex(of: "/") {
        let beside = String(path[...slash]) + "tokenizer_config.json"
        if let file = try? open(beside) {
          do throws(TokenizerError) {
            configuration = try self.document(file.array)
          } catch {
            throw TokenizerError(file: beside, error.reason)
          }
        }
      }
      return try HuggingFaceReader.read(document, configuration: configuration)
    }
    if isTiktoken(bytes) {
      let special = tiktokenSpecialTokens.isEmpty ? llamaSpecialTokens : tiktokenSpecialTokens
      return try TiktokenReader.read(
        bytes, pattern: llamaPattern, specialTokens: special.map { ($0, nil) }, startToken: special[0], endToken: special.dropFirst().first)
    }
    do throws(TokenizerError) {
      return try SentencePieceReader.read(file)
    } catch let modelError {
      guard let count = try? file.load(Int32.self, at: 0), count > 0, isLlamaBinary(file) || path?.hasSuffix(".bin") == true else {
        throw modelError
      }
      return try LlamaBinaryReader.read(file)
    }
  }

  private static func document(_ bytes: [UInt8]) throws(TokenizerError) -> JSONDocument {
    do {
      return try JSONDocument(bytes, maximumDepth: 512)
    } catch {
      throw TokenizerError("is not JSON: \(error.reason) at byte \(error.byteOffset)")
    }
  }

  /// True if a file's first line is a token in base 64 and a number.
  private static func isTiktoken(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix(1000).prefix { $0 != 0x0A && $0 != 0x0D }
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
    return parts[1].allSatisfy { $0 &- 0x30 < 10 }
      && parts[0].allSatisfy {
        ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=")
      }
  }

  /// True if a file's first token fits it.
  private static func isLlamaBinary(_ file: ByteView) -> Bool {
    guard let length = try? file.load(Int32.self, at: 20) else { return false }
    return length >= 0 && Int(widening: length) <= file.count - 24
  }

  private static let llamaPattern =
    #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#

  private static let llamaSpecialTokens: [String] = {
    let named = [
      "<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>", "<|reserved_special_token_1|>",
      "<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>",
      "<|python_tag|>",
    ]
    return named + (2..<247).map { "<|reserved_special_token_\($0)|>" }
  }()
}
