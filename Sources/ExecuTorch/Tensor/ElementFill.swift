import Foundation

/// Writes one value to all elements of a tensor.
struct ConstantFill: ElementOperation {
  let tensor: AnyTensor
  let value: NSNumber

  func callAsFunction<Element: TensorElement>(_ element: Element.Type) {
    // A number object that holds a real has the type encoding of `float` or `double`; unsigned ones beyond Int64 that of UInt64.
    let number: ElementNumber =
      switch unsafe UInt8(bitPattern: value.objCType.pointee) {
      case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(value.doubleValue)
      case UInt8(ascii: "Q"): .unsigned(value.uint64Value)
      default: .integer(value.int64Value)
      }
    unsafe tensor.dataPointer.initializeMemory(as: Element.self, repeating: Element(number), count: tensor.count)
  }
}

/// Writes the results of `next`, one per element in the order of memory, converted to the type of the elements.
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

/// Writes the elements of `source`, converted, to `destination`, which has the same layout.
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
      // Memory that a client lent may be at any address.
      let bytes = unsafe UnsafeRawPointer(source.dataPointer)
      let elements = unsafe destination.dataPointer.bindMemory(to: Element.self, capacity: source.count)
      for index in 0..<source.count {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Source>.stride, as: Source.self)
        unsafe elements[index] = Element(value.number)
      }
    }
  }
}
