#define _GNU_SOURCE
#include "martlet_png.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// MARK: Functions of png.h 1.6

typedef void png_struct;
typedef void png_info;
typedef void (*message_function)(png_struct *, const char *);
typedef void (*transfer_function)(png_struct *, uint8_t *, size_t);
typedef void (*flush_function)(png_struct *);

struct martlet_png_functions {
  png_struct *(*create_read_struct)(const char *, void *, message_function, message_function);
  png_struct *(*create_write_struct)(const char *, void *, message_function, message_function);
  png_info *(*create_info_struct)(png_struct *);
  void (*destroy_read_struct)(png_struct **, png_info **, png_info **);
  void (*destroy_write_struct)(png_struct **, png_info **);
  void (*set_read_fn)(png_struct *, void *, transfer_function);
  void (*set_write_fn)(png_struct *, void *, transfer_function, flush_function);
  void (*set_user_limits)(png_struct *, uint32_t, uint32_t);
  void (*read_info)(png_struct *, png_info *);
  uint8_t (*get_bit_depth)(png_struct *, png_info *);
  uint8_t (*get_color_type)(png_struct *, png_info *);
  uint32_t (*get_image_height)(png_struct *, png_info *);
  void (*set_packing)(png_struct *);
  void (*set_expand)(png_struct *);
  void (*set_expand_gray)(png_struct *);
  void (*set_filler)(png_struct *, uint32_t, int);
  void (*set_swap)(png_struct *);
  int (*set_interlace_handling)(png_struct *);
  void (*read_update_info)(png_struct *, png_info *);
  size_t (*get_rowbytes)(png_struct *, png_info *);
  void (*read_row)(png_struct *, uint8_t *, uint8_t *);
  void (*set_IHDR)(png_struct *, png_info *, uint32_t, uint32_t, int, int, int, int, int);
  void (*write_info)(png_struct *, png_info *);
  void (*write_row)(png_struct *, const uint8_t *);
  void (*write_end)(png_struct *, png_info *);
};

static const struct {
  const char *name;
  size_t offset;
} symbols[] = {
#define FUNCTION(member) {"png_" #member, offsetof(martlet_png_functions, member)}
    FUNCTION(create_read_struct),
    FUNCTION(create_write_struct),
    FUNCTION(create_info_struct),
    FUNCTION(destroy_read_struct),
    FUNCTION(destroy_write_struct),
    FUNCTION(set_read_fn),
    FUNCTION(set_write_fn),
    FUNCTION(set_user_limits),
    FUNCTION(read_info),
    FUNCTION(get_bit_depth),
    FUNCTION(get_color_type),
    FUNCTION(get_image_height),
    FUNCTION(set_packing),
    FUNCTION(set_expand),
    {"png_set_expand_gray_1_2_4_to_8", offsetof(martlet_png_functions, set_expand_gray)},
    FUNCTION(set_filler),
    FUNCTION(set_swap),
    FUNCTION(set_interlace_handling),
    FUNCTION(read_update_info),
    FUNCTION(get_rowbytes),
    FUNCTION(read_row),
    FUNCTION(set_IHDR),
    FUNCTION(write_info),
    FUNCTION(write_row),
    FUNCTION(write_end),
#undef FUNCTION
};

const martlet_png_functions *martlet_png_find(void *library, const char **missing) {
  *missing = NULL;
  martlet_png_functions *functions = calloc(1, sizeof *functions);
  if (!functions) return NULL;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = dlsym(library, symbols[i].name);
    if (!address) {
      *missing = symbols[i].name;
      free(functions);
      return NULL;
    }
    memcpy((char *)functions + symbols[i].offset, &address, sizeof address);
  }
  return functions;
}

// MARK: One file

/// The version that the caller was written for; libpng compares its first two numbers with its own.
static const char version[] = "1.6.0";

/// A file in memory, and where libpng jumps to.
typedef struct {
  jmp_buf failed;
  char *message;
  const uint8_t *input;
  size_t input_count;
  uint8_t *output;
  size_t output_count;
  size_t output_capacity;
} transfer;

static _Noreturn void fail(transfer *file, const char *message) {
  strncpy(file->message, message, MARTLET_PNG_MESSAGE_SIZE - 1);
  file->message[MARTLET_PNG_MESSAGE_SIZE - 1] = 0;
  longjmp(file->failed, 1);
}

/// The file of the call in progress on this thread: libpng calls back with its own structure only.
static _Thread_local transfer *current;

static void report(png_struct *png, const char *message) {
  (void)png;
  fail(current, message);
}

static void ignore(png_struct *png, const char *message) {
  (void)png;
  (void)message;
}

static void read_bytes(png_struct *png, uint8_t *bytes, size_t count) {
  (void)png;
  transfer *file = current;
  if (count > file->input_count) fail(file, "the file ends before the image does");
  memcpy(bytes, file->input, count);
  file->input += count;
  file->input_count -= count;
}

