/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of persistent memory. All numbers are little-endian:
 *
 *     8 bytes   "cowarpPM"
 *     u32       version, 1
 *     u32       regions
 *     u64       checksum of this head (with 0 here) and the table
 *     table     of each region: name (64 bytes, zeros behind it), address, bytes, checksum (u64 each)
 *     bytes     of the regions, one after the other
 *
 * A checksum covers eight bytes at a time, so that a gigabyte takes less than a second.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "pm.h"

#define MAGIC       "cowarpPM"
#define VERSION     1u
#define MAX_REGIONS 65536u
#define CHUNK       65536u /* bytes that are read or written at once */

struct head {
    char magic[8];
    uint32_t version, regions;
    uint64_t checksum;
};

struct row {
    char name[COWARP_PM_NAME_BYTES];
    uint64_t address, bytes, checksum;
};

_Static_assert(sizeof(struct head) == 24 && sizeof(struct row) == 88, "the layout of the file");

/* data: up to seven bytes behind the last whole word count as if zeros followed. */
static uint64_t checksum(uint64_t sum, const void *data, uint64_t bytes)
{
    const uint8_t *at = data;
    for (uint64_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static uint64_t head_checksum(struct head head, const struct row *row)
{
    head.checksum = 0;
    return checksum(checksum(1, &head, sizeof head), row, head.regions * sizeof *row);
}

/* ---- the lock ---- */

/* A file may have several names, each with a FILE.lock of its own. */
static int lock_content(struct cowarp_pm_lock *lock, const char *path, struct cw_error *err)
{
    lock->content = open(path, O_RDONLY | O_CLOEXEC);
    if (lock->content < 0 || flock(lock->content, LOCK_EX | LOCK_NB) == 0)
        return CW_OK; /* what cannot be read is told where it is read */
    cowarp__pm_unlock(lock);
    return cw_fail(err, CW_EIO, "%s: is in use by another run; wait for its end", path);
}

int cowarp__pm_lock(struct cowarp_pm_lock *lock, const char *path, struct cw_error *err)
{
    struct stat ours, theirs;
    *lock = (struct cowarp_pm_lock){.fd = -1, .content = -1};
    if (snprintf(lock->path, sizeof lock->path, "%s.lock", path) >= (int)sizeof lock->path) {
        lock->path[0] = '\0';
        return cw_fail(err, CW_EIO, "%.80s...: file name too long", path);
    }
    for (;;) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0) {
            lock->path[0] = '\0';
            return cw_fail(err, CW_EIO, "%s: cannot be locked: %s", path, strerror(errno));
        }
        if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
            close(lock->fd);
            lock->path[0] = '\0';
            return cw_fail(err, CW_EIO, "%s: is in use by another run; wait for its end", path);
        }
        /* the run before may have removed the file between our open and our lock */
        if (fstat(lock->fd, &ours) == 0 && stat(lock->path, &theirs) == 0 && ours.st_ino == theirs.st_ino)
            return lock_content(lock, path, err);
        close(lock->fd);
    }
}

void cowarp__pm_unlock(struct cowarp_pm_lock *lock)
{
    if (lock->path[0] == '\0')
        return;
    unlink(lock->path);
    close(lock->fd);
    if (lock->content >= 0)
        close(lock->content);
    lock->path[0] = '\0';
}

/* ---- reading ---- */

