#ifndef MARTLET_HEIF_H
#define MARTLET_HEIF_H

#include <stddef.h>
#include <stdint.h>

// What libheif declares and Swift cannot write: functions that return a structure. libheif itself is opened at run time.

/// `heif_error` of heif.h 1: numbers of an error and what it is about, and a message that the library owns.
typedef struct martlet_heif_error {
  int code;
  int subcode;
  const char *message;
} martlet_heif_error;

typedef martlet_heif_error (*martlet_heif_read)(void *context, const void *bytes, size_t count, const void *options);
typedef martlet_heif_error (*martlet_heif_get_handle)(void *context, uint32_t item, void **handle);
typedef martlet_heif_error (*martlet_heif_decode)(void *handle, void **image, int colorspace, int chroma, const void *options);
typedef martlet_heif_error (*martlet_heif_get_thumbnail)(void *handle, uint32_t item, void **thumbnail);

#endif
