package import MartletBytes
import MartletFeatures
import MartletTensor

/// The compiled form of a model: the content of a `CoreMLModel` in a file that is read sequentially and whose constants stay mapped.
///
/// A compiled folder is the original model (package, file, or model compiled by another tool) with an additional folder `martlet`:
/// `martlet/model.bin` contains description and programs, `martlet/packed.bin` (of the layers above) packed weights. Weight files are
/// those of the original. If another version of the engine made the folder, the original is read.
///
/// Layout of `model.bin`, little-endian: a header of 64 bytes (magic, u32 format version, u32 length of the engine's version, 16 bytes
/// that identify this compilation, u64 offset and u64 length of the structure, u64 offset and u64 length of the data, zeros), the
/// engine's version, the structure and the data. The structure is a sequence of LEB128 integers and strings: tables of strings and types,
/// then the model: programs in a form of their own, or a specification with other models as a protobuf message without the values of weights,
/// the nodes of trees and the large tables of classic models, a list of these values, a list of trees in the form that the engine walks, and a
/// list of tables (`StoredTables`), each after the positions of its model in nested pipelines. The data are the elements of constants and tables,
/// aligned to 64 bytes from the start of the file; those of less than 64 bytes are aligned to 16.
///
/// Keys are stored as their bytes or numbers in the order of the model, and a list of their positions in ascending order (that of Swift's
/// strings), in which they are searched. Texts have a list of where they start in the bytes of all, with the end at its end.
package struct CompiledForm: Sendable {
  /// Version of the engine that makes and reads compiled folders. Must be increased with every change of the format, of the packed layout
  /// of a weight, or of the parameters that describe such a layout.
  package static let engineVersion = "0.1.0-8"

  package static let folderName = "martlet"
  package static let modelPath = "martlet/model.bin"
  package static let packedWeightsPath = "martlet/packed.bin"

  static let magic: StaticString = "MARTLETM"
  static let formatVersion: UInt32 = 1
  static let headerByteCount = 64

  /// Identifies the compilation: files with equal identifiers belong together.
  package struct Identifier: Sendable, Hashable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    package static func random() -> Identifier { Identifier(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }
  }

  package let identifier: Identifier
  /// The files that contain constants, by names that do not depend on the location of the folder.
  package let files: [(name: String, bytes: ByteView)]
  /// The content of `packedWeightsPath`; nil if there is no such file.
  package let packedWeights: ByteView?

  /// Reads the model in a compiled folder.
  ///
  /// - Returns: nil if another version of the engine made the folder.
  /// - Throws: `FileError` if the folder is damaged.
  static func read(_ folder: CoreMLFolder) throws(FileError) -> CoreMLModel? {
    let file = try folder.open(modelPath, part: "compiled model")
    return try locating("compiled model") { () throws(FileError) in
      guard let header = try Header(file) else { return nil }
      return try CompiledFormReader(header, file, folder: folder).model()
    }
  }

  /// The start of `model.bin`.
  struct Header {
    let identifier: Identifier
    let structure: ByteView
    let data: ByteView

    /// Nil for another version of the format or of the engine.
    init?(_ file: ByteView) throws(FileError) {
      guard file.hasBytes(CompiledForm.magic, at: 0) else { throw file.error(field: "header", "is not a compiled model") }
      guard try file.load(UInt32.self, at: 8, field: "header.format") == CompiledForm.formatVersion else { return nil }
      let length = try file.load(UInt32.self, at: 12, field: "header.engine")
      let engine = try file.slice(offset: CompiledForm.headerByteCount, count: Int(clamping: length), field: "header.engine")
      guard try engine.text(field: "header.engine") == CompiledForm.engineVersion else { return nil }
      let high = try file.load(UInt64.self, at: 16, field: "header.identifier")
      identifier = Identifier(high: high, low: try file.load(UInt64.self, at: 24, field: "header.identifier"))
      structure = try file.slice(
        offset: try file.load(UInt64.self, at: 32, field: "header.structure"),
        count: try file.load(UInt64.self, at: 40, field: "header.structure"), field: "header.structure")
      data = try file.slice(
        offset: try file.load(UInt64.self, at: 48, field: "header.data"), count: try file.load(UInt64.self, at: 56, field: "header.data"),
        field: "header.data")
    }
  }

  /// Tags of the alternatives that can occur in one position. A tag is never reused with another meaning.
  enum TypeTag: UInt64 {
    case tensor, unrankedTensor, list, tuple, dictionary, state
  }

  enum DimensionTag: UInt64 {
    case constant, unknown, variadic
  }

  enum ValueTag: UInt64 {
    case data, weightFile, texts, list, tuple, dictionary
  }

  enum ModelTag: UInt64 {
    case programs, specification
  }

  /// Encodings of the values of a network's weights.
  enum WeightTag: UInt64 {
    case float32, float16, packed, int8
  }

  /// Forms of the nodes of trees.
  enum TreesTag: UInt64 {
    case nodes, packed
  }

  /// Kinds of tables.
  enum TableTag: UInt64 {
    case denseVectors, sparseVectors, samples, strings, integers, stringsToIntegers, integersToStrings, similarities
  }

  /// Kinds of items' names.
  enum NamesTag: UInt64 {
    case none, strings, integers
  }

  enum ContentTag: UInt64 {
    case program, pipeline
  }

  enum FeatureTag: UInt64 {
    case int64, double, string, image, multiArray, dictionary, sequence, state
  }

  enum FlexibilityTag: UInt64 {
    case fixed, enumerated, ranges
  }

  enum DefaultValueTag: UInt64 {
    case none, int, float, double
  }

  /// Element types by number: the index in this list.
  static let dataTypes: [MILDataType] = [
    .bool, .string, .float8E4M3FN, .float8E5M2, .float16, .bfloat16, .float32, .float64, .int4, .int8, .int16, .int32, .int64,
    .uint1, .uint2, .uint3, .uint4, .uint6, .uint8, .uint16, .uint32, .uint64,
  ]
  static let arrayTypes: [ArrayFeature.DataType] = [.float16, .float32, .float64, .int8, .int32]
  static let colorSpaces: [ImageFeature.ColorSpace] = [.grayscale, .grayscaleFloat16, .rgb, .bgr]
}
