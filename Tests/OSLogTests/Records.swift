import Foundation
import OSLog

/// Runs a closure and gives the messages and signposts that it has written, one after another for all tests.

private let turn = NSLock()

func records(of body: () throws -> Void) rethrows -> [OSLogRecord] {
  turn.lock()
  defer { turn.unlock() }
  let records = OSAllocatedUnfairLock(initialState: [OSLogRecord]())
  let thread = pthread_self()
  OSLogOutput.handler = { record in if pthread_equal(pthread_self(), thread) != 0 { records.withLock { $0.append(record) } } }
  defer { OSLogOutput.handler = nil }
  try body()
  return records.withLock { $0 }
}

func messages(of body: () throws -> Void) rethrows -> [String] { try records(of: body).map(\.composedMessage) }
