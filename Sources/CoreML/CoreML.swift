// Clients of CoreML expect it to export Foundation and, for images, CoreVideo.
@_exported public import CoreVideo
@_exported public import Foundation
