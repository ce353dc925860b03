import MartletLog
import MartletMedia

/// Image I/O's functions return nothing when they fail; why they did is a message of the log.
enum Failure {
  static func report(_ error: MediaError) { Log.error("\(error)") }
}
