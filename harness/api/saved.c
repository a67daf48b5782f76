/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that is saved in a file, and goes on from there. The program of the host runs again from its beginning when it is loaded: its
 * allocations, its modules and its arguments are made anew. Launches before the saved one are passed over, and what the host reads of device
 * memory comes from the file, as it was read then. The file is one state (csim/base/state.h): who has saved, what the host had read, the chip.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/state.h"
#include "file/in_file.h"
#include "file/out_file.h"
#include "provenance.h"

static const char magic[] = "cowarp saved run 1\n";

struct cowarp_saved {
    const char *save_file, *load_file; /* owned; NULL: not asked for */
    uint64_t save_cycle;
    bool is_saved, is_loaded;
    uint64_t launch; /* that was saved, in the middle */
    /* what the host has read before, piece by piece */
    unsigned char *read;
    uint64_t read_bytes, read_cap, read_at;
    char *file; /* loaded: the bytes of the file */
    struct cw_state loaded;
};

int cowarp__saved_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (options->save_file == NULL && options->load_file == NULL)
        return CW_OK;
    struct cowarp_saved *v = gpu->saved = calloc(1, sizeof *v);
    if (v == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    v->save_file = options->save_file != NULL ? strdup(options->save_file) : NULL;
    v->load_file = options->load_file != NULL ? strdup(options->load_file) : NULL;
    v->save_cycle = options->save_cycle;
    if ((options->save_file != NULL && v->save_file == NULL) || (options->load_file != NULL && v->load_file == NULL))
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    return v->save_file != NULL ? cw_out_file_check(v->save_file, &gpu->err) : CW_OK;
}

void cowarp__saved_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_saved *v = gpu->saved;
    if (v == NULL)
        return;
    cw_state_end(&v->loaded);
    free((char *)(uintptr_t)v->save_file);
    free((char *)(uintptr_t)v->load_file);
    free(v->read);
    free(v->file);
    free(v);
    gpu->saved = NULL;
}

/* ---- who has saved ---- */

/* A text of this run, which has to be that of the one that was saved. */
static void same_text(struct cw_state *s, const char *what, const char *text)
{
    char saved[128] = "";
    snprintf(saved, sizeof saved, "%s", text);
    cw_state_array(s, what, saved, sizeof saved, 1);
    saved[sizeof saved - 1] = '\0';
    if (cw_state_loads(s) && s->status == CW_OK && strncmp(saved, text, sizeof saved - 1) != 0)
        cw_state_fail(s, CW_EINVAL, "its %s is %s, and that of this run %s", what, saved, text);
}

static void same_config(struct cw_state *s, const struct cowarp_gpu *gpu)
{
    for (uint32_t i = 0; i < cw_config_count() && s->status == CW_OK; i++) {
        struct cw_config_info info;
        cw_config_info(&gpu->config, i, &info);
        uint32_t value = info.value;
        CW_STATE(s, value);
        if (value != info.value)
            cw_state_fail(s, CW_EINVAL, "%s was %u when it was saved, and is %u", info.name, value, info.value);
    }
}

static void header_state(struct cw_state *s, const struct cowarp_gpu *gpu)
{
    uint64_t seed = gpu->seed;
    cw_state_group(s, "run", 0);
    same_text(s, "simulator", cowarp__provenance.sources);
    same_text(s, "transactional system", gpu->system != NULL ? gpu->system->name : "none");
    same_text(s, "persistency model", gpu->persistency->name);
    same_text(s, "control policy", gpu->control->name);
    same_config(s, gpu);
    for (uint32_t i = 0; i < gpu->choice_cnt && s->status == CW_OK; i++)
        same_text(s, gpu->unit[i].unit, cowarp__backend_name(gpu->unit[i].backend));
    CW_STATE(s, seed);
    if (seed != gpu->seed)
        cw_state_fail(s, CW_EINVAL, "its seed is %llu, and that of this run %llu", (unsigned long long)seed, (unsigned long long)gpu->seed);
}

static void host_state(struct cw_state *s, struct cowarp_gpu *gpu)
{
    struct cowarp_saved *v = gpu->saved;
    uint64_t launch = gpu->launches - 1, bytes = v->read_bytes;
    cw_state_group(s, "host", 0);
    CW_STATE(s, launch);
    CW_STATE(s, bytes);
    if (cw_state_loads(s)) {
        v->launch = launch;
        v->read_bytes = bytes <= s->bytes - s->at ? bytes : 0;
        if (v->read_bytes != bytes)
            cw_state_fail(s, CW_EINVAL, "the file ends here");
        v->read = malloc(v->read_bytes + 1);
    }
    if (cw_state_loads(s) && v->read == NULL)
        cw_state_fail(s, CW_ENOMEM, "out of memory");
    else
        cw_state_array(s, "read", v->read, v->read_bytes, 1);
}

