// Clients of Core Graphics expect it to export Foundation, which has CGFloat, CGPoint, CGSize and CGRect on Linux.
@_exported public import Foundation

// A file that imports `Testing` and this module needs the overlay of both.
import _Testing_CoreGraphics

// Look-ups of resources in bundles, which every face of a framework exports.
@_exported public import MartletResources
