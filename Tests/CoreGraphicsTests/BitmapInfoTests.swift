import CoreGraphics
import Testing

struct BitmapInfoTests {
  @Test func `constants have the numbers that files and clients rely on`() {
    #expect(CGImageAlphaInfo.premultipliedFirst.rawValue == 2 && CGImageAlphaInfo.alphaOnly.rawValue == 7)
    #expect(CGBitmapInfo.byteOrder32Little.rawValue == 0x2000 && CGBitmapInfo.byteOrder16Big.rawValue == 0x3000)
    #expect(CGBitmapInfo.floatComponents.rawValue == 0x100 && CGBitmapInfo.alphaInfoMask.rawValue == 0x1F)
    #expect(CGImageByteOrderInfo.order32Big.rawValue == 0x4000)
    #expect(CGColorRenderingIntent.saturation.rawValue == 4)
  }

  @Test func `parts of the information can be read and replaced`() {
    var info = CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order32Little)
    #expect(info.rawValue == 0x2002 && info.contains(.byteOrder32Little))
    #expect(info.alpha == .premultipliedFirst && info.byteOrder == .order32Little && info.component == .integer)
    info.alpha = .last
    info.component = .float
    info.byteOrder = .order16Big
    #expect(info.rawValue == 0x3103 && info.pixelFormat == .packed)
    let joined = CGBitmapInfo(rawValue: CGImageAlphaInfo.noneSkipFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    #expect(joined.intersection(.byteOrderMask) == .byteOrder32Little)
  }
}
