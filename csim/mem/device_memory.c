/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sorted lists describe what is allocated. Regions are the allocations. Spans are what remains of them when neighbours are
 * joined; the gaps between spans are the free memory, so that neighbouring free pieces are one piece without further ado. A core
 * asks whether an address is allocated for every memory instruction: as long as nothing is freed there is one span, and the answer
 * is one comparison.
 *
 * Free memory is always zero: what is freed is cleared at once.
 *
 * Device memory and persistent memory are two windows of one reservation of host addresses. So the host address of any byte is one
 * addition, and an access need not ask in which window it is. A host that limits addresses does not give the gap between the windows; then
 * each is a reservation of its own, at the same distance.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MAP_FIXED_NOREPLACE, MADV_DONTNEED */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/machine.h"
#include "mem/address.h"
#include "mem/device_memory_private.h"
#include "mem/version.h"

#define ALLOC_ALIGN UINT64_C(256)     /* of cudaMalloc; also keeps every line that an allocation touches inside memory */
#define CLEAR_PAGES UINT64_C(0x10000) /* from this size on, whole pages go back to the host instead of being overwritten */

#define LEAST_BYTES  (UINT64_C(16) << 20)  /* that are worth to go on with: the least that mem.mbytes may be */
#define ROOM_BYTES   (UINT64_C(256) << 20) /* of addresses for the rest of the simulator */
#define APART_PLACES UINT64_C(64)          /* that are tried for windows without the gap */
#define APART_STEP   (UINT64_C(1) << 36)

