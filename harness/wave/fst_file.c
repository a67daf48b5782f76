/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/fst_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release(struct cw_fst_file *f)
{
    if (f->library != NULL)
        dlclose(f->library);
    free(f->path);
    free(f->temporary);
    *f = (struct cw_fst_file){0};
}

static int load_plugin(struct cw_fst_file *f, const char *path, struct cw_error *err)
{
    const struct cw_wave_plugin *(*get)(void) = NULL;
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (f->library == NULL)
        return cw_fail(err, CW_EIO, "cannot load the waveform writer: %s; build again", dlerror());
    *(void **)&get = dlsym(f->library, "cw_wave_plugin_get");
    f->plugin = get != NULL ? get() : NULL;
    if (f->plugin == NULL || f->plugin->abi != CW_WAVE_ABI)
        return cw_fail(err, CW_EIO, "%s: is not this version's waveform writer; build again", path);
    return CW_OK;
}

static int open_writer(struct cw_fst_file *f, const struct cw_fst_content *c, struct cw_error *err)
{
    errno = 0;
    f->writer = f->plugin->open(f->temporary, c->signal, c->signal_cnt, c->enums, c->enum_cnt, c->rtl, c->rtl_cnt);
    if (f->writer == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be written%s%s", f->path, errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return CW_OK;
}

int cw_fst_file_open(struct cw_fst_file *f, const char *path, const char *plugin, const struct cw_fst_content *content,
                     struct cw_error *err)
{
    *f = (struct cw_fst_file){.path = strdup(path)};
    int status = CW_OK;
    if (f->path == NULL || asprintf(&f->temporary, "%s.tmp%ld", path, (long)getpid()) < 0) {
        f->temporary = NULL;
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    }
    if (status == CW_OK)
        status = load_plugin(f, plugin, err);
    if (status == CW_OK)
        status = open_writer(f, content, err);
    if (status != CW_OK)
        release(f);
    return status;
}

void cw_fst_file_dump(struct cw_fst_file *f, uint64_t time_ps)
{
    f->plugin->dump(f->writer, time_ps);
}

int cw_fst_file_close(struct cw_fst_file *f, struct cw_error *err)
{
    int status = CW_OK;
    f->plugin->close(f->writer);
    if (rename(f->temporary, f->path) != 0)
        status = cw_fail(err, CW_EIO, "%s: cannot rename %s to it: %s", f->path, f->temporary, strerror(errno));
    release(f);
    return status;
}

void cw_fst_file_discard(struct cw_fst_file *f)
{
    f->plugin->close(f->writer);
    unlink(f->temporary);
    release(f);
}
