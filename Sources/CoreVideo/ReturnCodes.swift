// Result codes, with the numbers of Apple's headers.
public let kCVReturnSuccess: CVReturn = 0
public let kCVReturnFirst: CVReturn = -6660
/// An error of no other kind.
public let kCVReturnError: CVReturn = kCVReturnFirst
public let kCVReturnInvalidArgument: CVReturn = -6661
/// There is not enough memory.
public let kCVReturnAllocationFailed: CVReturn = -6662
public let kCVReturnUnsupported: CVReturn = -6663

public let kCVReturnInvalidDisplay: CVReturn = -6670
public let kCVReturnDisplayLinkAlreadyRunning: CVReturn = -6671
public let kCVReturnDisplayLinkNotRunning: CVReturn = -6672
public let kCVReturnDisplayLinkCallbacksNotSet: CVReturn = -6673

/// No buffer can be made for the pixel format.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
/// No buffer can be made for the width and height.
public let kCVReturnInvalidSize: CVReturn = -6681
/// No buffer can be made for the attributes.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
public let kCVReturnPixelBufferNotOpenGLCompatible: CVReturn = -6683
public let kCVReturnPixelBufferNotMetalCompatible: CVReturn = -6684

/// As many buffers are in use as the caller allowed.
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
public let kCVReturnRetry: CVReturn = -6692
public let kCVReturnLast: CVReturn = -6699
