public import ExecuTorch
public import Foundation

/// What a client writes to have tensors of a type that the module does not know.
extension Float16: Scalar {
  public static var dataType: DataType { .half }
  public func asNSNumber() -> NSNumber { NSNumber(value: Float(self)) }
}
