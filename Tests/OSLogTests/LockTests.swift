import Dispatch
import Testing
import os
import os.lock

@Suite struct LockTests {
  @Test func `a lock with its state counts right from many threads`() {
    let count = OSAllocatedUnfairLock(initialState: 0)
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 1000)
    #expect(count.withLockIfAvailable { $0 } == 1000)
  }

  @Test func `a lock that is held is not available`() {
    let lock = OSAllocatedUnfairLock()
    #expect(lock.lockIfAvailable())
    lock.precondition(.owner)
    // On another thread.
    nonisolated(unsafe) var isAvailable: Bool?
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "other").async {
      lock.precondition(.notOwner)
      isAvailable = lock.withLockIfAvailable { true }
      end.signal()
    }
    end.wait()
    #expect(isAvailable == nil)
    lock.unlock()
    lock.precondition(.notOwner)
    #expect(lock.withLock { 5 } == 5)
    let box = OSAllocatedUnfairLock(uncheckedState: [1])
    box.withLockUnchecked { $0.append(2) }
    #expect(box.withLock { $0.count } == 2)
    #expect(box.withLockIfAvailableUnchecked { $0.last } == 2)
  }

  @Test func `the plain lock excludes others`() {
    let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    nonisolated(unsafe) var count = 0
    nonisolated(unsafe) let shared = lock
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in
      os_unfair_lock_lock(shared)
      count += 1
      os_unfair_lock_unlock(shared)
    }
    #expect(count == 1000)
    #expect(os_unfair_lock_trylock(lock))
    #expect(!os_unfair_lock_trylock(lock))
    os_unfair_lock_unlock(lock)
    lock.deallocate()
  }

  @Test func `loaded libraries are listed`() {
    let names = (0..<_dyld_image_count()).compactMap { _dyld_get_image_name($0).map { String(cString: $0) } }
    #expect(names.contains { $0.contains("libswiftCore") })
    #expect(_dyld_get_image_name(.max) == nil && _dyld_get_image_header(.max) == nil)
    #expect((0..<_dyld_image_count()).contains { _dyld_get_image_header($0) != nil })
  }
}
