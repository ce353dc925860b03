import CoreML

/// Finds the sentences that mean nearly what a query says.
struct SentenceIndex {
  private let encoder: Encoder
  private let sentences: [(text: String, embedding: [Float])]

  init(_ texts: [String]) throws {
    let encoder = try Encoder()
    self.encoder = encoder
    sentences = try texts.map { ($0, try encoder.embedding(of: $0)) }
  }

  /// The best sentences first, with the cosine of the angle between their vectors and the query's.
  func search(_ query: String, count: Int) throws -> [(text: String, likeness: Float)] {
    let wanted = try encoder.embedding(of: query)
    return sentences.map { ($0.text, zip($0.embedding, wanted).map(*).reduce(0, +)) }.sorted { $0.1 > $1.1 }.prefix(count).map { $0 }
  }
}

/// Turns a sentence into a vector of length 1.
struct Encoder {
  /// Features that a prediction takes.
  private static let count = 128
  private static let buckets: UInt32 = 16384
  private let model: Sentences

  init() throws {
    model = try Sentences(configuration: MLModelConfiguration())
  }

  func embedding(of sentence: String) throws -> [Float] {
    let known = features(of: sentence).prefix(Self.count)
    let padded = known + [Int32](repeating: 0, count: Self.count - known.count)
    let input = SentencesInput(features: MLShapedArray(scalars: padded, shape: [1, Self.count]))
    return try model.prediction(input: input).embeddingShapedArray.scalars
  }

  /// Buckets of the words and of all groups of four letters in them, as in the training.
  private func features(of sentence: String) -> [Int32] {
    sentence.lowercased().utf8.split { !(97...122).contains($0) && !(48...57).contains($0) }.flatMap { letters in
      let word = Array("<".utf8) + letters + Array(">".utf8)
      let parts = letters.count > 2 ? (0...word.count - 4).map { word[$0..<$0 + 4] } : []
      return ([word[...]] + parts).map(bucket)
    }
  }

  /// FNV-1a. Bucket 0 is that of no feature.
  private func bucket(of feature: ArraySlice<UInt8>) -> Int32 {
    let hash = feature.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int32(hash % (Self.buckets - 1) + 1)
  }
}
