/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "wave/fst_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rtl/rtl_place.h"

static void release(struct cw_fst_file *f)
{
    if (f->fst != NULL)
        fclose(f->fst);
    if (f->library != NULL)
        dlclose(f->library);
    free(f->path);
    *f = (struct cw_fst_file){0};
}

static bool is_vcd(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".vcd") == 0;
}

int cw_fst_file_check(const char *path, struct cw_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && (!S_ISREG(st.st_mode) || cw_out_file_is_stdout(path)))
        return cw_fail(err, CW_EIO, "%s: is a pipe or a device; a wave needs a file, give the name of one", path);
    return cw_out_file_check(path, err);
}

static int load_plugin(struct cw_fst_file *f, struct cw_error *err)
{
    const struct cw_wave_plugin *(*get)(void) = NULL;
    char path[CW_PATH_MAX];
    if (!cw_place(path, CW_PLACE_LOADED "/libcowarp_wave.so"))
        return cw_fail(err, CW_EIO, "%s: the waveform writer is not there; install cowarp again, or set COWARP_HOME", path);
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (f->library == NULL)
        return cw_fail(err, CW_EIO, "cannot load the waveform writer: %s; install cowarp again", dlerror());
    *(void **)&get = dlsym(f->library, "cw_wave_plugin_get");
    f->plugin = get != NULL ? get() : NULL;
    if (f->plugin == NULL || f->plugin->abi != CW_WAVE_ABI)
        return cw_fail(err, CW_EIO, "%s: is not this version's waveform writer; build again", path);
    return CW_OK;
}

/* A file without a name, beside the one that is to be. */
static int open_nameless(struct cw_fst_file *f, struct cw_error *err)
{
    char name[CW_OUT_PATH_MAX];
    const int length = snprintf(name, sizeof name, "%s.XXXXXX", f->path), fd = length < (int)sizeof name ? mkstemp(name) : -1;
    f->fst = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (fd >= 0)
        unlink(name);
    return f->fst != NULL ? CW_OK : cw_fail(err, CW_EIO, "%s: cannot be written: %s", f->path, strerror(errno));
}

static int open_writer(struct cw_fst_file *f, const struct cw_fst_content *c, struct cw_error *err)
{
    errno = 0;
    f->writer =
        f->plugin->open(fileno(f->fst != NULL ? f->fst : f->out.file), c->signal, c->signal_cnt, c->enums, c->enum_cnt, c->rtl, c->rtl_cnt);
    if (f->writer == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be written%s%s", f->path, errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return CW_OK;
}

int cw_fst_file_open(struct cw_fst_file *f, const char *path, const struct cw_fst_content *content, struct cw_error *err)
{
    *f = (struct cw_fst_file){.path = strdup(path)};
    int status = f->path != NULL ? cw_fst_file_check(path, err) : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = load_plugin(f, err);
    if (status == CW_OK)
        status = cw_out_file_open(&f->out, path, err);
    if (status == CW_OK && is_vcd(path) && (status = open_nameless(f, err)) != CW_OK)
        cw_out_file_discard(&f->out);
    if (status == CW_OK && (status = open_writer(f, content, err)) != CW_OK)
        cw_out_file_discard(&f->out);
    if (status != CW_OK)
        release(f);
    return status;
}

int cw_fst_file_names(const char *path, void (*each)(void *context, const char *name), void *context, struct cw_error *err)
{
    struct cw_fst_file f = {0};
    int status = load_plugin(&f, err);
    if (status == CW_OK && !f.plugin->names(path, each, context))
        status = cw_fail(err, CW_EIO, "%s: cannot be read as a trace", path);
    release(&f);
    return status;
}

void cw_fst_file_dump(struct cw_fst_file *f, uint64_t time_ps)
{
    if (f->failure == 0)
        f->failure = f->plugin->dump(f->writer, time_ps);
}

int cw_fst_file_close(struct cw_fst_file *f, struct cw_error *err)
{
    int status = CW_OK;
    const int at_end = f->plugin->close(f->writer), failure = f->failure != 0 ? f->failure : at_end;
    if (failure == 0 && f->fst != NULL && !f->plugin->vcd(fileno(f->fst), f->out.file)) {
        cw_out_file_discard(&f->out);
        status = cw_fail(err, CW_EIO, "%s: no VCD could be made of the trace; write FST", f->path);
    } else if (failure == 0) {
        status = cw_out_file_close(&f->out, err);
    } else {
        cw_out_file_discard(&f->out);
        status = cw_fail(err, CW_EIO, "%s: cannot be written: %s", f->path, strerror(failure));
    }
    release(f);
    return status;
}

void cw_fst_file_discard(struct cw_fst_file *f)
{
    f->plugin->close(f->writer);
    cw_out_file_discard(&f->out);
    release(f);
}