/* ---- saving ---- */

int cowarp__saved_write(void *context, const struct cw_state *chip, struct cw_error *err)
{
    struct cowarp_gpu *gpu = context;
    struct cw_state head;
    struct cw_out_file out;
    cw_state_save_begin(&head, err);
    header_state(&head, gpu);
    host_state(&head, gpu);
    int status = head.status;
    if (status == CW_OK)
        status = cw_out_file_open(&out, gpu->saved->save_file, err);
    if (status == CW_OK) {
        fwrite(magic, 1, sizeof magic - 1, out.file);
        fwrite(head.stream, 1, head.bytes, out.file);
        fwrite(chip->stream, 1, chip->bytes, out.file);
        status = cw_out_file_close(&out, err);
    }
    cw_state_end(&head);
    gpu->saved->is_saved = status == CW_OK;
    return status;
}

uint64_t cowarp__saved_cycle(const struct cowarp_gpu *gpu)
{
    return gpu->saved != NULL ? gpu->saved->save_cycle : 0;
}

bool cowarp__saves(const struct cowarp_gpu *gpu)
{
    return gpu->saved != NULL && gpu->saved->save_file != NULL;
}

int cowarp__saved_close(struct cowarp_gpu *gpu)
{
    const struct cowarp_saved *v = gpu->saved;
    if (v == NULL || gpu->failed) /* which has been told */
        return CW_OK;
    if (v->save_file != NULL && !v->is_saved)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: not saved: no launch was running in core cycle %llu or later", v->save_file,
                       (unsigned long long)v->save_cycle);
    if (v->load_file != NULL && !v->is_loaded)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: launch %llu was saved, and the program has ended before it", v->load_file,
                       (unsigned long long)v->launch);
    return CW_OK;
}

/* ---- loading ---- */

int cowarp__saved_open(struct cowarp_gpu *gpu)
{
    struct cowarp_saved *v = gpu->saved;
    size_t length;
    if (v == NULL || v->load_file == NULL)
        return CW_OK;
    int status = cw_in_file_read(&v->file, &length, v->load_file, &gpu->err);
    if (status != CW_OK)
        return status;
    if (length < sizeof magic - 1 || memcmp(v->file, magic, sizeof magic - 1) != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: not a saved run of this version", v->load_file);
    cw_state_load_begin(&v->loaded, v->file + sizeof magic - 1, length - (sizeof magic - 1), &gpu->err);
    header_state(&v->loaded, gpu);
    host_state(&v->loaded, gpu);
    return v->loaded.status;
}

void cowarp__saved_launch(struct cowarp_gpu *gpu, struct cw_gpu_request *request)
{
    struct cowarp_saved *v = gpu->saved;
    if (v == NULL || v->load_file == NULL || v->is_loaded)
        return;
    v->is_loaded = gpu->launches - 1 == v->launch;
    request->saved = v->is_loaded ? &v->loaded : NULL;
    request->passed = !v->is_loaded;
}

/* ---- what the host reads ---- */

int cowarp__saved_read(struct cowarp_gpu *gpu, void *data, uint64_t bytes)
{
    struct cowarp_saved *v = gpu->saved;
    if (v == NULL)
        return CW_OK;
    if (v->load_file != NULL && !v->is_loaded) {
        if (bytes > v->read_bytes - v->read_at)
            return cw_fail(&gpu->err, CW_EINVAL, "%s: the program reads more before launch %llu than it did when it was saved",
                           v->load_file, (unsigned long long)v->launch);
        memcpy(data, v->read + v->read_at, bytes);
        v->read_at += bytes;
        return CW_OK;
    }
    if (v->save_file == NULL || v->is_saved)
        return CW_OK;
    if (v->read_cap - v->read_bytes < bytes) {
        const uint64_t cap = 2 * v->read_cap + bytes;
        unsigned char *more = realloc(v->read, cap);
        if (more == NULL)
            return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
        v->read = more;
        v->read_cap = cap;
    }
    memcpy(v->read + v->read_bytes, data, bytes);
    v->read_bytes += bytes;
    return CW_OK;
}