static bool is_zero(const uint8_t *data, uint64_t bytes)
{
    return data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

static int damaged(const char *path, const char *what, struct cw_error *err)
{
    return cw_fail(err, CW_EINVAL, "%s: %s; restore it from a copy, or remove it", path, what);
}

static int read_head(FILE *f, const char *path, struct head *head, struct row **row, struct cw_error *err)
{
    if (fread(head, 1, sizeof *head, f) != sizeof *head)
        return damaged(path, "is truncated, or no file of persistent memory", err);
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return damaged(path, "is no file of persistent memory", err);
    if (head->version != VERSION)
        return cw_fail(err, CW_EINVAL, "%s: is of version %" PRIu32 ", this cowarp knows version %u; use the cowarp that wrote it", path,
                       head->version, VERSION);
    if (head->regions > MAX_REGIONS)
        return damaged(path, "its table of regions is damaged", err);
    *row = calloc(head->regions + 1u, sizeof **row);
    if (*row == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    if (fread(*row, sizeof **row, head->regions, f) != head->regions)
        return damaged(path, "is truncated", err);
    if (head_checksum(*head, *row) != head->checksum)
        return damaged(path, "its table of regions is damaged", err);
    return CW_OK;
}

static int read_region(FILE *f, const char *path, const struct row *row, struct cw_memory *memory, struct cw_error *err)
{
    uint8_t data[CHUNK];
    uint64_t sum = 1;
    for (uint64_t at = 0; at < row->bytes; at += CHUNK) {
        const uint64_t bytes = row->bytes - at < CHUNK ? row->bytes - at : CHUNK;
        if (fread(data, 1, bytes, f) != bytes)
            return damaged(path, "is truncated", err);
        sum = checksum(sum, data, bytes);
        if (!is_zero(data, bytes)) /* what it is already */
            cw_memory_write(memory, row->address + at, data, bytes);
    }
    if (sum == row->checksum)
        return CW_OK;
    return cw_fail(err, CW_EINVAL, "%s: region '%s' is damaged; restore the file from a copy, or remove it", path, row->name);
}

int cowarp__pm_read(struct cowarp_pm_space *space, struct cw_memory *memory, const char *path, struct cw_error *err)
{
    struct head head;
    struct row *row = NULL;
    FILE *f = fopen(path, "rb");
    if (f == NULL && errno == ENOENT)
        return CW_OK;
    if (f == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    int status = read_head(f, path, &head, &row, err);
    for (uint32_t i = 0; status == CW_OK && i < head.regions; i++) {
        status = cowarp__pm_add(space, memory, row[i].name, row[i].bytes, row[i].address, NULL);
        if (status != CW_OK)
            status =
                cw_fail(err, CW_EINVAL, "%s: region '%s' of %" PRIu64 " bytes finds no room in persistent memory; set pm.mbytes higher",
                        path, row[i].name, row[i].bytes);
        else
            status = read_region(f, path, &row[i], memory, err);
    }
    if (status == CW_OK && fgetc(f) != EOF)
        status = damaged(path, "has bytes behind its last region", err);
    free(row);
    fclose(f);
    return status;
}

/* ---- writing ---- */

/* Tells `each` of the region's durable bytes, piece by piece. */
static void for_durable(const struct cowarp_pm_region *r, const struct cw_memory *memory,
                        void (*each)(void *self, const uint8_t *data, uint64_t bytes), void *self)
{
    uint8_t data[CHUNK];
    for (uint64_t at = 0; at < r->bytes; at += CHUNK) {
        const uint64_t bytes = r->bytes - at < CHUNK ? r->bytes - at : CHUNK;
        cw_memory_durable_read(memory, r->address + at, data, bytes);
        each(self, data, bytes);
    }
}

static void add_to_checksum(void *self, const uint8_t *data, uint64_t bytes)
{
    uint64_t *sum = self;
    *sum = checksum(*sum, data, bytes);
}

static void add_to_file(void *self, const uint8_t *data, uint64_t bytes)
{
    fwrite(data, 1, bytes, self);
}

int cowarp__pm_write(const struct cowarp_pm_space *space, const struct cw_memory *memory, const char *path, struct cw_error *err)
{
    struct head head = {.version = VERSION, .regions = space->cnt};
    struct row *row = calloc(space->cnt + 1u, sizeof *row);
    struct cw_out_file out;
    if (row == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    memcpy(head.magic, MAGIC, sizeof head.magic);
    for (uint32_t i = 0; i < space->cnt; i++) {
        const struct cowarp_pm_region *r = &space->region[i];
        row[i] = (struct row){.address = r->address, .bytes = r->bytes, .checksum = 1};
        memcpy(row[i].name, r->name, sizeof row[i].name);
        for_durable(r, memory, add_to_checksum, &row[i].checksum);
    }
    head.checksum = head_checksum(head, row);
    int status = cw_out_file_open(&out, path, err);
    if (status == CW_OK) {
        fwrite(&head, sizeof head, 1, out.file);
        fwrite(row, sizeof *row, space->cnt, out.file);
        for (uint32_t i = 0; i < space->cnt; i++)
            for_durable(&space->region[i], memory, add_to_file, out.file);
        status = cw_out_file_close(&out, err);
    }
    free(row);
    return status;
}
