/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CONTAINER_HEADER 16u
#define IMAGE_HEADER     64u
#define FLAG_LZ4         UINT64_C(0x2000)
#define FLAG_ZSTD        UINT64_C(0x8000)

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)at[i] << 8 * i;
    return v;
}

bool cw_fatbin_is(const void *data, size_t length)
{
    return length >= 4 && number(data, 4) == CW_FATBIN_MAGIC;
}

/* Text may end in NULs that fill it up. */
static size_t without_padding(const uint8_t *text, size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] == '\0')
        bytes--;
    return bytes;
}

/* The image whose header is at `at`, of which `left` bytes of the container are left. *whole: its bytes, header included. */
static int read_image(struct cw_fatbin_image *image, const uint8_t *at, uint64_t left, uint64_t *whole, const char *name,
                      struct cw_error *err)
{
    if (left < IMAGE_HEADER)
        return cw_fail(err, CW_EINVAL, "%s: a fatbinary that ends within the header of an image", name);
    const uint64_t header = number(at + 4, 4), payload = number(at + 8, 8), packed = number(at + 16, 4), flags = number(at + 40, 8);
    if (header < IMAGE_HEADER || header > left || payload > left - header || packed > payload)
        return cw_fail(err, CW_EINVAL, "%s: a fatbinary with an image of %" PRIu64 " and %" PRIu64 " bytes, where %" PRIu64 " are left",
                       name, header, payload, left);
    *image = (struct cw_fatbin_image){.kind = (uint32_t)number(at, 2),
                                      .architecture = (uint32_t)number(at + 28, 4),
                                      .packing = flags & FLAG_ZSTD  ? CW_FATBIN_ZSTD
                                                 : flags & FLAG_LZ4 ? CW_FATBIN_LZ4
                                                                    : CW_FATBIN_PLAIN,
                                      .payload = at + header,
                                      .bytes = packed != 0 ? packed : payload,
                                      .text_bytes = number(at + 56, 8)};
    *whole = header + payload;
    return CW_OK;
}

int cw_fatbin_read(struct cw_fatbin *f, const void *data, size_t length, const char *name, struct cw_error *err)
{
    const uint8_t *at = data;
    *f = (struct cw_fatbin){0};
    if (length < CONTAINER_HEADER || !cw_fatbin_is(data, length))
        return cw_fail(err, CW_EINVAL, "%s: no fatbinary, or one that is cut off", name);
    const uint64_t header = number(at + 6, 2), images = number(at + 8, 8);
    if (number(at + 4, 2) != 1)
        return cw_fail(err, CW_EINVAL, "%s: a fatbinary of version %u; version 1 is known", name, (unsigned)number(at + 4, 2));
    if (header < CONTAINER_HEADER || header > length || images > length - header)
        return cw_fail(err, CW_EINVAL, "%s: a fatbinary that says it has %" PRIu64 " bytes, and %zu are there", name, images, length);
    for (uint64_t done = 0, whole = 0; done < images; done += whole) {
        if (f->image_cnt == CW_FATBIN_MOST)
            return cw_fail(err, CW_EINVAL, "%s: a fatbinary of more than %u images", name, CW_FATBIN_MOST);
        const int status = read_image(&f->image[f->image_cnt++], at + header + done, images - done, &whole, name, err);
        if (status != CW_OK)
            return status;
    }
    f->bytes = (size_t)(header + images);
    return CW_OK;
}

int cw_fatbin_read_own(struct cw_fatbin *f, const void *data, const char *name, struct cw_error *err)
{
    const uint8_t *at = data;
    if (!cw_fatbin_is(data, CONTAINER_HEADER))
        return cw_fail(err, CW_EINVAL, "%s: no fatbinary", name);
    return cw_fatbin_read(f, data, (size_t)(number(at + 6, 2) + number(at + 8, 8)), name, err);
}

const struct cw_fatbin_image *cw_fatbin_newest_ptx(const struct cw_fatbin *f)
{
    return cw_fatbin_ptx_up_to(f, UINT32_MAX);
}

const struct cw_fatbin_image *cw_fatbin_ptx_up_to(const struct cw_fatbin *f, uint32_t most)
{
    const struct cw_fatbin_image *best = NULL;
    for (uint32_t i = 0; i < f->image_cnt; i++)
        if (f->image[i].kind == CW_FATBIN_PTX && f->image[i].architecture <= most &&
            (best == NULL || f->image[i].architecture > best->architecture))
            best = &f->image[i];
    return best;
}

/* Bytes that come out; SIZE_MAX: damaged. */
static size_t unpack(char *text, const struct cw_fatbin_image *image)
{
    if (image->packing == CW_FATBIN_LZ4) {
        const int n = LZ4_decompress_safe((const char *)image->payload, text, (int)image->bytes, (int)image->text_bytes);
        return n >= 0 ? (size_t)n : SIZE_MAX;
    }
    const size_t n = ZSTD_decompress(text, image->text_bytes, image->payload, image->bytes);
    return ZSTD_isError(n) ? SIZE_MAX : n;
}

int cw_fatbin_text(char **text, size_t *length, const struct cw_fatbin_image *image, const char *name, struct cw_error *err)
{
    const bool plain = image->packing == CW_FATBIN_PLAIN;
    const size_t room = plain ? image->bytes : image->text_bytes;
    *text = NULL;
    if (image->kind != CW_FATBIN_PTX)
        return cw_fail(err, CW_EINVAL, "%s: an image that is no PTX", name);
    if (room > CW_FATBIN_TEXT_MOST || image->bytes > CW_FATBIN_TEXT_MOST)
        return cw_fail(err, CW_EINVAL, "%s: PTX of %zu bytes, and at most %zu are read", name, room, CW_FATBIN_TEXT_MOST);
    char *buffer = malloc(room + 1);
    if (buffer == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", name);
    if (plain)
        memcpy(buffer, image->payload, room);
    const size_t got = plain ? room : unpack(buffer, image);
    if (got != room) {
        free(buffer);
        return cw_fail(err, CW_EINVAL, "%s: PTX whose compressed bytes are damaged", name);
    }
    *length = without_padding((const uint8_t *)buffer, got);
    buffer[*length] = '\0';
    *text = buffer;
    return CW_OK;
}

int cw_fatbin_no_ptx(const struct cw_fatbin *f, const char *name, struct cw_error *err)
{
    uint32_t newest = 0;
    for (uint32_t i = 0; i < f->image_cnt; i++)
        newest = f->image[i].architecture > newest ? f->image[i].architecture : newest;
    if (newest == 0)
        return cw_fail(err, CW_EUNSUP, "%s: a fatbinary without any image", name);
    return cw_fail(err, CW_EUNSUP,
                   "%s: has machine code for sm_%u only; compile with -gencode arch=compute_%u,code=compute_%u, which puts the PTX in it",
                   name, (unsigned)newest, (unsigned)newest, (unsigned)newest);
}
