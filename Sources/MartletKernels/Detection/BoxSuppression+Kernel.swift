package import MartletTensor
package import MartletVocabulary

extension BoxSuppression {
  /// A box is ranked by its greatest score. Ties go to the box with the lower index. NaN is smaller than any score.
  /// - Parameters:
  ///   - boxes: float32 `[N, B, 4]`: middle x, middle y, width, height; scores: float32 `[N, B, K]`; any strides.
  ///   - best: float32 `[N, B]`, classes: int32 `[N, B]`: scratch, row-major.
  ///   - chosenBoxes, chosenScores: `[N, M, 4]` and `[N, M, K]`, any strides; zeros after the last box.
  ///   - indices: int32 `[N, M]`, row-major; -1 after the last box.
  ///   - counts: int32 `[N]`, row-major.
  ///   - change: sets thresholds that are known only when the kernel runs.
  package func kernel(
    boxes: TensorView, scores: TensorView, best: TensorView, classes: TensorView, chosenBoxes: TensorView,
    chosenScores: TensorView, indices: TensorView, counts: TensorView?,
    atRun change: @escaping @Sendable (inout BoxSuppression, KernelContext) -> Void = { _, _ in }
  ) -> Kernel {
    let (images, count, classCount) = (scores.shape[0], scores.shape[1], scores.shape[2])
    let limit = indices.shape[1]
    return { context in
      var current = self
      change(&current, context)
      let suppression = current
      let coordinates = context.elements(boxes, as: Float.self)
      let values = context.elements(scores, as: Float.self)
      let best = context.elements(best, as: Float.self)
      let classes = context.elements(classes, as: Int32.self)
      let boxResults = context.elements(chosenBoxes, as: Float.self)
      let scoreResults = context.elements(chosenScores, as: Float.self)
      let indexResults = context.elements(indices, as: Int32.self)
      let countResults = counts.map { context.elements($0, as: Int32.self) }
      context.parallel(images) { image, _ in
        let base = image * count
        func box(_ index: Int) -> SIMD4<Float> {
          let place = image * boxes.strides[0] + index * boxes.strides[1]
          let step = boxes.strides[2]
          return SIMD4(
            coordinates[place], coordinates[place + step], coordinates[place + 2 * step], coordinates[place + 3 * step])
        }
        for index in 0..<count {
          var score = -Float.infinity
          var label = 0
          for number in 0..<classCount {
            let value = values[image * scores.strides[0] + index * scores.strides[1] + number * scores.strides[2]]
            if value > score { (score, label) = (value, number) }
          }
          best[base + index] = score
          classes[base + index] = Int32(truncatingIfNeeded: label)
        }
        /// The remaining box with the greatest score. A class of -1 marks a removed box.
        func next(isLimited: Bool) -> Int? {
          var winner: Int?
          for index in 0..<count where classes[base + index] >= 0 {
            let score = best[base + index]
            if isLimited, let threshold = suppression.scoreThreshold, !(score > threshold) { continue }
            if let held = winner, !(score > best[base + held]) { continue }
            winner = index
          }
          return winner
        }
        var chosen = 0
        while chosen < limit, let index = next(isLimited: true) ?? (chosen == 0 ? next(isLimited: false) : nil) {
          let corner = box(index)
          let label = classes[base + index]
          classes[base + index] = -1
          for part in 0..<4 {
            boxResults[image * chosenBoxes.strides[0] + chosen * chosenBoxes.strides[1] + part * chosenBoxes.strides[2]] = corner[part]
          }
          for number in 0..<classCount {
            scoreResults[
              image * chosenScores.strides[0] + chosen * chosenScores.strides[1] + number * chosenScores.strides[2]] =
              values[image * scores.strides[0] + index * scores.strides[1] + number * scores.strides[2]]
          }
          indexResults[image * limit + chosen] = Int32(truncatingIfNeeded: index)
          chosen += 1
          for other in 0..<count where classes[base + other] >= 0 {
            if suppression.isPerClass, classes[base + other] != label { continue }
            if Self.overlap(corner, box(other)) > suppression.overlapThreshold { classes[base + other] = -1 }
          }
        }
        countResults?[image] = Int32(truncatingIfNeeded: chosen)
        for row in chosen..<limit {
          indexResults[image * limit + row] = -1
          for part in 0..<4 {
            boxResults[image * chosenBoxes.strides[0] + row * chosenBoxes.strides[1] + part * chosenBoxes.strides[2]] = 0
          }
          for number in 0..<classCount {
            scoreResults[image * chosenScores.strides[0] + row * chosenScores.strides[1] + number * chosenScores.strides[2]] = 0
          }
        }
      }
    }
  }

  /// Intersection over union of two boxes; 0 if one of them has no area.
  private static func overlap(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let (areaA, areaB) = (a[2] * a[3], b[2] * b[3])
    guard areaA > 0, areaB > 0 else { return 0 }
    let width = min(a[0] + a[2] / 2, b[0] + b[2] / 2) - max(a[0] - a[2] / 2, b[0] - b[2] / 2)
    let height = min(a[1] + a[3] / 2, b[1] + b[3] / 2) - max(a[1] - a[3] / 2, b[1] - b[3] / 2)
    let area = max(width, 0) * max(height, 0)
    return area / (areaA + areaB - area)
  }
}
