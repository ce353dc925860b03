// Clients of Image I/O expect it to export Core Graphics, which exports Foundation.
@_exported public import CoreGraphics
@_exported public import Foundation
