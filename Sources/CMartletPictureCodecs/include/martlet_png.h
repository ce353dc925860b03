#ifndef MARTLET_PNG_H
#define MARTLET_PNG_H

#include <stddef.h>
#include <stdint.h>

// libpng reports errors by a jump over its callers, which Swift frames do not survive. These functions catch it. libpng itself is opened at
// run time, and building needs no header of it.

/// The functions of libpng in use.
typedef struct martlet_png_functions martlet_png_functions;

/// Finds the functions of libpng 1.6 in a library opened by `dlopen`. The result is kept until the process ends.
///
/// Returns NULL with the name of a missing function in `missing`, or with NULL there if memory is short.
const martlet_png_functions *martlet_png_find(void *library, const char **missing);

/// The parts of a picture's header that both directions share, with libpng's numbers.
typedef struct martlet_png_header {
  uint32_t width;
  uint32_t height;
  /// Bits per sample in the file.
  int bit_depth;
  /// PNG's colour type: 0 grey, 2 colour, 3 palette, 4 grey and alpha, 6 colour and alpha.
  int color_type;
} martlet_png_header;

enum {
  /// Reading: samples of fewer than 8 bits become bytes, grey ones scaled to 0...255.
  MARTLET_PNG_WHOLE_BYTES = 1,
  /// Reading: palettes become colours, and colours declared transparent become an alpha channel.
  MARTLET_PNG_EXPAND = 2,
  /// A fourth sample follows the colours: all ones when reading, ignored when writing.
  MARTLET_PNG_FILLER = 4,
  /// Samples of 16 bits are little-endian in memory.
  MARTLET_PNG_LITTLE_ENDIAN = 8,
};

/// Size of a message including its terminating zero.
enum { MARTLET_PNG_MESSAGE_SIZE = 128 };

/// Decodes a file to rows of `row_byte_count` bytes without padding.
///
/// Returns 1; or 0 with a message if the file is damaged or its rows do not have the size and number expected.
int martlet_png_decode(
    const martlet_png_functions *png, const uint8_t *file, size_t file_byte_count, int options, uint8_t *rows, size_t row_byte_count,
    uint32_t row_count, char message[MARTLET_PNG_MESSAGE_SIZE]);

/// Encodes rows of `row_byte_count` bytes. The file has the chunks IHDR, IDAT and IEND only.
///
/// Returns the file, to be freed by `martlet_png_free`, and its size in `file_byte_count`; or NULL with a message.
uint8_t *martlet_png_encode(
    const martlet_png_functions *png, const martlet_png_header *header, int options, const uint8_t *rows, size_t row_byte_count,
    size_t *file_byte_count, char message[MARTLET_PNG_MESSAGE_SIZE]);

void martlet_png_free(uint8_t *file);

#endif
