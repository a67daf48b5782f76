/* SPDX-License-Identifier: Apache-2.0 */
#include "base/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_MARK 0x47u /* in front of a group: shows at once that the walk has lost its place */

void cw_state_save_begin(struct cw_state *s, struct cw_error *err)
{
    *s = (struct cw_state){.mode = CW_STATE_SAVE, .err = err, .group = "beginning", .watch = SIZE_MAX};
}

void cw_state_load_begin(struct cw_state *s, const void *stream, size_t bytes, struct cw_error *err)
{
    *s = (struct cw_state){
        .mode = CW_STATE_LOAD, .err = err, .group = "beginning", .stream = (unsigned char *)(uintptr_t)stream, .bytes = bytes};
}

void cw_state_digest_begin(struct cw_state *s, struct cw_error *err)
{
    *s = (struct cw_state){.mode = CW_STATE_DIGEST, .err = err, .group = "beginning", .digest = UINT64_C(0xcbf29ce484222325)};
}

void cw_state_end(struct cw_state *s)
{
    if (s->mode == CW_STATE_SAVE)
        free(s->stream);
    free(s->shared);
    free(s->walked);
    *s = (struct cw_state){0};
}

void cw_state_fail(struct cw_state *s, int status, const char *fmt, ...)
{
    char text[200];
    va_list args;
    if (s->status != CW_OK)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    s->status = cw_fail(s->err, status, "state of %s %u: %s", s->group, s->index, text);
}

static bool grow(struct cw_state *s, size_t bytes)
{
    size_t capacity = s->capacity != 0 ? s->capacity : 4096;
    while (capacity - s->bytes < bytes)
        capacity *= 2;
    unsigned char *more = capacity != s->capacity ? realloc(s->stream, capacity) : s->stream;
    if (more == NULL) {
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
        return false;
    }
    s->stream = more;
    s->capacity = capacity;
    return true;
}

/* FNV-1a over words, and the bytes behind the last whole word: a digest is compared, never trusted. */
static uint64_t digest(uint64_t d, const unsigned char *from, size_t bytes)
{
    for (; bytes >= 8; bytes -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        d = (d ^ word) * UINT64_C(0x100000001b3);
        d ^= d >> 29;
    }
    for (; bytes > 0; bytes--)
        d = (d ^ *from++) * UINT64_C(0x100000001b3);
    return d;
}

static void load(struct cw_state *s, void *to, size_t bytes)
{
    if (s->status == CW_OK && s->bytes - s->at < bytes)
        cw_state_fail(s, CW_EINVAL, "the saved state ends here");
    if (s->status != CW_OK) {
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, s->stream + s->at, bytes);
    s->at += bytes;
}

static void walk(struct cw_state *s, const char *name, void *at, size_t bytes)
{
    if (bytes == 0)
        return;
    if (s->mode == CW_STATE_SAVE && s->watch - s->bytes < bytes) {
        s->name = name;
        s->name_group = s->group;
    }
    if (s->mode == CW_STATE_LOAD) {
        load(s, at, bytes);
    } else if (s->mode == CW_STATE_DIGEST) {
        s->digest = digest(s->digest, at, bytes);
    } else if (s->status == CW_OK && grow(s, bytes)) {
        memcpy(s->stream + s->bytes, at, bytes);
        s->bytes += bytes;
    }
}

void cw_state_array(struct cw_state *s, const char *name, void *at, size_t cnt, size_t bytes)
{
    if (s->tell != NULL)
        s->tell(s->tell_self, s, name, at, cnt, bytes);
    walk(s, name, at, cnt * bytes);
}

void cw_state_group(struct cw_state *s, const char *name, uint32_t index)
{
    char saved[32] = "";
    uint8_t head[2] = {GROUP_MARK, (uint8_t)strlen(name)};
    uint32_t number = index;
    walk(s, name, head, sizeof head);
    snprintf(saved, sizeof saved, "%s", name);
    if (head[1] >= sizeof saved)
        head[1] = sizeof saved - 1;
    walk(s, name, saved, head[1]);
    saved[head[1]] = '\0';
    walk(s, name, &number, sizeof number);
    if (s->mode == CW_STATE_LOAD && s->status == CW_OK && (head[0] != GROUP_MARK || strcmp(saved, name) != 0 || number != index))
        cw_state_fail(s, CW_EINVAL, "%s %u should follow, and does not: it was saved by another build, or for another machine", name,
                      index);
    s->group = name;
    s->index = index;
    s->groups++;
}

void cw_state_count(struct cw_state *s, const char *name, uint32_t *cnt, uint32_t most)
{
    cw_state_array(s, name, cnt, 1, sizeof *cnt);
    if (s->mode != CW_STATE_LOAD || *cnt <= most)
        return;
    cw_state_fail(s, CW_EINVAL, "%s is %u, and there is room for %u", name, *cnt, most);
    *cnt = 0;
}

void cw_state_ref(struct cw_state *s, const char *name, void **at, const void *base, size_t bytes, size_t cnt)
{
    uint32_t number = *at != NULL ? (uint32_t)((size_t)((const char *)*at - (const char *)base) / bytes) + 1 : 0;
    if (s->mode != CW_STATE_LOAD && number > cnt)
        cw_state_fail(s, CW_EINVAL, "%s points outside its array of %zu", name, cnt);
    walk(s, name, &number, sizeof number);
    if (s->mode != CW_STATE_LOAD)
        return;
    if (number > cnt) {
        cw_state_fail(s, CW_EINVAL, "%s is element %u of %zu", name, number, cnt);
        number = 0;
    }
    *at = number != 0 ? (char *)(uintptr_t)base + (number - 1) * bytes : NULL;
}

void cw_state_grown(struct cw_state *s, const char *name, uint32_t *cnt, void **array, uint32_t *cap, size_t bytes)
{
    cw_state_count(s, name, cnt, UINT32_MAX);
    if (s->mode != CW_STATE_LOAD || *cnt <= *cap)
        return;
    void *more = s->status == CW_OK && *cnt <= s->bytes - s->at ? realloc(*array, *cnt * bytes) : NULL;
    if (more == NULL) {
        cw_state_fail(s, *cnt <= s->bytes - s->at ? CW_ENOMEM : CW_EINVAL, "no room for %u of %s", *cnt, name);
        *cnt = 0;
        return;
    }
    *array = more;
    *cap = *cnt;
}

void cw_state_shares(struct cw_state *s, void *made)
{
    uint32_t cap = s->shared_cap;
    if (s->shared_cnt == cap) {
        void **more = realloc(s->shared, (cap = cap != 0 ? 2 * cap : 64) * sizeof *more);
        if (more == NULL) {
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
            return;
        }
        s->shared = more;
        s->shared_cap = cap;
    }
    s->shared[s->shared_cnt++] = made;
}

bool cw_state_shared(struct cw_state *s, void **at)
{
    uint32_t number = 0; /* of the one, from 1 on; one more than there are: it is new */
    if (s->mode != CW_STATE_LOAD && *at != NULL)
        for (number = 1; number <= s->shared_cnt && s->shared[number - 1] != *at; number++)
            continue;
    cw_state_count(s, "shared", &number, s->shared_cnt + 1);
    const bool is_new = number == s->shared_cnt + 1;
    if (s->mode == CW_STATE_LOAD)
        *at = number != 0 && !is_new ? s->shared[number - 1] : NULL;
    else if (is_new)
        cw_state_shares(s, *at);
    return is_new && s->status == CW_OK;
}
