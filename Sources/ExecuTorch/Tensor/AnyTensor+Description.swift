import Foundation

extension AnyTensor {
  /// Maximum number of elements in a description.
  private static var describedElements: Int { 100 }

  /// Data type, layout and the first elements in memory order.
  var fullDescription: String {
    let described = min(count, AnyTensor.describedElements)
    var elements = dataType.withElement(ElementTexts(tensor: self, count: described)) ?? ["..."]
    if count > described { elements.append("...") }
    return """
      Tensor {
        dataType: \(dataType.descriptiveName),
        shape: \(list(shape)),
        strides: \(list(strides)),
        dimensionOrder: \(list(dimensionOrder)),
        shapeDynamism: \(shapeDynamism),
        count: \(count),
        scalars: \(list(elements))
      }
      """
  }

  private func list(_ items: [some CustomStringConvertible]) -> String {
    "[" + items.map(\.description).joined(separator: ",") + "]"
  }
}

/// The first `count` elements of a tensor as strings: reals with six significant digits, booleans as 1 and 0.
private struct ElementTexts: ElementOperation {
  let tensor: AnyTensor
  let count: Int

  func callAsFunction<Element: TensorElement>(_ element: Element.Type) -> [String] {
    let bytes = unsafe UnsafeRawPointer(tensor.dataPointer)
    return (0..<count).map { index in
      switch unsafe bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Element>.stride, as: Element.self).number {
      case .integer(let value): "\(value)"
      case .unsigned(let value): "\(value)"
      case .real(let value): String(format: "%g", value)
      }
    }
  }
}
