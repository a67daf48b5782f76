/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define CHUNK       65536u
#define GZIP_WINDOW (15 + 16) /* zlib's largest window, with the header of gzip */

struct gzip {
    z_stream stream;
    FILE *out;
    unsigned char chunk[CHUNK];
};

/* Carries out what is there; flush Z_FINISH: to the end. false: it cannot be written. */
static bool carry(struct gzip *g, int flush)
{
    int status;
    do {
        g->stream.next_out = g->chunk;
        g->stream.avail_out = CHUNK;
        status = deflate(&g->stream, flush);
        const size_t made = CHUNK - g->stream.avail_out;
        if (status == Z_STREAM_ERROR || fwrite(g->chunk, 1, made, g->out) != made)
            return false;
    } while (g->stream.avail_out == 0);
    return flush != Z_FINISH || status == Z_STREAM_END;
}

static ssize_t write_some(void *cookie, const char *bytes, size_t cnt)
{
    struct gzip *g = cookie;
    const size_t taken = cnt < CHUNK ? cnt : CHUNK;
    g->stream.next_in = (unsigned char *)(uintptr_t)bytes; /* zlib only reads it */
    g->stream.avail_in = (unsigned)taken;
    if (!carry(g, Z_NO_FLUSH)) {
        errno = EIO;
        return 0;
    }
    return (ssize_t)taken;
}

static int finish(void *cookie)
{
    struct gzip *g = cookie;
    g->stream.avail_in = 0;
    const bool whole = carry(g, Z_FINISH);
    deflateEnd(&g->stream);
    free(g);
    return whole ? 0 : EOF;
}

FILE *cw_gzip_open(FILE *out)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->out = out;
    if (deflateInit2(&g->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(g);
        return NULL;
    }
    FILE *in = fopencookie(g, "w", (cookie_io_functions_t){.write = write_some, .close = finish});
    if (in == NULL) {
        deflateEnd(&g->stream);
        free(g);
    }
    return in;
}
