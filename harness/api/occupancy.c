/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: how many blocks the launches held in a core. Equal ones are one entry: a program may launch thousands. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/json.h"

#define ENTRIES_MAX 1000u

struct cowarp_occupancies {
    struct cowarp_occupancy *entry; /* their kernels' names are ours */
    uint32_t cnt, cap;
    uint64_t left_out; /* launches that would have been further entries */
};

static bool equal(const struct cowarp_occupancy *a, const struct cowarp_occupancy *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && a->grid_blocks == b->grid_blocks && a->threads == b->threads &&
           a->registers == b->registers && strcmp(a->registers_from, b->registers_from) == 0 && a->live_registers == b->live_registers &&
           a->block_shared_bytes == b->block_shared_bytes;
}

/* Room for one more entry; false: out of memory. */
static bool grow(struct cowarp_occupancies *all)
{
    if (all->cnt < all->cap)
        return true;
    const uint32_t cap = all->cap != 0 ? 2 * all->cap : 8;
    struct cowarp_occupancy *larger = realloc(all->entry, cap * sizeof *larger);
    if (larger == NULL)
        return false;
    all->entry = larger;
    all->cap = cap;
    return true;
}

int cowarp__occupancy_note(struct cowarp_gpu *gpu, const struct cowarp_occupancy *occupancy)
{
    if (gpu->occupancies == NULL && (gpu->occupancies = calloc(1, sizeof *gpu->occupancies)) == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    struct cowarp_occupancies *all = gpu->occupancies;
    for (uint32_t i = all->cnt; i-- > 0;) /* a program's loop launches the same again and again */
        if (equal(&all->entry[i], occupancy)) {
            all->entry[i].launches++;
            return CW_OK;
        }
    if (all->cnt == ENTRIES_MAX) {
        all->left_out++;
        return CW_OK;
    }
    char *kernel = strdup(occupancy->kernel);
    if (kernel == NULL || !grow(all)) {
        free(kernel);
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    }
    struct cowarp_occupancy *o = &all->entry[all->cnt++];
    *o = *occupancy;
    o->kernel = kernel;
    o->launches = 1;
    return CW_OK;
}

int cowarp_occupancy_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_occupancy *occupancy)
{
    if (gpu->occupancies == NULL || i >= gpu->occupancies->cnt)
        return 0;
    *occupancy = gpu->occupancies->entry[i];
    return 1;
}

/* "a, b" as a list of strings. */
static void put_words(FILE *f, const char *words)
{
    fputs("[", f);
    for (const char *comma = ""; *words != '\0'; comma = ", ") {
        const size_t length = strcspn(words, ",");
        fprintf(f, "%s\"%.*s\"", comma, (int)length, words);
        words += length;
        words += strspn(words, ", ");
    }
    fputs("]", f);
}

static void put_room(FILE *f, const char *name, uint32_t blocks)
{
    if (blocks == UINT32_MAX)
        fprintf(f, ", \"%s\": null", name);
    else
        fprintf(f, ", \"%s\": %" PRIu32, name, blocks);
}

static void put(FILE *f, const struct cowarp_occupancy *o)
{
    fputs("{\"kernel\": ", f);
    cw_json_string(f, o->kernel);
    fprintf(f,
            ", \"grid_blocks\": %" PRIu64 ", \"threads\": %" PRIu32 ", \"warps\": %" PRIu32 ", \"registers\": %" PRIu32
            ", \"registers_from\": \"%s\", \"live_registers\": %" PRIu32 ", \"block_registers\": %" PRIu32
            ", \"block_shared_bytes\": %" PRIu32 ", \"blocks_per_core\": %" PRIu32 ", \"warps_per_core\": %" PRIu32,
            o->grid_blocks, o->threads, o->warps, o->registers, o->registers_from, o->live_registers, o->block_registers,
            o->block_shared_bytes, o->blocks_per_core, o->warps_per_core);
    put_room(f, "by_registers", o->by_registers);
    put_room(f, "by_shared", o->by_shared);
    put_room(f, "by_warps", o->by_warps);
    put_room(f, "by_blocks", o->by_blocks);
    put_room(f, "by_grid", o->by_grid);
    fputs(", \"limit\": ", f);
    put_words(f, o->limit);
    fprintf(f, ", \"launches\": %" PRIu64 "}", o->launches);
}

void cowarp__occupancy_write(const struct cowarp_gpu *gpu, FILE *f)
{
    const struct cowarp_occupancies *all = gpu->occupancies;
    fputs("  \"occupancy\": [", f);
    for (uint32_t i = 0; all != NULL && i < all->cnt; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", f);
        put(f, &all->entry[i]);
    }
    fprintf(f, "%s],\n  \"occupancy_left_out\": %" PRIu64 ",\n", all != NULL ? "\n  " : "", all != NULL ? all->left_out : 0);
}

void cowarp__occupancy_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_occupancies *all = gpu->occupancies;
    for (uint32_t i = 0; all != NULL && i < all->cnt; i++)
        free((void *)(uintptr_t)all->entry[i].kernel);
    if (all != NULL)
        free(all->entry);
    free(all);
}
