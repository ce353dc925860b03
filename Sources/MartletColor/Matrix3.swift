/// A 3 by 3 matrix, by rows.
package struct Matrix3: Sendable, Hashable {
  package var rows: [SIMD3<Double>]

  package init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) { rows = [first, second, third] }

  /// The matrix with the given columns.
  package init(columns first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    self.init(
      SIMD3(first.x, second.x, third.x), SIMD3(first.y, second.y, third.y), SIMD3(first.z, second.z, third.z))
  }

  package init(diagonal: SIMD3<Double>) {
    self.init(SIMD3(diagonal.x, 0, 0), SIMD3(0, diagonal.y, 0), SIMD3(0, 0, diagonal.z))
  }

  package static let identity = Matrix3(diagonal: SIMD3(1, 1, 1))

  package func column(_ index: Int) -> SIMD3<Double> { SIMD3(rows[0][index], rows[1][index], rows[2][index]) }

  static func * (matrix: Matrix3, vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((matrix.rows[0] * vector).sum(), (matrix.rows[1] * vector).sum(), (matrix.rows[2] * vector).sum())
  }

  static func * (first: Matrix3, second: Matrix3) -> Matrix3 {
    Matrix3(columns: first * second.column(0), first * second.column(1), first * second.column(2))
  }

  /// True if the matrix is the identity but for rounding errors.
  var isNearlyIdentity: Bool {
    zip(rows, Self.identity.rows).allSatisfy { row, exact in (row - exact).indices.allSatisfy { abs(row[$0] - exact[$0]) < 1e-7 } }
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  package var determinant: Double { (rows[0] * Self.cross(rows[1], rows[2])).sum() }

  /// Nil if the matrix is singular, or so close to it that its inverse is not finite.
  package var inverse: Matrix3? {
    let columns = [Self.cross(rows[1], rows[2]), Self.cross(rows[2], rows[0]), Self.cross(rows[0], rows[1])]
    let determinant = determinant
    let result = Matrix3(columns: columns[0] / determinant, columns[1] / determinant, columns[2] / determinant)
    guard determinant != 0, result.rows.allSatisfy({ ($0 - $0) == .zero }) else { return nil }
    return result
  }
}
