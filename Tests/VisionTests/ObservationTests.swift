import Testing
import Vision

/// Observations: copies, archives, JSON, and one interface's from the other's.
struct ObservationTests {
  private func results(_ name: String) throws -> [VNObservation] {
    let request = try Pictures.request(name)
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(250, 100, 50)).perform([request])
    return try #require(request.results)
  }

  @Test(arguments: ["boxes", "classifier", "negative", "quarters"])
  func `observations are copied and archived`(name: String) throws {
    for observation in try results(name) {
      #expect(observation.copy() as? VNObservation == observation)
      let archive = try NSKeyedArchiver.archivedData(withRootObject: observation, requiringSecureCoding: true)
      let restored = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: observation) as AnyObject.Type as! VNObservation.Type, from: archive))
      #expect(restored == observation && restored.hash == observation.hash && restored.uuid == observation.uuid)
      #expect(restored.confidence == observation.confidence && restored.requestRevision == 1)
      if let object = restored as? VNRecognizedObjectObservation, let original = observation as? VNRecognizedObjectObservation {
        #expect(object.boundingBox == original.boundingBox && object.labels.map(\.identifier) == original.labels.map(\.identifier))
      } else if let value = restored as? VNCoreMLFeatureValueObservation, let original = observation as? VNCoreMLFeatureValueObservation {
        #expect(value.featureName == original.featureName && value.featureValue == original.featureValue)
      } else if let picture = restored as? VNPixelBufferObservation {
        #expect(picture.featureName == "negative" && pixel(picture.pixelBuffer, 3, 3) == [5, 155, 205])
      } else if let found = restored as? VNClassificationObservation {
        #expect(found.identifier == (observation as? VNClassificationObservation)?.identifier)
      } else {
        Issue.record("\(restored) is of no known kind")
      }
    }
    let all = try results(name)
    #expect(Set(all).count == all.count && all[0].description.contains("confidence="))
  }

  @Test func `a caller's observation has the box and the confidence 1`() throws {
    let box = CGRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4)
    let observation = VNDetectedObjectObservation(boundingBox: box)
    #expect(observation.boundingBox == box && observation.confidence == 1 && observation.globalSegmentationMask == nil)
    #expect(VNDetectedObjectObservation(requestRevision: 3, boundingBox: box).requestRevision == 3)
    let new = DetectedObjectObservation(observation)
    #expect(new.boundingBox.cgRect == box && new.uuid == observation.uuid && new.originatingRequestDescriptor == nil)
    let own = DetectedObjectObservation(boundingBox: new.boundingBox)
    #expect(own.confidence == 1 && own.uuid != new.uuid)
    #expect(try JSONDecoder().decode(DetectedObjectObservation.self, from: JSONEncoder().encode(own)) == own)
    #expect(own.description.hasPrefix("DetectedObjectObservation"))
  }

  @Test func `classifications become those of the new interface`() throws {
    let classic = try #require(try results("classifier").first as? VNClassificationObservation)
    let new = ClassificationObservation(classic)
    #expect(new.identifier == classic.identifier && new.confidence == classic.confidence && new.uuid == classic.uuid)
    #expect(new.timeRange == nil && new.originatingRequestDescriptor == .coreMLRequest(.revision1))
    #expect(!new.hasPrecisionRecallCurve && !new.hasMinimumPrecision(0, forRecall: 0) && !new.hasMinimumRecall(0, forPrecision: 0))
    #expect(try JSONDecoder().decode(ClassificationObservation.self, from: JSONEncoder().encode(new)) == new)
    #expect(Set([new, ClassificationObservation(classic)]).count == 1 && new.description.contains("\"red\""))
  }

  @Test func `recognised objects become those of the new interface`() throws {
    let classic = try #require(try results("boxes").first as? VNRecognizedObjectObservation)
    let new = RecognizedObjectObservation(classic)
    #expect(new.boundingBox.cgRect == classic.boundingBox && new.labels.map(\.identifier) == classic.labels.map(\.identifier))
    #expect(new.confidence == 3 && new.labels[0].confidence == 3)
    #expect(try JSONDecoder().decode(RecognizedObjectObservation.self, from: JSONEncoder().encode(new)) == new)
    #expect((new as any BoundingBoxProviding).boundingBox == new.boundingBox && new.description.contains("star"))
  }

  @Test func `feature values become those of the new interface`() throws {
    let classic = try #require(try results("quarters").first as? VNCoreMLFeatureValueObservation)
    let new = try #require(CoreMLFeatureValueObservation(classic))
    #expect(new.featureName == "quarters" && new.confidence == 1 && new.uuid == classic.uuid)
    #expect(new.featureValue.shapedArrayValue(of: Float.self)?.scalars.first == 250)
    #expect(try JSONDecoder().decode(CoreMLFeatureValueObservation.self, from: JSONEncoder().encode(new)) == new)
    #expect(new.description.contains("quarters"))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CoreMLFeatureValueObservation.self, from: Data("{}".utf8)) }
  }

  @Test func `pixel buffers become those of the new interface`() throws {
    let classic = try #require(try results("negative").first as? VNPixelBufferObservation)
    let new = try #require(PixelBufferObservation(classic))
    #expect(new.size == CGSize(width: 40, height: 24) && new.pixelFormat == kCVPixelFormatType_32BGRA && new.confidence == 1)
    #expect(new.cgImage.width == 40 && new.cgImage.height == 24 && new.uuid == classic.uuid)
    let luma: Double = (0.299 * 5 + 0.587 * 155 + 0.114 * 205) / 255
    let pixel = Double(new.pixel(at: NormalizedPoint(x: 0.5, y: 0.5)))
    #expect(abs(pixel - luma) < 1e-5)
    #expect(new.withUnsafePointer { $0.load(as: UInt8.self) } == 205)
    let restored = try JSONDecoder().decode(PixelBufferObservation.self, from: JSONEncoder().encode(new))
    #expect(restored == new && restored.hashValue == new.hashValue && new.description == "PixelBufferObservation(40 × 24)")
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(PixelBufferObservation.self, from: Data("{}".utf8)) }
  }

  @Test func `a pixel is found from the lower left, in formats of one component`() throws {
    func observation(_ format: OSType, _ write: (UnsafeMutableRawPointer) -> Void) throws -> PixelBufferObservation {
      var made: CVPixelBuffer?
      CVPixelBufferCreate(nil, 2, 2, format, nil, &made)
      let buffer = try #require(made)
      CVPixelBufferLockBaseAddress(buffer, [])
      // The pixel at the lower left.
      write(CVPixelBufferGetBaseAddress(buffer)! + CVPixelBufferGetBytesPerRow(buffer))
      CVPixelBufferUnlockBaseAddress(buffer, [])
      // Archives are how a caller makes an observation of a buffer.
      let coder = NSKeyedArchiver(requiringSecureCoding: true)
      coder.encode(UUID().uuidString as NSString, forKey: "uuid")
      coder.encode(Float(1), forKey: "confidence")
      coder.encode(MLFeatureValue(pixelBuffer: buffer), forKey: "pixelBuffer")
      let decoder = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
      let classic = try #require(VNPixelBufferObservation(coder: decoder))
      return try #require(PixelBufferObservation(classic))
    }
    let corner = NormalizedPoint(x: 0.1, y: 0.1)
    #expect(try observation(kCVPixelFormatType_OneComponent8) { $0.storeBytes(of: 51, as: UInt8.self) }.pixel(at: corner) == 0.2)
    #expect(try observation(kCVPixelFormatType_OneComponent16Half) { $0.storeBytes(of: 7.5, as: Float16.self) }.pixel(at: corner) == 7.5)
    let floats = try observation(kCVPixelFormatType_OneComponent32Float) { $0.storeBytes(of: -3, as: Float.self) }
    #expect(floats.pixel(at: corner) == -3)
    #expect(floats.pixel(at: NormalizedPoint(x: .nan, y: -1)) == -3 && floats.pixel(at: NormalizedPoint(x: 5, y: .infinity)) == 0)
  }

  @Test func `a range of time has a start and a duration`() throws {
    let range = CMTimeRange(start: CMTime(value: 1, timescale: 2), duration: CMTime(value: 3, timescale: 4))
    #expect(range.isValid && range.start.seconds == 0.5 && range.duration.seconds == 0.75)
    #expect(!CMTimeRange.invalid.isValid && CMTimeRange.zero.duration == .zero && CMTime.invalid.seconds.isNaN)
    #expect(try JSONDecoder().decode(CMTimeRange.self, from: JSONEncoder().encode(range)) == range)
  }
}
