package import MartletKernels

extension ChromaMatrix.Standard {
  /// The matrix that a pixel buffer's attachment `CVImageBufferYCbCrMatrix` names. Without one, and for names of other matrices, it is that of
  /// ITU-R BT.601.
  package init(attachment name: String?) {
    switch name {
    case "ITU_R_709_2": self = .bt709
    case "ITU_R_2020": self = .bt2020
    default: self = .bt601
    }
  }
}
