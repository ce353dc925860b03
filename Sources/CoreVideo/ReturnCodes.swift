// Result codes with the values of Apple's headers.
public let kCVReturnSuccess: CVReturn = 0
public let kCVReturnFirst: CVReturn = -6660
/// Any other error.
public let kCVReturnError: CVReturn = kCVReturnFirst
public let kCVReturnInvalidArgument: CVReturn = -6661
/// Not enough memory.
public let kCVReturnAllocationFailed: CVReturn = -6662
public let kCVReturnUnsupported: CVReturn = -6663

public let kCVReturnInvalidDisplay: CVReturn = -6670
public let kCVReturnDisplayLinkAlreadyRunning: CVReturn = -6671
public let kCVReturnDisplayLinkNotRunning: CVReturn = -6672
public let kCVReturnDisplayLinkCallbacksNotSet: CVReturn = -6673

/// The pixel format is not supported.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
/// The width or height is not supported.
public let kCVReturnInvalidSize: CVReturn = -6681
/// The attributes are not supported.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
public let kCVReturnPixelBufferNotOpenGLCompatible: CVReturn = -6683
public let kCVReturnPixelBufferNotMetalCompatible: CVReturn = -6684

/// The caller's threshold for buffers in use has been reached.
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
public let kCVReturnRetry: CVReturn = -6692
public let kCVReturnLast: CVReturn = -6699
