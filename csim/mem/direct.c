/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/direct.h"

#include <pthread.h>
#include <string.h>

#include "mem/device_memory_private.h"

/* Copies of constant size, unlike memcpy(p, q, bytes). */
static uint64_t load(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    switch (bytes) {
    case 1:
        return *p;
    case 2:
        memcpy(&v, p, 2);
        return v;
    case 4:
        memcpy(&v, p, 4);
        return v;
    default:
        memcpy(&v, p, 8);
        return v;
    }
}

static void store(uint8_t *p, uint32_t bytes, uint64_t v)
{
    switch (bytes) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2:
        memcpy(p, &v, 2);
        break;
    case 4:
        memcpy(p, &v, 4);
        break;
    default:
        memcpy(p, &v, 8);
        break;
    }
}

static bool anything_persistent(const uint64_t addr[CW_LANES], uint32_t lanes)
{
    bool any = false;
    for (; lanes != 0; lanes &= lanes - 1)
        any |= cw_memory_is_pm(addr[__builtin_ctz(lanes)]);
    return any;
}

/* Versions and durable images are kept as for the host's reads and writes. */
static void load_as_host(const struct cw_memory *m, const uint64_t *addr, uint64_t offset, uint32_t lanes, uint32_t bytes, uint64_t *value)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint8_t raw[8] = {0};
        cw_memory_read(m, addr[lane] + offset, raw, bytes);
        value[lane] = load(raw, bytes);
    }
}

static void store_as_host(struct cw_memory *m, const uint64_t *addr, uint64_t offset, uint32_t lanes, uint32_t bytes, const uint64_t *value)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint8_t raw[8];
        store(raw, bytes, value[lane]);
        cw_memory_write(m, addr[lane] + offset, raw, bytes);
    }
}

void cw_memory_load_lanes(const struct cw_memory *m, const uint64_t addr[CW_LANES], uint64_t offset, uint32_t lanes, uint32_t bytes,
                          uint64_t value[CW_LANES])
{
    if (m->range_cnt > 0) {
        load_as_host(m, addr, offset, lanes, bytes, value);
        return;
    }
    const uint8_t *const host = m->host + offset;
    if (lanes == UINT32_MAX && bytes == 4) { /* most loads */
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            value[lane] = load(host + (addr[lane] - CW_GLOBAL_BASE), 4);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        value[lane] = load(host + (addr[lane] - CW_GLOBAL_BASE), bytes);
    }
}

void cw_memory_store_lanes(struct cw_memory *m, const uint64_t addr[CW_LANES], uint64_t offset, uint32_t lanes, uint32_t bytes,
                           const uint64_t value[CW_LANES])
{
    if (m->range_cnt > 0 || (m->durable != NULL && anything_persistent(addr, lanes))) {
        store_as_host(m, addr, offset, lanes, bytes, value);
        return;
    }
    uint8_t *const host = m->host + offset;
    if (lanes == UINT32_MAX && bytes == 4) {
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            store(host + (addr[lane] - CW_GLOBAL_BASE), 4, value[lane]);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        store(host + (addr[lane] - CW_GLOBAL_BASE), bytes, value[lane]);
    }
}

/* Its durable image is another word. */
static bool exchange_persistent(struct cw_memory *m, uint64_t addr, uint32_t bytes, uint64_t *old, uint64_t next)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    uint8_t raw[8] = {0};
    pthread_mutex_lock(&one);
    cw_memory_read(m, addr, raw, bytes);
    const uint64_t was = load(raw, bytes);
    store(raw, bytes, next);
    if (was == *old)
        cw_memory_write(m, addr, raw, bytes);
    pthread_mutex_unlock(&one);
    const bool done = was == *old;
    *old = was;
    return done;
}

bool cw_memory_exchange(struct cw_memory *m, uint64_t addr, uint32_t bytes, uint64_t *old, uint64_t next)
{
    uint8_t *const at = m->host + (addr - CW_GLOBAL_BASE);
    if (m->durable != NULL && cw_memory_is_pm(addr))
        return exchange_persistent(m, addr, bytes, old, next);
    if (bytes == 8)
        return __atomic_compare_exchange_n((uint64_t *)(void *)at, old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    uint32_t word = (uint32_t)*old;
    const bool done = __atomic_compare_exchange_n((uint32_t *)(void *)at, &word, (uint32_t)next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    *old = word;
    return done;
}

bool cw_memory_direct(const struct cw_memory *m, uint64_t *offset)
{
    *offset = (uintptr_t)m->host - CW_GLOBAL_BASE;
    return m->range_cnt == 0;
}
