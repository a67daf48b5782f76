/* SPDX-License-Identifier: Apache-2.0 */
/* The log of what has happened to the durable image: persists, and between them what the host has done. The image of a moment is made from
 * the log; the last one made is kept, so that points in ascending order cost one pass over the log in all. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "pm.h"

enum kind { PERSIST, ADD, REMOVE, WRITE };

struct entry {
    enum kind kind;
    uint64_t cycle, address, bytes;
    uint64_t data; /* where its bytes begin: of PERSIST, mask and data; of WRITE, data; of ADD and REMOVE, the name */
};

struct image {
    struct cowarp_pm_region region;
    uint8_t *data;
    struct image *next;
};

struct cowarp_pm_log {
    struct entry *entry;
    uint64_t cnt, capacity;
    uint64_t *persist; /* entry of each */
    uint64_t persist_cnt, persist_capacity;
    uint8_t *data;
    uint64_t used, data_capacity;
    bool full; /* there was no room for an entry */
    struct image *image;
    uint64_t done; /* entries that the image has */
};

int cowarp__pm_log_create(struct cowarp_pm_log **out, struct cw_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
}

static void drop_image(struct cowarp_pm_log *log)
{
    while (log->image != NULL) {
        struct image *i = log->image;
        log->image = i->next;
        free(i->data);
        free(i);
    }
    log->done = 0;
}

void cowarp__pm_log_destroy(struct cowarp_pm_log *log)
{
    if (log == NULL)
        return;
    drop_image(log);
    free(log->entry);
    free(log->persist);
    free(log->data);
    free(log);
}

/* ---- writing ---- */

