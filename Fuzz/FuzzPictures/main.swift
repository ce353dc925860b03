import Foundation
import MartletColor
import MartletFuzzing
import MartletMedia
import MartletPixels

/// Runs mutated picture files through everything that reads them: containers, metadata, decoders and colour profiles. See `Drive` for the
/// arguments.

/// Outcome of reading a mutant.
enum Outcome: String, CaseIterable {
  case decoded
  /// Described, but not decoded.
  case described
  case rejected
  /// A block of metadata or a profile without its file.
  case part
}

/// Small enough that a mutant takes no time.
let limits = {
  var limits = PictureLimits()
  limits.pixelCount = 1 << 20
  limits.metadataByteCount = 1 << 20
  return limits
}()

func probe(_ mutant: FuzzCorpus.Mutant) -> Outcome {
  // One in four changes only a block inside of the file, which damage elsewhere would keep from being read.
  if mutant.number % 4 == 3, let file = try? PictureFile(mutant.entry.bytes, name: "picture"), let metadata = try? file.metadata(at: 0) {
    let blocks = [metadata.exif, metadata.profile, metadata.iptc]
    for (index, block) in blocks.enumerated() {
      guard let block else { continue }
      let changed = FileMutator.mutate(block, as: "block", seed: mutant.number &+ UInt64(index) << 56)
      read(exif: index == 0 ? changed : nil, profile: index == 1 ? changed : nil, iptc: index == 2 ? changed : nil)
    }
    if blocks.contains(where: { $0 != nil }) { return .part }
  }
  do throws(MediaError) {
    let file = try PictureFile(mutant.bytes, name: "picture", limits: limits)
    var outcome = Outcome.described
    for index in 0..<min(file.pictureCount, 4) {
      let header = file.header(at: index)
      precondition(header.width > 0 && header.height > 0 && header.width <= limits.extent && header.height <= limits.extent)
      _ = file.orientation(at: index)
      let metadata = try file.metadata(at: index)
      read(exif: metadata.exif, profile: metadata.profile, iptc: metadata.iptc)
      for extent in [nil, 16] {
        let picture = try file.decode(at: index, PictureDecoding(sufficientExtent: extent))
        precondition(picture.bytes.count == picture.rowByteCount * picture.height)
        _ = picture.image.resized(width: 3, height: 2)
      }
      outcome = .decoded
    }
    return outcome
  } catch {
    // Rejecting a file is correct, but producing the description must not fail.
    precondition(!"\(error)".isEmpty)
    return .rejected
  }
}

func read(exif: [UInt8]?, profile: [UInt8]?, iptc: [UInt8]?) {
  if let exif, let block = try? ExifBlock(exif[...]) {
    if let thumbnail = block.thumbnail { _ = try? PictureFile(thumbnail, name: "thumbnail", limits: limits).decode(at: 0) }
    // A picture that was read is written and read again.
    precondition((try? ExifBlock(block.bytes[...])) != nil)
  }
  if let iptc { _ = IPTCRecords(IPTCRecords(iptc[...]).bytes[...]) }
  if let profile {
    _ = ColorProfile(profile)
    if let space = try? ProfileReader.colorSpace(profile), let transform = try? ColorTransform(from: space, to: .sRGB) {
      let color = transform.convert(SIMD4(0.25, 0.5, 0.75, 0.125))
      precondition((0..<3).allSatisfy { color[$0] >= 0 && color[$0] <= 1 })
    }
  }
}

try await Drive.main("FuzzPictures", kinds: [.picture], probe: probe)
