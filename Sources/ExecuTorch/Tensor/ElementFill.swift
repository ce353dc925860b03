import Foundation

/// Sets all elements of a tensor to one value.
struct ConstantFill: ElementOperation {
  let tensor: AnyTensor
  let value: NSNumber

  func callAsFunction<Element: TensorElement>(_ element: Element.Type) {
    // A number object holds a real if its type encoding is that of `float` or `double`, and an integer beyond `Int64` if it is that of
    // `UInt64`.
    let number: ElementNumber =
      switch unsafe UInt8(bitPattern: value.objCType.pointee) {
      case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(value.doubleValue)
      case UInt8(ascii: "Q"): .unsigned(value.uint64Value)
      default: .integer(value.int64Value)
      }
    unsafe tensor.dataPointer.initializeMemory(as: Element.self, repeating: Element(number), count: tensor.count)
  }
}

/// Sets the elements, in memory order, to the results of `next`, converted to the element type.
struct GeneratedFill: ElementOperation {
  let tensor: AnyTensor
  let next: () -> ElementNumber

  func callAsFunction<Element: TensorElement>(_ element: Element.Type) {
    let elements = unsafe tensor.dataPointer.bindMemory(to: Element.self, capacity: tensor.count)
    for index in 0..<tensor.count {
      unsafe elements[index] = Element(next())
    }
  }
}

/// Converts the elements of `source` to the type of `destination`, which has the same layout.
struct ElementConversion: ElementOperation {
  let source: AnyTensor
  let destination: AnyTensor

  func callAsFunction<Element: TensorElement>(_ element: Element.Type) {
    destination.dataType.withNumericElement(FromElement<Element>(source: source, destination: destination))
  }

  private struct FromElement<Source: TensorElement>: ElementOperation {
    let source: AnyTensor
    let destination: AnyTensor

    func callAsFunction<Element: TensorElement>(_ element: Element.Type) {
      // Memory borrowed from a client may not be aligned.
      let bytes = unsafe UnsafeRawPointer(source.dataPointer)
      let elements = unsafe destination.dataPointer.bindMemory(to: Element.self, capacity: source.count)
      for index in 0..<source.count {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Source>.stride, as: Source.self)
        unsafe elements[index] = Element(value.number)
      }
    }
  }
}
