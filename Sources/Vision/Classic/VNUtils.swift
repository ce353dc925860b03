public import Foundation

// Normalised coordinates span 0 to 1 along each axis of a picture, or of its region of interest; extents of pictures are in pixels. The
// origin is the same for both.

/// The whole picture.
public let VNNormalizedIdentityRect = CGRect(x: 0, y: 0, width: 1, height: 1)

/// True for the whole picture.
public func VNNormalizedRectIsIdentityRect(_ normalizedRect: CGRect) -> Bool { normalizedRect == VNNormalizedIdentityRect }

public func VNImagePointForNormalizedPoint(_ normalizedPoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int) -> CGPoint {
  VNImagePointForNormalizedPointUsingRegionOfInterest(normalizedPoint, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// The point of the picture at a point of a region, which is normalised itself.
public func VNImagePointForNormalizedPointUsingRegionOfInterest(
  _ normalizedPoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGPoint {
  CGPoint(
    x: (roi.origin.x + normalizedPoint.x * roi.size.width) * CGFloat(imageWidth),
    y: (roi.origin.y + normalizedPoint.y * roi.size.height) * CGFloat(imageHeight))
}

public func VNNormalizedPointForImagePoint(_ imagePoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int) -> CGPoint {
  VNNormalizedPointForImagePointUsingRegionOfInterest(imagePoint, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// The point of a region, which is normalised itself, at a point of the picture.
public func VNNormalizedPointForImagePointUsingRegionOfInterest(
  _ imagePoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGPoint {
  CGPoint(
    x: (imagePoint.x / CGFloat(imageWidth) - roi.origin.x) / roi.size.width,
    y: (imagePoint.y / CGFloat(imageHeight) - roi.origin.y) / roi.size.height)
}

public func VNImageRectForNormalizedRect(_ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int) -> CGRect {
  VNImageRectForNormalizedRectUsingRegionOfInterest(normalizedRect, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// The rectangle of the picture at a rectangle of a region, which is normalised itself.
public func VNImageRectForNormalizedRectUsingRegionOfInterest(
  _ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGRect {
  CGRect(
    origin: VNImagePointForNormalizedPointUsingRegionOfInterest(normalizedRect.origin, imageWidth, imageHeight, roi),
    size: CGSize(
      width: normalizedRect.size.width * roi.size.width * CGFloat(imageWidth),
      height: normalizedRect.size.height * roi.size.height * CGFloat(imageHeight)))
}

public func VNNormalizedRectForImageRect(_ imageRect: CGRect, _ imageWidth: Int, _ imageHeight: Int) -> CGRect {
  VNNormalizedRectForImageRectUsingRegionOfInterest(imageRect, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// The rectangle of a region, which is normalised itself, at a rectangle of the picture.
public func VNNormalizedRectForImageRectUsingRegionOfInterest(
  _ imageRect: CGRect, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGRect {
  CGRect(
    origin: VNNormalizedPointForImagePointUsingRegionOfInterest(imageRect.origin, imageWidth, imageHeight, roi),
    size: CGSize(
      width: imageRect.size.width / CGFloat(imageWidth) / roi.size.width,
      height: imageRect.size.height / CGFloat(imageHeight) / roi.size.height))
}