static void write_bytes(png_struct *png, uint8_t *bytes, size_t count) {
  (void)png;
  transfer *file = current;
  if (count > file->output_capacity - file->output_count) {
    size_t capacity = file->output_capacity * 2 > file->output_count + count ? file->output_capacity * 2 : file->output_count + count;
    uint8_t *grown = realloc(file->output, capacity);
    if (!grown) fail(file, "there is not enough memory for the file");
    file->output = grown;
    file->output_capacity = capacity;
  }
  memcpy(file->output + file->output_count, bytes, count);
  file->output_count += count;
}

static void flush(png_struct *png) { (void)png; }

int martlet_png_decode(
    const martlet_png_functions *png, const uint8_t *bytes, size_t byte_count, int options, uint8_t *rows, size_t row_byte_count,
    uint32_t row_count, char message[MARTLET_PNG_MESSAGE_SIZE]) {
  transfer file = {.message = message, .input = bytes, .input_count = byte_count};
  png_struct *volatile reader = NULL;
  png_info *volatile info = NULL;
  transfer *outer = current;
  current = &file;
  int result = 0;
  if (!setjmp(file.failed)) {
    reader = png->create_read_struct(version, NULL, report, ignore);
    if (!reader) fail(&file, "libpng created no reader");
    info = png->create_info_struct(reader);
    if (!info) fail(&file, "libpng created no reader");
    png->set_read_fn(reader, NULL, read_bytes);
    // The caller has compared the extents with its own limits.
    png->set_user_limits(reader, 0x7FFFFFFF, 0x7FFFFFFF);
    png->read_info(reader, info);
    const int depth = png->get_bit_depth(reader, info);
    if (options & MARTLET_PNG_EXPAND) png->set_expand(reader);
    if (options & MARTLET_PNG_WHOLE_BYTES && depth < 8) {
      if (png->get_color_type(reader, info) == 0) {
        png->set_expand_gray(reader);
      } else {
        png->set_packing(reader);
      }
    }
    if (options & MARTLET_PNG_LITTLE_ENDIAN && depth == 16) png->set_swap(reader);
    // 1 is PNG_FILLER_AFTER.
    if (options & MARTLET_PNG_FILLER) png->set_filler(reader, 0xFFFF, 1);
    const int passes = png->set_interlace_handling(reader);
    png->read_update_info(reader, info);
    if (png->get_rowbytes(reader, info) != row_byte_count || png->get_image_height(reader, info) != row_count) {
      fail(&file, "the rows have another size than the header says");
    }
    for (int pass = 0; pass < passes; ++pass) {
      for (uint32_t row = 0; row < row_count; ++row) png->read_row(reader, rows + row * row_byte_count, NULL);
    }
    result = 1;
  }
  png_struct *finished = reader;
  png_info *finished_info = info;
  if (finished) png->destroy_read_struct(&finished, &finished_info, NULL);
  current = outer;
  return result;
}

uint8_t *martlet_png_encode(
    const martlet_png_functions *png, const martlet_png_header *header, int options, const uint8_t *rows, size_t row_byte_count,
    size_t *file_byte_count, char message[MARTLET_PNG_MESSAGE_SIZE]) {
  transfer file = {.message = message};
  png_struct *volatile writer = NULL;
  png_info *volatile info = NULL;
  transfer *outer = current;
  current = &file;
  volatile int written = 0;
  if (!setjmp(file.failed)) {
    file.output_capacity = 4096;
    file.output = malloc(file.output_capacity);
    if (!file.output) fail(&file, "there is not enough memory for the file");
    writer = png->create_write_struct(version, NULL, report, ignore);
    if (!writer) fail(&file, "libpng created no writer");
    info = png->create_info_struct(writer);
    if (!info) fail(&file, "libpng created no writer");
    png->set_write_fn(writer, NULL, write_bytes, flush);
    png->set_user_limits(writer, 0x7FFFFFFF, 0x7FFFFFFF);
    // No interlacing; the only compression and filter methods that there are.
    png->set_IHDR(writer, info, header->width, header->height, header->bit_depth, header->color_type, 0, 0, 0);
    png->write_info(writer, info);
    if (options & MARTLET_PNG_LITTLE_ENDIAN && header->bit_depth == 16) png->set_swap(writer);
    if (options & MARTLET_PNG_FILLER) png->set_filler(writer, 0, 1);
    for (uint32_t row = 0; row < header->height; ++row) png->write_row(writer, rows + row * row_byte_count);
    png->write_end(writer, NULL);
    written = 1;
  }
  png_struct *finished = writer;
  png_info *finished_info = info;
  if (finished) png->destroy_write_struct(&finished, &finished_info);
  current = outer;
  if (!written) {
    free(file.output);
    return NULL;
  }
  *file_byte_count = file.output_count;
  return file.output;
}

void martlet_png_free(uint8_t *file) { free(file); }
