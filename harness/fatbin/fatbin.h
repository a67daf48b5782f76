/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fatbinaries: what nvcc makes of a file's kernels, one image per architecture. An image is machine code, of which nothing is read here, or
 * PTX, as it is or compressed (LZ4, Zstandard). No byte is believed: a container that is cut off, damaged or hostile is refused.
 *
 *     container   0 magic BA55ED50  4 u16 version 1  6 u16 bytes of this header  8 u64 bytes of all images
 *     image       0 u16 kind  4 u32 bytes of this header  8 u64 bytes of the payload, with padding  16 u32 the same when compressed, without
 *                 26 u16 major PTX version  28 u32 architecture (75: sm_75)  40 u64 flags (2000h LZ4, 8000h Zstandard)
 *                 56 u64 bytes when not compressed  ... the payload
 */
#ifndef CW_HARNESS_FATBIN_H
#define CW_HARNESS_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CW_FATBIN_MAGIC UINT32_C(0xBA55ED50)
#define CW_FATBIN_PTX   1u
#define CW_FATBIN_CODE  2u  /* machine code (cubin) */
#define CW_FATBIN_MOST  64u /* images of a container; nvcc makes one per architecture */
#ifndef CW_FATBIN_TEXT_MOST
#define CW_FATBIN_TEXT_MOST ((size_t)1 << 30) /* bytes of PTX */
#endif

enum cw_fatbin_packing { CW_FATBIN_PLAIN, CW_FATBIN_LZ4, CW_FATBIN_ZSTD };

/* One image. Pointers are into the container. */
struct cw_fatbin_image {
    uint32_t kind;         /* CW_FATBIN_PTX, ... */
    uint32_t architecture; /* 75: sm_75 */
    enum cw_fatbin_packing packing;
    const uint8_t *payload;
    size_t bytes;      /* of the payload, without padding where that is known */
    size_t text_bytes; /* of the PTX */
};

struct cw_fatbin {
    struct cw_fatbin_image image[CW_FATBIN_MOST];
    uint32_t image_cnt;
    size_t bytes; /* of the whole container */
};

/* Whether these bytes begin as a container does. */
bool cw_fatbin_is(const void *data, size_t length);
/* Reads the headers of the container that data begins with; it may be shorter than length. name: for the error. CW_EINVAL: truncated,
 * damaged, or of a version that is not known. */
int cw_fatbin_read(struct cw_fatbin *f, const void *data, size_t length, const char *name, struct cw_error *err);
/* The same of a container in this process's memory, which is believed to be as long as its header says. */
int cw_fatbin_read_own(struct cw_fatbin *f, const void *data, const char *name, struct cw_error *err);
/* The PTX for the newest architecture; NULL: it has none. */
const struct cw_fatbin_image *cw_fatbin_newest_ptx(const struct cw_fatbin *f);
/* The same among those for no newer one than `most`. */
const struct cw_fatbin_image *cw_fatbin_ptx_up_to(const struct cw_fatbin *f, uint32_t most);
/* *text is the image's PTX, *length bytes and a NUL behind them, which the caller frees. CW_EINVAL: damaged; CW_ENOMEM. */
int cw_fatbin_text(char **text, size_t *length, const struct cw_fatbin_image *image, const char *name, struct cw_error *err);
/* Why a container without PTX cannot run, and what to compile it with. Returns CW_EUNSUP. */
int cw_fatbin_no_ptx(const struct cw_fatbin *f, const char *name, struct cw_error *err);

#endif
