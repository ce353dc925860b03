@_exported import Foundation

/// How a picture is fitted to a size.
public enum VNImageCropAndScaleOption: UInt {
  case centerCrop = 0
  case scaleFit = 1
  case scaleFill = 2
}
