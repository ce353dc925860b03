// Passes a Swift closure to the pool. Swift can pass a closure to C only as an escaping closure, which costs an allocation per region. A
// function with Swift's calling convention receives a non-escaping closure directly, as code and context.

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
