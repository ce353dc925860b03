// Pixel formats, with the codes of Apple's headers: numbers, or four characters.

// Packed RGB; names give the channels in memory order, unless LE or BE says otherwise.
public let kCVPixelFormatType_16BE555: OSType = 16
public let kCVPixelFormatType_16LE555: OSType = 0x4C353535  // 'L555'
public let kCVPixelFormatType_16LE5551: OSType = 0x35353531  // '5551'
public let kCVPixelFormatType_16BE565: OSType = 0x42353635  // 'B565'
public let kCVPixelFormatType_16LE565: OSType = 0x4C353635  // 'L565'
public let kCVPixelFormatType_24RGB: OSType = 24
public let kCVPixelFormatType_24BGR: OSType = 0x32344247  // '24BG'
public let kCVPixelFormatType_32ARGB: OSType = 32
public let kCVPixelFormatType_32BGRA: OSType = 0x42475241  // 'BGRA'
public let kCVPixelFormatType_32ABGR: OSType = 0x41424752  // 'ABGR'
public let kCVPixelFormatType_32RGBA: OSType = 0x52474241  // 'RGBA'
public let kCVPixelFormatType_64ARGB: OSType = 0x62363461  // 'b64a'
public let kCVPixelFormatType_64RGBALE: OSType = 0x6C363472  // 'l64r'
public let kCVPixelFormatType_48RGB: OSType = 0x62343872  // 'b48r'
public let kCVPixelFormatType_30RGB: OSType = 0x5231306B  // 'R10k'
public let kCVPixelFormatType_ARGB2101010LEPacked: OSType = 0x6C313072  // 'l10r'
public let kCVPixelFormatType_64RGBAHalf: OSType = 0x52476841  // 'RGhA'
public let kCVPixelFormatType_128RGBAFloat: OSType = 0x52476641  // 'RGfA'

// One or two components, including depth maps.
public let kCVPixelFormatType_16Gray: OSType = 0x62313667  // 'b16g'
public let kCVPixelFormatType_32AlphaGray: OSType = 0x62333261  // 'b32a'
public let kCVPixelFormatType_OneComponent8: OSType = 0x4C303038  // 'L008'
public let kCVPixelFormatType_TwoComponent8: OSType = 0x32433038  // '2C08'
public let kCVPixelFormatType_OneComponent10: OSType = 0x4C303130  // 'L010'
public let kCVPixelFormatType_OneComponent12: OSType = 0x4C303132  // 'L012'
public let kCVPixelFormatType_OneComponent16: OSType = 0x4C303136  // 'L016'
public let kCVPixelFormatType_TwoComponent16: OSType = 0x32433136  // '2C16'
public let kCVPixelFormatType_OneComponent16Half: OSType = 0x4C303068  // 'L00h'
public let kCVPixelFormatType_OneComponent32Float: OSType = 0x4C303066  // 'L00f'
public let kCVPixelFormatType_TwoComponent16Half: OSType = 0x32433068  // '2C0h'
public let kCVPixelFormatType_TwoComponent32Float: OSType = 0x32433066  // '2C0f'
public let kCVPixelFormatType_DisparityFloat16: OSType = 0x68646973  // 'hdis'
public let kCVPixelFormatType_DisparityFloat32: OSType = 0x66646973  // 'fdis'
public let kCVPixelFormatType_DepthFloat16: OSType = 0x68646570  // 'hdep'
public let kCVPixelFormatType_DepthFloat32: OSType = 0x66646570  // 'fdep'

// Luma and chroma in one plane.
public let kCVPixelFormatType_422YpCbCr8: OSType = 0x32767579  // '2vuy'
public let kCVPixelFormatType_422YpCbCr8_yuvs: OSType = 0x79757673  // 'yuvs'
public let kCVPixelFormatType_422YpCbCr8FullRange: OSType = 0x79757666  // 'yuvf'
public let kCVPixelFormatType_444YpCbCr8: OSType = 0x76333038  // 'v308'
public let kCVPixelFormatType_4444YpCbCrA8: OSType = 0x76343038  // 'v408'
public let kCVPixelFormatType_4444AYpCbCr8: OSType = 0x79343038  // 'y408'
public let kCVPixelFormatType_4444AYpCbCr16: OSType = 0x79343136  // 'y416'

// Luma and each chroma channel in a plane of its own.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x79343230  // 'y420'
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x66343230  // 'f420'

// Luma in one plane, both chroma channels in another. 10-bit samples are stored in the high bits of 16.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x34323076  // '420v'
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x34323066  // '420f'
public let kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange: OSType = 0x34323276  // '422v'
public let kCVPixelFormatType_422YpCbCr8BiPlanarFullRange: OSType = 0x34323266  // '422f'
public let kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange: OSType = 0x34343476  // '444v'
public let kCVPixelFormatType_444YpCbCr8BiPlanarFullRange: OSType = 0x34343466  // '444f'
public let kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: OSType = 0x78343230  // 'x420'
public let kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: OSType = 0x78663230  // 'xf20'
public let kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange: OSType = 0x78343232  // 'x422'
public let kCVPixelFormatType_422YpCbCr10BiPlanarFullRange: OSType = 0x78663232  // 'xf22'
public let kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange: OSType = 0x78343434  // 'x444'
public let kCVPixelFormatType_444YpCbCr10BiPlanarFullRange: OSType = 0x78663434  // 'xf44'
