#define _GNU_SOURCE
#include "martlet_os.h"

#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  uint32_t count;
  uint32_t wanted;
  const char *name;
  const void *base;
} search;

static int visit(struct dl_phdr_info *information, size_t size, void *context) {
  (void)size;
  search *found = context;
  if (found->count == found->wanted) {
    found->name = information->dlpi_name;
    found->base = (const void *)information->dlpi_addr;
  }
  found->count += 1;
  return 0;
}

static search image(uint32_t wanted) {
  search found = {.count = 0, .wanted = wanted, .name = NULL, .base = NULL};
  dl_iterate_phdr(visit, &found);
  return found;
}

uint32_t martlet_image_count(void) { return image(UINT32_MAX).count; }

const char *martlet_image_name(uint32_t index) { return image(index).name; }

const void *martlet_image_base(uint32_t index) { return image(index).base; }

int64_t martlet_thread_number(void) { return syscall(SYS_gettid); }
