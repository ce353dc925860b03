// Clients of Vision expect it to export Core ML and the modules of pictures.
@_exported public import CoreGraphics
@_exported public import CoreImage
@_exported public import CoreML
@_exported public import CoreVideo
@_exported public import Foundation
@_exported public import ImageIO