static uint64_t padded(uint64_t bytes)
{
    return (bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
}

static uint8_t *durable_at(const struct cw_memory *m, uint64_t addr)
{
    return m->durable + (addr - CW_PM_BASE);
}

/* Makes room for one more region and one more span. */
static int reserve(struct cw_memory *m)
{
    if (m->region_cnt + m->freed_cnt < m->capacity)
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

/* The host takes pages only when they are touched, and they start as zeros: memory costs nothing until used. NULL: it gives none there. */
static uint8_t *map(uint64_t wanted, uint64_t bytes, int rights, int how)
{
    void *at = mmap((void *)(uintptr_t)wanted, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
    if (at != MAP_FAILED && how != 0 && (uintptr_t)at != wanted) { /* a kernel that does not know MAP_FIXED_NOREPLACE */
        munmap(at, bytes);
        at = MAP_FAILED;
    }
    return at != MAP_FAILED ? at : NULL;
}

static void unmap(struct cw_memory *m)
{
    if (m->host != NULL && m->reserved != 0)
        munmap(m->host, m->reserved);
    else if (m->host != NULL) {
        munmap(m->host, m->general.bytes);
        munmap(cw_memory__at(m, CW_PM_BASE), m->persistent.bytes);
    }
    if (m->durable != NULL)
        munmap(m->durable, m->persistent.bytes);
    m->host = m->durable = NULL;
}

/* Both windows and the gap between them, which stays out of reach. */
static bool map_together(struct cw_memory *m)
{
    m->reserved = CW_PM_BASE - CW_GLOBAL_BASE + m->persistent.bytes;
    m->host = map(CW_GLOBAL_BASE, m->reserved, PROT_NONE, 0);
    return m->host != NULL && mprotect(m->host, m->general.bytes, PROT_READ | PROT_WRITE) == 0 &&
           mprotect(cw_memory__at(m, CW_PM_BASE), m->persistent.bytes, PROT_READ | PROT_WRITE) == 0;
}

/* Both windows without the gap, which counts where addresses are limited (ulimit -v). */
static bool map_apart(struct cw_memory *m)
{
    m->reserved = 0;
    for (uint64_t place = 0; place < APART_PLACES; place++) {
        const uint64_t at = CW_GLOBAL_BASE + place * APART_STEP;
        m->host = map(at, m->general.bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
        if (m->host != NULL && map(at + (CW_PM_BASE - CW_GLOBAL_BASE), m->persistent.bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE))
            return true;
        if (m->host != NULL)
            munmap(m->host, m->general.bytes);
        m->host = NULL;
    }
    return false;
}

/* The first memory of a process lies at its device addresses, where the host has nothing: then a pointer is one on both sides. */
static bool map_windows(struct cw_memory *m)
{
    bool ok;
    if (m->persistent.bytes == 0) {
        m->reserved = m->general.bytes;
        m->host = map(CW_GLOBAL_BASE, m->reserved, PROT_READ | PROT_WRITE, 0);
        ok = m->host != NULL;
    } else {
        ok = map_together(m);
        if (!ok) {
            unmap(m);
            ok = map_apart(m);
        }
        m->durable = ok ? map(0, m->persistent.bytes, PROT_READ | PROT_WRITE, 0) : NULL;
        ok = m->durable != NULL;
    }
    if (!ok)
        unmap(m);
    return ok;
}

/* Whether the host would still give what the rest of the simulator needs. */
static bool leaves_room(void)
{
    uint8_t *rest = map(0, ROOM_BYTES, PROT_NONE, 0);
    if (rest != NULL)
        munmap(rest, ROOM_BYTES);
    return rest != NULL;
}

/* What is asked, or where the host has less the largest part of it, of halves of the windows. */
static int map_what_there_is(struct cw_memory *m, struct cw_error *err)
{
    const uint64_t asked = m->general.bytes, pm_asked = m->persistent.bytes;
    if (map_windows(m))
        return CW_OK;
    for (;;) {
        uint64_t *larger = m->general.bytes >= m->persistent.bytes ? &m->general.bytes : &m->persistent.bytes;
        if (*larger / 2 < LEAST_BYTES)
            return cw_fail(err, CW_ENOMEM,
                           "device memory: the host cannot reserve %" PRIu64 " bytes, nor %" PRIu64 " (%s); raise its limit (ulimit -v)",
                           asked + 2 * pm_asked, m->general.bytes + 2 * m->persistent.bytes, strerror(errno));
        *larger = *larger / 2 / ALLOC_ALIGN * ALLOC_ALIGN;
        if (!map_windows(m))
            continue;
        if (leaves_room())
            return CW_OK;
        unmap(m);
    }
}

int cw_memory_create(struct cw_memory **out, uint64_t bytes, uint64_t pm_bytes, struct cw_error *err)
{
    const uint64_t most = CW_PM_BASE - CW_GLOBAL_BASE;
    *out = NULL;
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "device memory: size is 0 bytes; set mem.mbytes to at least 1");
    if (bytes > most || pm_bytes > most)
        return cw_fail(err, CW_EINVAL, "device memory: more than %" PRIu64 " bytes; set mem.mbytes or pm.mbytes lower", most);
    struct cw_memory *m = calloc(1, sizeof *m);
    if (m == NULL || reserve(m) != CW_OK) {
        cw_memory_destroy(m);
        return cw_fail(err, CW_ENOMEM, "device memory: out of host memory");
    }
    m->span[0] = (struct cw_memory_span){CW_GLOBAL_BASE, 0};
    m->general = (struct cw_memory_window){.name = "device memory", .key = "mem.mbytes", .base = CW_GLOBAL_BASE, .bytes = bytes};
    m->persistent = (struct cw_memory_window){.name = "persistent memory", .key = "pm.mbytes", .base = CW_PM_BASE, .bytes = pm_bytes};
    const int status = map_what_there_is(m, err);
    if (status != CW_OK) {
        cw_memory_destroy(m);
        return status;
    }
    *out = m;
    return CW_OK;
}

void cw_memory_set_redzone(struct cw_memory *m, uint64_t bytes)
{
    assert(m->region_cnt == 0);
    m->redzone = padded(bytes < CW_REDZONE_MAX ? bytes : CW_REDZONE_MAX);
}

void cw_memory_keep_freed(struct cw_memory *m)
{
    assert(m->redzone != 0); /* else what spans cover may be accessed */
    m->keeps_freed = true;
}

bool cw_memory_was_freed(const struct cw_memory *m, uint64_t addr, struct cw_region *freed)
{
    for (uint32_t i = m->freed_cnt; i-- > 0;)
        if (addr - m->freed[i].base < m->freed[i].bytes) {
            *freed = m->freed[i];
            return true;
        }
    return false;
}

uint64_t cw_memory_bytes(const struct cw_memory *m, bool persistent)
{
    return persistent ? m->persistent.bytes : m->general.bytes;
}

bool cw_memory_is_unified(const struct cw_memory *m)
{
    return (uintptr_t)m->host == CW_GLOBAL_BASE;
}

void cw_memory_destroy(struct cw_memory *m)
{
    if (m == NULL)
        return;
    unmap(m);
    free(m->region);
    free(m->span);
    free(m->range);
    free(m->freed);
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

bool cw_memory_holds(const struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    if (m->redzone == 0)
        return cw_memory_valid(m, addr, bytes);
    const uint32_t n = regions_up_to(m, addr);
    if (n == 0)
        return false;
    const struct cw_region *r = m->region + n - 1;
    return addr - r->base <= r->bytes && bytes <= r->bytes - (addr - r->base);
}

const struct cw_region *cw_memory_nearest(const struct cw_memory *m, uint64_t addr)
{
    const uint32_t n = regions_up_to(m, addr);
    const struct cw_region *below = n > 0 ? m->region + n - 1 : NULL, *above = n < m->region_cnt ? m->region + n : NULL;
    if (below == NULL || above == NULL)
        return below != NULL ? below : above;
    const uint64_t end = below->base + below->bytes;
    return addr < end || addr - end <= above->base - addr ? below : above;
}

/* Allocation */

static struct cw_memory_window *window_of(struct cw_memory *m, uint32_t kind)
{
    return kind == CW_REGION_PERSISTENT ? &m->persistent : &m->general;
}

/* Where the bytes fit into [begin, end); 0: nowhere. */
static uint64_t place(const struct cw_memory_window *window, uint64_t begin, uint64_t end, uint64_t bytes, uint64_t alignment, bool top)
{
    if (end - begin < bytes)
        return 0;
    const uint64_t wanted = (top ? end - bytes : begin) - window->base;
    const uint64_t addr = window->base + (top ? wanted : wanted + alignment - 1) / alignment * alignment;
    return addr >= begin && addr <= end && end - addr >= bytes ? addr : 0;
}

/* First fit, from the bottom or from the top of the window. Returns the number of spans below the place; m->span_cnt + 1 when nothing is
 * large enough. *largest: the largest gap that was seen. */
static uint32_t find_gap(const struct cw_memory *m, const struct cw_memory_window *window, uint64_t bytes, uint64_t alignment, bool top,
                         uint64_t *addr, uint64_t *largest)
{
    const uint64_t limit = window->base + window->bytes;
    *largest = 0;
    for (uint32_t k = 0; k <= m->span_cnt; k++) {
        const uint32_t i = top ? m->span_cnt - k : k;
        uint64_t begin = i > 0 ? m->span[i - 1].base + m->span[i - 1].bytes : 0;
        uint64_t end = i < m->span_cnt ? m->span[i].base : UINT64_MAX;
        begin = (begin > window->base ? begin : window->base) + m->redzone;
        end = (end < limit ? end : limit) - m->redzone;
        if (begin >= end) /* a gap of the other window, or one that red zones fill */
            continue;
        *addr = place(window, begin, end, bytes, alignment, top);
        if (*addr != 0)
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

/* The places of what was freed may be taken again. */
static void give_freed(struct cw_memory *m)
{
    for (uint32_t i = 0; i < m->freed_cnt; i++) {
        window_of(m, m->freed[i].kind)->used -= padded(m->freed[i].bytes);
        cut_from_spans(m, m->freed[i].base, padded(m->freed[i].bytes));
    }
    m->freed_cnt = 0;
}

/* at: number of spans below the place, which is free. */
static int take(struct cw_memory *m, uint32_t at, uint64_t place, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    if (reserve(m) != CW_OK)
        return cw_fail(err, CW_ENOMEM, "device memory: out of host memory");
    add_to_spans(m, at, place, padded(bytes));
    add_region(m, place, bytes, kind);
    window_of(m, kind)->used += padded(bytes);
    return CW_OK;
}

static int check_room(const struct cw_memory_window *w, uint64_t bytes, struct cw_error *err)
{
    const uint64_t left = w->bytes - w->used;
    if (bytes == 0)
        return cw_fail(err, CW_EINVAL, "%s: allocation of 0 bytes; ask for at least 1", w->name);
    if (bytes > left || padded(bytes) > left)
        return cw_fail(err, CW_ENOMEM, "%s: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " left; set %s higher", w->name, bytes, left,
                       w->bytes, w->key);
    return CW_OK;
}

static int find_place(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind, bool top,
                      struct cw_error *err)
{
    const struct cw_memory_window *w = window_of(m, kind);
    uint64_t at_addr = 0, largest;
    int status = check_room(w, bytes, err);
    if (status != CW_OK)
        return status;
    const uint32_t at = find_gap(m, w, padded(bytes), alignment, top, &at_addr, &largest);
    if (at > m->span_cnt)
        return cw_fail(err, CW_ENOMEM,
                       "%s: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " left, but not more than %" PRIu64
                       " in one piece; set %s higher",
                       w->name, bytes, w->bytes - w->used, w->bytes, largest, w->key);
    status = take(m, at, at_addr, bytes, kind, err);
    if (status == CW_OK)
        *addr = at_addr;
    return status;
}

static int allocate(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind, bool top, struct cw_error *err)
{
    const int status = find_place(m, addr, bytes, alignment, kind, top, err);
    if (status != CW_ENOMEM || m->freed_cnt == 0)
        return status;
    give_freed(m);
    return find_place(m, addr, bytes, alignment, kind, top, err);
}

int cw_memory_alloc(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    return allocate(m, addr, bytes, ALLOC_ALIGN, kind, false, err);
}

int cw_memory_alloc_top(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    return allocate(m, addr, bytes, ALLOC_ALIGN, kind, true, err);
}

int cw_memory_alloc_aligned(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind, struct cw_error *err)
{
    return allocate(m, addr, bytes, alignment, kind, false, err);
}

int cw_memory_alloc_top_aligned(struct cw_memory *m, uint64_t *addr, uint64_t bytes, uint64_t alignment, uint32_t kind,
                                struct cw_error *err)
{
    return allocate(m, addr, bytes, alignment, kind, true, err);
}

int cw_memory_alloc_at(struct cw_memory *m, uint64_t addr, uint64_t bytes, uint32_t kind, struct cw_error *err)
{
    const struct cw_memory_window *w = window_of(m, kind);
    uint32_t at = 0;
    int status = check_room(w, bytes, err);
    if (status != CW_OK)
        return status;
    while (at < m->span_cnt && m->span[at].base <= addr)
        at++;
    const uint64_t offset = addr - w->base; /* huge when addr is lower */
    const bool inside = addr % ALLOC_ALIGN == 0 && offset <= w->bytes && padded(bytes) <= w->bytes - offset;
    const bool after = at == 0 || m->span[at - 1].base + m->span[at - 1].bytes <= addr;
    if (!inside || !after || (at < m->span_cnt && m->span[at].base - addr < padded(bytes)))
        return cw_fail(err, CW_EINVAL, "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not free", w->name, bytes, addr);
    return take(m, at, addr, bytes, kind, err);
}

/* Freeing */

/* Large pieces go back to the host page by page; the next touch finds zeros. */
static void clear(uint8_t *first, uint64_t bytes)
{
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

/* The bytes of addresses, wherever they are. */
static void clear_places(struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    if (m->range_cnt == 0)
        clear(cw_memory__at(m, addr), bytes);
    for (uint64_t at = 0; m->range_cnt > 0 && at < bytes; at += ALLOC_ALIGN / 8)
        memset(cw_memory__at(m, cw_version_place(m, addr + at, m->newest)), 0, ALLOC_ALIGN / 8);
}

/* Whether the place stays taken; without memory for the list it does not. */
static bool keep_freed(struct cw_memory *m, const struct cw_region *r)
{
    struct cw_region *list =
        m->keeps_freed && r->kind != CW_REGION_PERSISTENT ? realloc(m->freed, (m->freed_cnt + 1) * sizeof *list) : NULL;
    if (list == NULL)
        return false;
    m->freed = list;
    list[m->freed_cnt++] = *r;
    return true;
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
    if (m->range_cnt > 0 && cw_version_find(m, addr) != UINT32_MAX)
        return cw_fail(err, CW_EINVAL, "device memory: free of 0x%" PRIx64 ": it has versions, and lives as long as the GPU", addr);
    const struct cw_region gone = *r;
    const uint64_t bytes = padded(r->bytes);
    const uint32_t at = (uint32_t)(r - m->region);
    memmove(m->region + at, m->region + at + 1, (m->region_cnt - at - 1) * sizeof *r);
    m->region_cnt--;
    if (!keep_freed(m, &gone)) {
        window_of(m, gone.kind)->used -= bytes;
        cut_from_spans(m, addr, bytes);
    }
    clear_places(m, addr, bytes);
    if (cw_memory_is_pm(addr))
        clear(durable_at(m, addr), bytes);
    return CW_OK;
}

/* Caches */

int cw_memory__cached(struct cw_memory *m, const struct cw_config *config, uint32_t partition, const struct cw_memory_cache *cache)
{
    if (m->cache == NULL)
        m->cache = calloc(config->partition_count, sizeof *m->cache);
    if (m->cache == NULL)
        return CW_ENOMEM;
    m->cache_config = config;
    m->cache[partition] = cache;
    m->cached = true;
    return CW_OK;
}

void cw_memory__forget(struct cw_memory *m, uint32_t partition, const struct cw_memory_cache *cache)
{
    bool any = false;
    if (m->cache == NULL || m->cache[partition] != cache)
        return;
    if (m->cached)
        cache->settle(cache->self);
    m->cache[partition] = NULL;
    for (uint32_t i = 0; i < m->cache_config->partition_count; i++)
        any |= m->cache[i] != NULL;
    if (any)
        return;
    free(m->cache);
    m->cache = NULL;
    m->cache_config = NULL;
    m->cached = false;
}

void cw_memory_reload(struct cw_memory *m)
{
    for (uint32_t i = 0; m->cache != NULL && i < m->cache_config->partition_count; i++)
        if (m->cache[i] != NULL)
            m->cache[i]->reload(m->cache[i]->self);
    m->cached = m->cache != NULL;
}

void cw_memory_settle(struct cw_memory *m)
{
    for (uint32_t i = 0; m->cached && i < m->cache_config->partition_count; i++)
        if (m->cache[i] != NULL)
            m->cache[i]->settle(m->cache[i]->self);
    m->cached = false;
}

static const struct cw_memory_cache *cache_of(const struct cw_memory *m, uint64_t place)
{
    return m->cached ? m->cache[cw_address_partition(m->cache_config, place)] : NULL;
}

static bool has_byte(const uint32_t *mask, uint64_t at)
{
    return (mask[at / 32] >> at % 32 & 1) != 0;
}

void cw_memory__get(const struct cw_memory *m, uint64_t place, void *to, uint64_t bytes)
{
    const struct cw_memory_cache *c = cache_of(m, place);
    const uint32_t *mask;
    const uint8_t *line = c != NULL ? c->line(c->self, place, &mask) : NULL;
    memcpy(to, cw_memory__at(m, place), bytes);
    if (line == NULL)
        return;
    const uint64_t first = place % m->cache_config->mem_line_bytes;
    for (uint64_t i = 0; i < bytes; i++)
        if (has_byte(mask, first + i))
            ((uint8_t *)to)[i] = line[first + i];
}

/* Of the bytes those of the mask. */
static void put_masked(struct cw_memory *m, uint64_t place, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
    const struct cw_memory_cache *c = cache_of(m, place);
    const uint32_t *has;
    uint8_t *line = c != NULL ? c->line(c->self, place, &has) : NULL;
    cw_memory__copy_masked(cw_memory__at(m, place), from, mask, bytes);
    if (line == NULL)
        return;
    const uint64_t first = place % m->cache_config->mem_line_bytes;
    for (uint64_t i = 0; i < bytes; i++)
        if (has_byte(mask, i) && has_byte(has, first + i))
            line[first + i] = from[i];
    c->changed(c->self, place);
}

void cw_memory__put(struct cw_memory *m, uint64_t place, const void *from, uint64_t bytes)
{
    uint32_t all[CW_LINE_BYTES_MAX / 32];
    memset(all, 0xff, sizeof all);
    put_masked(m, place, from, all, (uint32_t)bytes);
}

/* Bytes */

/* Bytes from addr on that lie in one line: those of a line have their places together, and one cache. */
static uint64_t in_line(const struct cw_memory *m, uint64_t addr, uint64_t bytes)
{
    const uint64_t line = (m->cached ? m->cache_config : m->range_config)->mem_line_bytes, left = line - addr % line;
    return bytes < left ? bytes : left;
}

void cw_memory_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes));
    if (m->range_cnt == 0 && !m->cached) {
        memcpy(to, cw_memory__at(m, addr), bytes);
        return;
    }
    for (uint64_t at = 0, piece; at < bytes; at += piece) {
        piece = in_line(m, addr + at, bytes - at);
        cw_memory__get(m, cw_version_place(m, addr + at, m->newest), (uint8_t *)to + at, piece);
    }
}

static void write_places(struct cw_memory *m, uint64_t addr, const uint8_t *from, uint64_t bytes)
{
    for (uint64_t at = 0, piece; at < bytes; at += piece) {
        piece = in_line(m, addr + at, bytes - at);
        cw_memory__put(m, cw_version_place(m, addr + at, m->newest), from + at, piece);
    }
}

void cw_memory_write(struct cw_memory *m, uint64_t addr, const void *from, uint64_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes));
    if (m->range_cnt == 0 && !m->cached)
        memcpy(cw_memory__at(m, addr), from, bytes);
    else
        write_places(m, addr, from, bytes);
    /* both windows in one write: where mem.mbytes is as large as it can be, they have no gap */
    const uint64_t before = cw_memory_is_pm(addr) || addr + bytes <= CW_PM_BASE ? 0 : CW_PM_BASE - addr;
    if (cw_memory_is_pm(addr + before))
        memcpy(durable_at(m, addr + before), (const uint8_t *)from + before, bytes - before);
}

void cw_memory__copy_masked(uint8_t *to, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
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

void cw_memory_write_masked(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
    assert(cw_memory_valid(m, addr, bytes) || m->range_cnt > 0); /* versions lie where nothing needs to be allocated */
    if (m->cached)
        put_masked(m, addr, from, mask, bytes);
    else
        cw_memory__copy_masked(cw_memory__at(m, addr), from, mask, bytes);
}

void cw_memory_persist(struct cw_memory *m, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
    assert(cw_memory_is_pm(addr) && cw_memory_valid(m, addr, bytes));
    if (m->persisted != NULL)
        m->persisted(m->listener, addr, from, mask, bytes);
    cw_memory__copy_masked(durable_at(m, addr), from, mask, bytes);
}

void cw_memory_durable_read(const struct cw_memory *m, uint64_t addr, void *to, uint64_t bytes)
{
    assert(cw_memory_is_pm(addr) && cw_memory_valid(m, addr, bytes));
    memcpy(to, durable_at(m, addr), bytes);
}

void cw_memory_listen(struct cw_memory *m, cw_memory_persisted *persisted, void *self)
{
    m->persisted = persisted;
    m->listener = self;
}
