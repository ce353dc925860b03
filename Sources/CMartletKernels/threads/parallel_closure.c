// Lends a Swift closure to the pool. Swift can hand a closure to C only as an escaping one, which costs an allocation in
// every region; a function of Swift's own calling convention gets a non-escaping closure as it is: its code and its context.

#include "martlet_threads.h"

#if defined(__has_attribute)
#if __has_attribute(swiftcall) && __has_attribute(swift_context)

typedef __attribute__((swiftcall)) void (*closure_code)(
    ptrdiff_t chunk, ptrdiff_t worker, __attribute__((swift_context)) void *context);

typedef struct {
  closure_code code;
  void *context;
} closure;

static void call_closure(void *context, ptrdiff_t chunk, int worker) {
  const closure *body = context;
  body->code(chunk, worker, body->context);
}

// Declared in ThreadTeam.swift, with `body` as a `(Int, Int) -> Void`.
__attribute__((swiftcall)) void mk_team_run_closure(mk_team *team, ptrdiff_t chunks, closure_code code, void *context) {
  closure body = {code, context};
  mk_team_run(team, call_closure, &body, chunks);
}

#endif
#endif
