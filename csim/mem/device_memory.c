/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sorted lists describe what is allocated. Regions are the allocations. Spans are what remains of them when neighbours are
 * joined; the gaps between spans are the free memory, so that neighbouring free pieces are one piece without further ado. A core
 * asks whether an address is allocated for every memory instruction: as long as nothing is freed there is one span, and the answer
 * is one comparison.
 *
 * Free memory is always zero: what is freed is cleared at once.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MADV_DONTNEED */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/device_memory_private.h"

#define ALLOC_ALIGN UINT64_C(256)     /* of cudaMalloc; also keeps every line that an allocation touches inside memory */
#define CLEAR_PAGES UINT64_C(0x10000) /* from this size on, whole pages go back to the host instead of being overwritten */

static uint64_t padded(uint64_t bytes)
{
    return (bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
}

/* Makes room for one more region and one more span. */
static int reserve(struct cw_memory *m)
{
    if (m->region_cnt < m->capacity)
        return CW_OK;
    const uint32_t capacity = m->capacity == 0 ? 16 : 2 * m->capacity;
    struct cw_region *region = realloc(m->region, capacity * sizeof *region);
    if (region != NULL)
        m->region = region;
    struct cw_memory_span *span = realloc(m->span, capacity * sizeof *span);
    if (span != NULL)
        m->span = span;
    if (region == NULL || span == NULL)
        return CW_ENOMEM;
    m->capacity = capacity;
    return CW_OK;
}

/* The host takes pages only when they are touched, and they start as zeros: a gigabyte of device memory costs nothing
 * until used. */
int cw_memory_create(struct cw_memory **out, uint64_t bytes, struct cw_error *err)
{
    *out = NULL;
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "device memory: size is 0 bytes; set mem.mbytes to at least 1");
    struct cw_memory *m = calloc(1, sizeof *m);
    if (m == NULL || reserve(m) != CW_OK) {
        cw_memory_destroy(m);
        return cw_fail(err, CW_ENOMEM, "device memory: out of host memory");
    }
    m->span[0] = (struct cw_memory_span){CW_GLOBAL_BASE, 0};
    void *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        const int why = errno;
        cw_memory_destroy(m);
        return cw_fail(err, CW_ENOMEM, "device memory: the host cannot reserve %" PRIu64 " bytes (%s); set mem.mbytes lower", bytes,
                       strerror(why));
    }
    m->host = host;
    m->bytes = bytes;
    *out = m;
    return CW_OK;
}

void cw_memory_destroy(struct cw_memory *m)
{
    if (m == NULL)
        return;
    if (m->host != NULL)
        munmap(m->host, m->bytes);
    free(m->region);
    free(m->span);
    free(m);
}

/* Looking up */

/* Number of regions that begin at addr or below. */
static uint32_t regions_up_to(const struct cw_memory *m, uint64_t addr)
{
    uint32_t low = 0, high = m->region_cnt;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->region[middle].base <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Index of the last span that begins at addr or below; 0 when there is none. */
static uint32_t span_of(const struct cw_memory *m, uint64_t addr)
{
    uint32_t low = 0, cnt = m->span_cnt;
    while (cnt > 1) {
        const uint32_t half = cnt / 2;
        low = m->span[low + half].base <= addr ? low + half : low;
        cnt -= half;
    }
    return low;
}

const struct cw_region *cw_memory_region(const struct cw_memory *m, uint64_t addr)
{
    const uint32_t n = regions_up_to(m, addr);
    if (n == 0)
        return NULL;
    const struct cw_region *r = m->region + n - 1;
    return addr - r->base < padded(r->bytes) ? r : NULL;
}

bool cw_memory_valid(const struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    const struct cw_memory_span *s = m->span;
    if (m->span_cnt > 1)
        s += span_of(m, addr);
    const uint64_t offset = addr - s->base; /* huge when addr is lower */
    return offset <= s->bytes && bytes <= s->bytes - offset;
}

/* Allocation */

/* First fit, from the bottom or from the top. Returns the number of spans below the place; m->span_cnt + 1 when nothing is large enough.
 * *largest: the largest gap that was seen. */
static uint32_t find_gap(const struct cw_memory *m, uint64_t bytes, bool top, uint64_t *addr, uint64_t *largest)
{
    *largest = 0;
    for (uint32_t k = 0; k <= m->span_cnt; k++) {
        const uint32_t i = top ? m->span_cnt - k : k;
        const uint64_t begin = i > 0 ? m->span[i - 1].base + m->span[i - 1].bytes : CW_GLOBAL_BASE;
        const uint64_t end = i < m->span_cnt ? m->span[i].base : CW_GLOBAL_BASE + m->bytes;
        *addr = top ? end - bytes : begin;
        if (end - begin >= bytes)
            return i;
        *largest = end - begin > *largest ? end - begin : *largest;
    }
    return m->span_cnt + 1;
}

/* at: number of spans below addr. */
static void add_to_spans(struct cw_memory *m, uint32_t at, uint64_t addr, uint64_t bytes)
{
    struct cw_memory_span *next = m->span + at;
    const bool joins_next = at < m->span_cnt && addr + bytes == next->base;
    const bool joins_last = at > 0 && next[-1].base + next[-1].bytes == addr;
    if (joins_last && joins_next) {
        next[-1].bytes += bytes + next->bytes;
        memmove(next, next + 1, (m->span_cnt - at - 1) * sizeof *next);
        m->span_cnt--;
    } else if (joins_last) {
        next[-1].bytes += bytes;
    } else if (joins_next) {
        *next = (struct cw_memory_span){addr, bytes + next->bytes};
    } else {
        memmove(next + 1, next, (m->span_cnt - at) * sizeof *next);
        *next = (struct cw_memory_span){addr, bytes};
        m->span_cnt++;
    }
}

static void add_region(struct cw_memory *m, uint64_t addr, uint64_t bytes, uint32_t kind)
{
    const uint32_t at = regions_up_to(m, addr);
    memmove(m->region + at + 1, m->region + at, (m->region_cnt - at) * sizeof *m->region);
    m->region[at] = (struct cw_region){.base = addr, .bytes = bytes, .kind = kind};
    m->region_cnt++;
}

static int allocate(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, bool top, struct cw_error *err)
{
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "device memory: allocation of 0 bytes; ask for at least 1");
    const uint64_t left = m->bytes - m->used;
    if (bytes > left || padded(bytes) > left)
        return cw_fail(err, CW_ENOMEM, "device memory: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " left; set mem.mbytes higher",
                       bytes, left, m->bytes);
    uint64_t place, largest;
    const uint32_t at = find_gap(m, padded(bytes), top, &place, &largest);
    if (at > m->span_cnt)
        return cw_fail(err, CW_ENOMEM,
                       "device memory: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " left, but not more than %" PRIu64
                       " in one piece; set mem.mbytes higher",
                       bytes, left, m->bytes, largest);
    if (reserve(m) != CW_OK)
        return cw_fail(err, CW_ENOMEM, "device memory: out of host memory");
    add_to_spans(m, at, place, padded(bytes));
    add_region(m, place, bytes, kind);
    m->used += padded(bytes);
    *addr = place;
    return CW_OK;
}

