package import Martlet
package import MartletPixels

/// An object in a picture.
package struct RecognizedObject: Sendable, Hashable {
  /// In the region that the model saw.
  package let box: NormalizedBox
  /// All classes, the most confident one first.
  package let classes: [RankedClass]
  /// That of the most confident class.
  package var confidence: Float { classes.first?.confidence ?? 0 }

  /// The objects in a detector's outputs. Rows of zeros, which fill outputs of fixed size, are none.
  /// - Parameters:
  ///   - confidences: for each box the confidence of each class.
  ///   - coordinates: for each box centre x, centre y, width and height; see `SuppressedBoxes`.
  ///   - mapping: how the region came to be the model's input.
  /// - Returns: nil if the numbers do not belong to the same boxes.
  package static func objects(
    confidences: [Double], coordinates: [Double], _ boxes: SuppressedBoxes, in mapping: PictureMapping
  ) -> [RecognizedObject]? {
    let count = coordinates.count / 4
    guard coordinates.count % 4 == 0, count == 0 ? confidences.isEmpty : confidences.count % count == 0 else { return nil }
    guard count > 0 else { return [] }
    let classCount = confidences.count / count
    let labels = boxes.labels?.texts ?? []
    return (0..<count).compactMap { index in
      let box = coordinates[index * 4..<index * 4 + 4].map(\.self)
      let scores = confidences[index * classCount..<(index + 1) * classCount]
      if box[2] == 0, box[3] == 0, scores.allSatisfy({ $0 == 0 }) { return nil }
      let classes = scores.enumerated().map { place, score in
        RankedClass(identifier: place < labels.count ? labels[place] : "\(place)", confidence: Float(score))
      }
      return RecognizedObject(
        box: mapping.regionBox(ofTargetX: box[0] - box[2] / 2, y: box[1] - box[3] / 2, width: box[2], height: box[3]),
        classes: RankedClass.ranked(classes))
    }
  }
}
