// Code that imports CoreML expects Foundation and, for pictures, CoreVideo with it.
@_exported public import CoreVideo
@_exported public import Foundation