/* Room for `more` elements behind cnt. */
static bool grow(void *array, uint64_t cnt, uint64_t more, uint64_t *capacity, size_t size)
{
    void *old, *larger;
    if (cnt + more <= *capacity)
        return true;
    memcpy(&old, array, sizeof old);
    uint64_t wanted = *capacity > 0 ? *capacity : 256;
    while (wanted < cnt + more)
        wanted *= 2;
    larger = realloc(old, wanted * size);
    if (larger == NULL)
        return false;
    memcpy(array, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}

/* An entry with two pieces of data. */
static void append(struct cowarp_pm_log *log, struct entry e, const void *first, uint64_t first_bytes, const void *second,
                   uint64_t second_bytes)
{
    if (log == NULL)
        return;
    const uint64_t bytes = (first_bytes + second_bytes + 7) / 8 * 8; /* masks are read in place */
    log->full = log->full || !grow(&log->entry, log->cnt, 1, &log->capacity, sizeof *log->entry) ||
                !grow(&log->persist, log->persist_cnt, 1, &log->persist_capacity, sizeof *log->persist) ||
                !grow(&log->data, log->used, bytes, &log->data_capacity, 1);
    if (log->full)
        return;
    e.data = log->used;
    memcpy(log->data + log->used, first, first_bytes);
    if (second_bytes > 0)
        memcpy(log->data + log->used + first_bytes, second, second_bytes);
    log->used += bytes;
    if (e.kind == PERSIST)
        log->persist[log->persist_cnt++] = log->cnt;
    log->entry[log->cnt++] = e;
}

static uint64_t mask_bytes(uint64_t bytes)
{
    return (bytes + 31) / 32 * 4;
}

void cowarp__pm_log_persist(struct cowarp_pm_log *log, uint64_t cycle, uint64_t address, const uint8_t *data, const uint32_t *mask,
                            uint32_t bytes)
{
    append(log, (struct entry){.kind = PERSIST, .cycle = cycle, .address = address, .bytes = bytes}, mask, mask_bytes(bytes), data, bytes);
}

void cowarp__pm_log_add(struct cowarp_pm_log *log, const struct cowarp_pm_region *r)
{
    append(log, (struct entry){.kind = ADD, .address = r->address, .bytes = r->bytes}, r->name, sizeof r->name, NULL, 0);
}

void cowarp__pm_log_remove(struct cowarp_pm_log *log, const struct cowarp_pm_region *r)
{
    append(log, (struct entry){.kind = REMOVE, .address = r->address}, r->name, sizeof r->name, NULL, 0);
}

void cowarp__pm_log_write(struct cowarp_pm_log *log, uint64_t address, const void *data, uint64_t bytes)
{
    append(log, (struct entry){.kind = WRITE, .address = address, .bytes = bytes}, data, bytes, NULL, 0);
}

/* ---- reading ---- */

uint64_t cowarp__pm_log_count(const struct cowarp_pm_log *log)
{
    return log->persist_cnt;
}

void cowarp__pm_log_at(const struct cowarp_pm_log *log, uint64_t i, struct cowarp_persist *p)
{
    const struct entry *e = &log->entry[log->persist[i]];
    *p = (struct cowarp_persist){.cycle = e->cycle,
                                 .address = e->address,
                                 .bytes = (uint32_t)e->bytes,
                                 .mask = (const uint32_t *)(const void *)(log->data + e->data),
                                 .data = log->data + e->data + mask_bytes(e->bytes)};
}

static struct image **find(struct cowarp_pm_log *log, uint64_t address)
{
    struct image **i = &log->image;
    while (*i != NULL && address - (*i)->region.address >= (*i)->region.bytes)
        i = &(*i)->next;
    return i;
}

/* Behind the others: regions stay in the order in which they were made. */
static int add_image(struct cowarp_pm_log *log, const struct entry *e)
{
    struct image **end = &log->image, *i = calloc(1, sizeof *i);
    if (i == NULL || (i->data = calloc(1, e->bytes)) == NULL) {
        free(i);
        return CW_ENOMEM;
    }
    i->region.address = e->address;
    i->region.bytes = e->bytes;
    memcpy(i->region.name, log->data + e->data, sizeof i->region.name);
    while (*end != NULL)
        end = &(*end)->next;
    *end = i;
    return CW_OK;
}

static void remove_image(struct cowarp_pm_log *log, const struct entry *e)
{
    struct image **at = find(log, e->address), *i = *at;
    if (i == NULL)
        return;
    *at = i->next;
    free(i->data);
    free(i);
}

/* Bytes b .. b + n - 1 of the entry, all of them in this region. */
static void write_region(const struct cowarp_pm_log *log, const struct entry *e, uint64_t b, uint64_t n, const struct image *i)
{
    const uint8_t *from = log->data + e->data;
    uint8_t *to = i->data + (e->address + b - i->region.address);
    if (e->kind == WRITE) {
        memcpy(to, from + b, n);
        return;
    }
    const uint8_t *data = from + mask_bytes(e->bytes);
    for (uint64_t k = b; k < b + n; k++)
        if (from[k / 8] >> k % 8 & 1) /* masks are little-endian words */
            to[k - b] = data[k];
}

/* Bytes of the entry that no region of the image has (the padding behind one) are lost, as in a file. */
static void write_image(struct cowarp_pm_log *log, const struct entry *e)
{
    for (uint64_t b = 0, n = 1; b < e->bytes; b += n, n = 1) {
        const struct image *i = *find(log, e->address + b);
        if (i == NULL)
            continue;
        const uint64_t left = e->bytes - b, room = i->region.address + i->region.bytes - (e->address + b);
        n = left < room ? left : room;
        write_region(log, e, b, n, i);
    }
}

static int apply(struct cowarp_pm_log *log, const struct entry *e)
{
    if (e->kind == ADD)
        return add_image(log, e);
    if (e->kind == REMOVE)
        remove_image(log, e);
    else
        write_image(log, e);
    return CW_OK;
}

/* Into memory, whose persistent bytes are all free. */
static int place(const struct image *i, struct cowarp_pm_space *space, struct cw_memory *memory, struct cw_error *err)
{
    int status = cowarp__pm_add(space, memory, i->region.name, i->region.bytes, i->region.address, err);
    if (status == CW_OK)
        cw_memory_write(memory, i->region.address, i->data, i->region.bytes);
    return status;
}

int cowarp__pm_log_image(struct cowarp_pm_log *log, uint64_t n, struct cowarp_pm_space *space, struct cw_memory *memory,
                         struct cw_error *err)
{
    const uint64_t end = n < log->persist_cnt ? log->persist[n] : log->cnt;
    int status = log->full ? CW_ENOMEM : CW_OK;
    if (log->done > end)
        drop_image(log);
    for (; status == CW_OK && log->done < end; log->done++)
        status = apply(log, &log->entry[log->done]);
    if (status != CW_OK)
        return cw_fail(err, status, "persistent memory: no room for the log of what has become durable");
    cowarp__pm_clear(space, memory);
    for (const struct image *i = log->image; status == CW_OK && i != NULL; i = i->next)
        status = place(i, space, memory, err);
    return status;
}
