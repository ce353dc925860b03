// What <os/log.h> declares on Apple's systems is in the Swift module `os`.
