/// The two functions of Apple's Accelerate that the client's layers call.

public typealias vDSP_Stride = Int
public typealias vDSP_Length = UInt

/// C[n] = A[n] + B
public func vDSP_vsadd(
  _ a: UnsafePointer<Float>, _ strideA: vDSP_Stride, _ b: UnsafePointer<Float>, _ c: UnsafeMutablePointer<Float>,
  _ strideC: vDSP_Stride, _ count: vDSP_Length
) {
  for index in 0..<Int(count) { c[index * strideC] = a[index * strideA] + b.pointee }
}

/// C[n] = A[n] · B
public func vDSP_vsmul(
  _ a: UnsafePointer<Float>, _ strideA: vDSP_Stride, _ b: UnsafePointer<Float>, _ c: UnsafeMutablePointer<Float>,
  _ strideC: vDSP_Stride, _ count: vDSP_Length
) {
  for index in 0..<Int(count) { c[index * strideC] = a[index * strideA] * b.pointee }
}
