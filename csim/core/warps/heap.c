/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel does wrong with blocks of malloc. Pieces lie one behind the other and are never joined, so whoever walks over their headers
 * from the first one on finds the piece of an address, or the first header that something has overwritten. */
#include "core/warps/heap.h"

#include <stdio.h>

#include "ir/heap.h"

struct piece {
    uint64_t at, bytes; /* its header's address; with the header */
    struct cw_heap_header header;
    bool is_whole; /* the header is one */
};

static bool read_piece(const struct cw_memory *memory, uint64_t at, struct piece *p)
{
    *p = (struct piece){.at = at};
    cw_memory_read(memory, at, &p->header, sizeof p->header);
    const uint32_t used = p->header.state - CW_HEAP_USED, freed = p->header.state - CW_HEAP_FREED;
    const uint32_t class = used < CW_HEAP_CLASSES ? used : freed;
    p->is_whole = class >= 5 && class < CW_HEAP_CLASSES;
    p->bytes = p->is_whole ? UINT64_C(1) << class : 0;
    return p->is_whole;
}

static bool is_used(const struct piece *p)
{
    return p->is_whole && p->header.state - CW_HEAP_USED < CW_HEAP_CLASSES;
}

/* The piece that the address is in, or the first one on the way whose header is not whole, and the one in front of it (at 0: there is none).
 * false: the address is in no piece. */
static bool walk(const struct cw_memory *memory, uint64_t heap, uint64_t addr, struct piece *found, struct piece *front)
{
    uint64_t head[2], at = heap + CW_HEAP_HEAD;
    cw_memory_read(memory, heap, head, sizeof head);
    const uint64_t end = heap + (head[0] < head[1] ? head[0] : head[1]);
    *front = (struct piece){.at = 0};
    if (addr < at || addr >= end)
        return false;
    for (; at < end && read_piece(memory, at, found) && addr - at >= found->bytes; at += found->bytes)
        *front = *found;
    return at < end;
}

/* The piece whose header stands at `at` cannot be freed: nobody has given it, it is free, or something has overwritten what stands there. */
static void why_not(const struct cw_memory *memory, uint64_t heap, uint64_t at, uint32_t state, char text[300])
{
    struct piece p = {.at = 0}, front;
    const uint32_t freed = state - CW_HEAP_FREED;
    const bool inside = walk(memory, heap, at, &p, &front);
    if (freed < CW_HEAP_CLASSES)
        snprintf(text, 300, "freed before; the block had %llu bytes", p.at == at ? p.header.asked : 0);
    else if (inside && p.is_whole && p.at != at)
        snprintf(text, 300, "which malloc has not given: it lies %llu bytes behind the beginning of a block of %llu bytes",
                 (unsigned long long)(at - p.at), p.header.asked);
    else if (inside && front.at != 0)
        snprintf(
            text, 300,
            "whose header is overwritten: a write beyond a block of malloc, that of %llu bytes at 0x%llx; --check memory finds who writes",
            front.header.asked, (unsigned long long)front.at + CW_HEAP_HEADER);
    else if (inside)
        snprintf(text, 300, "whose header is overwritten: a write in front of it");
    else
        snprintf(text, 300, "which malloc has not given: it lies outside of the heap");
}

void cw_heap_why_not_free(const struct cw_memory *memory, uint64_t heap, uint64_t address, uint32_t state, char text[300])
{
    why_not(memory, heap, address - CW_HEAP_HEADER, state, text);
}

bool cw_heap_in_block(const struct cw_memory *memory, uint64_t addr, uint32_t bytes, char text[300])
{
    const struct cw_region *heap = cw_memory_region(memory, addr);
    struct piece p, front;
    if (heap == NULL || heap->kind != CW_REGION_HEAP)
        return true;
    if (!walk(memory, heap->base, addr, &p, &front)) {
        snprintf(text, 300, "in no block of malloc, but in the heap's own memory");
        return false;
    }
    const uint64_t begin = p.at + CW_HEAP_HEADER;
    if (addr >= begin && (!is_used(&p) || addr + bytes <= begin + p.header.asked))
        return true;
    if (addr < begin && is_used(&front))
        p = front;
    const uint64_t end = p.at + CW_HEAP_HEADER + p.header.asked;
    if (addr < p.at + CW_HEAP_HEADER)
        snprintf(text, 300, "%llu bytes in front of a block of malloc, of %llu bytes at 0x%llx", (unsigned long long)(begin - addr),
                 p.header.asked, (unsigned long long)begin);
    else
        snprintf(text, 300, "%llu bytes beyond a block of malloc, of %llu bytes at 0x%llx", (unsigned long long)(addr + bytes - end),
                 p.header.asked, (unsigned long long)p.at + CW_HEAP_HEADER);
    return false;
}
