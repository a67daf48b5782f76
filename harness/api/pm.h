/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent memory as a program sees it: its named regions, their file, and the log of what has become durable. Private to: harness/api.
 */
#ifndef CW_HARNESS_API_PM_H
#define CW_HARNESS_API_PM_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/cowarp.h"
#include "file/out_file.h"
#include "mem/device_memory.h"

#define COWARP_PM_NAME_BYTES 64u /* with its end */

struct cowarp_pm_region {
    char name[COWARP_PM_NAME_BYTES];
    uint64_t address, bytes;
};

/* The regions of a GPU, in the order in which they were made. */
struct cowarp_pm_space {
    struct cowarp_pm_region *region;
    uint32_t cnt, capacity;
};

/* NULL when there is none of that name. */
struct cowarp_pm_region *cowarp__pm_region(const struct cowarp_pm_space *space, const char *name);
/* Makes a region of zeros; at: its address, 0: where there is room. */
int cowarp__pm_add(struct cowarp_pm_space *space, struct cw_memory *memory, const char *name, uint64_t bytes, uint64_t at,
                   struct cw_error *err);
void cowarp__pm_remove(struct cowarp_pm_space *space, struct cw_memory *memory, struct cowarp_pm_region *r);
/* Removes all. */
void cowarp__pm_clear(struct cowarp_pm_space *space, struct cw_memory *memory);

/* A file that is in use: beside it lies FILE.lock, which goes with its process. */
struct cowarp_pm_lock {
    char path[CW_OUT_PATH_MAX + 8]; /* "": nothing is locked */
    int fd, content;                /* of FILE.lock; of the file as it was opened, or -1: it was not there */
};

int cowarp__pm_lock(struct cowarp_pm_lock *lock, const char *path, struct cw_error *err);
void cowarp__pm_unlock(struct cowarp_pm_lock *lock);
/* Fills the empty space from the file; one that is not there is an empty one. The file stays as it is. On failure some regions may have
 * been made. */
int cowarp__pm_read(struct cowarp_pm_space *space, struct cw_memory *memory, const char *path, struct cw_error *err);
/* The durable image of all regions. */
int cowarp__pm_write(const struct cowarp_pm_space *space, const struct cw_memory *memory, const char *path, struct cw_error *err);

/* What cowarp_pm_graph hands out. */
struct cowarp_pm_graph_copy;
/* *copy is replaced; NULL at first. */
int cowarp__pm_graph(struct cowarp_gpu *gpu, struct cowarp_pm_graph_copy **copy, enum cowarp_pm_change change, uint32_t line,
                     struct cowarp_pm_graph *graph);
void cowarp__pm_graph_destroy(struct cowarp_pm_graph_copy *c);

/* What has happened to the durable image, from which each earlier one can be made again. */
struct cowarp_pm_log;

int cowarp__pm_log_create(struct cowarp_pm_log **out, struct cw_error *err);
void cowarp__pm_log_destroy(struct cowarp_pm_log *log);
void cowarp__pm_log_persist(struct cowarp_pm_log *log, uint64_t cycle, uint64_t address, const uint8_t *data, const uint32_t *mask,
                            uint32_t bytes);
/* What the host has done. */
void cowarp__pm_log_add(struct cowarp_pm_log *log, const struct cowarp_pm_region *r);
void cowarp__pm_log_remove(struct cowarp_pm_log *log, const struct cowarp_pm_region *r);
void cowarp__pm_log_write(struct cowarp_pm_log *log, uint64_t address, const void *data, uint64_t bytes);
/* Persists so far. */
uint64_t cowarp__pm_log_count(const struct cowarp_pm_log *log);
/* Persist i; its pointers are valid until the log grows. */
void cowarp__pm_log_at(const struct cowarp_pm_log *log, uint64_t i, struct cowarp_persist *p);
/* Makes the image that was durable just before persist n. CW_ENOMEM: also when the log itself did not find room. */
int cowarp__pm_log_image(struct cowarp_pm_log *log, uint64_t n, struct cowarp_pm_space *space, struct cw_memory *memory,
                         struct cw_error *err);

#endif
