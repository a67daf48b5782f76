/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h> /* sha2.h needs its types */

#include <sha2.h>

#include "sha256.h"

_Static_assert(CW_SHA256_TEXT == SHA256_DIGEST_STRING_LENGTH, "the digest's length");

void cw_sha256_bytes(char text[CW_SHA256_TEXT], const void *data, size_t length)
{
    SHA256Data(data, length, text);
}

int cw_sha256_file(char text[CW_SHA256_TEXT], uint64_t *bytes, const char *path, struct cw_error *err)
{
    static const char digit[] = "0123456789abcdef";
    uint8_t piece[1u << 14], digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    size_t length;
    *bytes = 0;
    text[0] = '\0';
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    SHA256Init(&context);
    while ((length = fread(piece, 1, sizeof piece, f)) > 0) {
        SHA256Update(&context, piece, length);
        *bytes += length;
    }
    const int failed = ferror(f);
    fclose(f);
    if (failed) {
        *bytes = 0;
        return cw_fail(err, CW_EIO, "%s: cannot be read: %s", path, strerror(errno));
    }
    SHA256Final(digest, &context);
    for (size_t i = 0; i < sizeof digest; i++) {
        text[2 * i] = digit[digest[i] >> 4];
        text[2 * i + 1] = digit[digest[i] & 15];
    }
    text[CW_SHA256_TEXT - 1] = '\0';
    return CW_OK;
}