int cw_memory_alloc(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    return allocate(m, addr, bytes, kind, false, err);
}

int cw_memory_alloc_top(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    return allocate(m, addr, bytes, kind, true, err);
}

/* Freeing */

/* Large pieces go back to the host page by page; the next touch finds zeros. */
static void clear(struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    uint8_t *first = cw_memory__at(m, addr);
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), head = (page - (uintptr_t)first % page) % page;
    if (bytes < CLEAR_PAGES || bytes < head + page) {
        memset(first, 0, bytes);
        return;
    }
    const uint64_t pages = (bytes - head) / page * page;
    memset(first, 0, head);
    if (madvise(first + head, pages, MADV_DONTNEED) != 0)
        memset(first + head, 0, pages);
    memset(first + head + pages, 0, bytes - head - pages);
}

static void cut_from_spans(struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    const uint32_t at = span_of(m, addr);
    struct cw_memory_span *s = m->span + at;
    const uint64_t before = addr - s->base, behind = s->bytes - before - bytes;
    if (before > 0 && behind > 0) {
        memmove(s + 1, s, (m->span_cnt - at) * sizeof *s);
        m->span_cnt++;
        s[0].bytes = before;
        s[1] = (struct cw_memory_span){addr + bytes, behind};
    } else if (before > 0 || behind > 0) {
        *s = before > 0 ? (struct cw_memory_span){s->base, before} : (struct cw_memory_span){addr + bytes, behind};
    } else {
        memmove(s, s + 1, (m->span_cnt - at - 1) * sizeof *s);
        m->span_cnt--;
        if (m->span_cnt == 0)
            m->span[0] = (struct cw_memory_span){CW_GLOBAL_BASE, 0};
    }
}

int cw_memory_free(struct cw_memory *m, uint64_t addr, struct cw_error *err)
{
    const struct cw_region *r = cw_memory_region(m, addr);
    if (r == NULL)
        return cw_fail(err, CW_EINVAL, "device memory: free of 0x%" PRIx64 ": nothing is allocated there; was it freed before?", addr);
    if (r->base != addr)
        return cw_fail(err, CW_EINVAL,
                       "device memory: free of 0x%" PRIx64 ": lies inside the allocation of %" PRIu64 " bytes at 0x%" PRIx64
                       "; free that address",
                       addr, r->bytes, r->base);
    const uint64_t bytes = padded(r->bytes);
    const uint32_t at = (uint32_t)(r - m->region);
    memmove(m->region + at, m->region + at + 1, (m->region_cnt - at - 1) * sizeof *r);
    m->region_cnt--;
    m->used -= bytes;
    cut_from_spans(m, addr, bytes);
    clear(m, addr, bytes);
    return CW_OK;
}

/* Bytes */

void cw_memory_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes));
    memcpy(to, cw_memory__at(m, addr), bytes);
}

void cw_memory_write(struct cw_memory *m, uint64_t addr, const void *from, uint64_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes));
    memcpy(cw_memory__at(m, addr), from, bytes);
}

void cw_memory_write_masked(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes));
    uint8_t *to = cw_memory__at(m, addr);
    for (uint32_t first = 0; first < bytes; first += 32) {
        const uint32_t left = bytes - first;
        uint32_t enabled = left >= 32 ? mask[first / 32] : mask[first / 32] & ((1u << left) - 1);
        if (enabled == UINT32_MAX) {
            memcpy(to + first, from + first, 32);
            continue;
        }
        for (; enabled != 0; enabled &= enabled - 1) {
            const uint32_t b = first + (uint32_t)__builtin_ctz(enabled);
            to[b] = from[b];
        }
    }
}
