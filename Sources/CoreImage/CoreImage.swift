// Clients of Core Image expect it to export Core Graphics, Core Video and Image I/O, which export Foundation.
@_exported public import CoreGraphics
@_exported public import CoreVideo
@_exported public import Foundation
@_exported public import ImageIO

// A file that imports `Testing` and this module needs the overlay of both.
import _Testing_CoreImage
