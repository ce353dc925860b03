// Clients of CoreML expect it to export Foundation and, for images, CoreVideo, CoreGraphics and ImageIO.
@_exported public import CoreGraphics
@_exported public import CoreVideo
@_exported public import Foundation
@_exported public import ImageIO
