// Empty: the Swift module `os` has the declarations of Apple's <os/signpost.h>.
