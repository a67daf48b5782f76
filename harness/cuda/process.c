/* SPDX-License-Identifier: Apache-2.0 */
/* The process: its lock, what it says, the errors of its threads. */
#include "cuda/process.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

struct cw_cuda_process cw_cuda__process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int last_code; /* of this thread, as CUDA has it */

/* A thread may take it again. A recursive mutex of the host would know its thread by the process's number, and a debugger makes copies of the
 * process in which a thread goes on that has the lock. */
static _Atomic uintptr_t owner; /* 0: nobody */
static unsigned depth;          /* of the owner */

void cw_cuda__lock(void)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    if (owner != self) {
        pthread_mutex_lock(&cw_cuda__process.lock);
        owner = self;
    }
    depth++;
}

void cw_cuda__unlock(void)
{
    if (--depth > 0)
        return;
    owner = 0;
    pthread_mutex_unlock(&cw_cuda__process.lock);
}

int cw_cuda__leave(int code)
{
    cw_cuda__unlock();
    return code;
}

void cw_cuda__settle(void)
{
    void (*const settle)(void) = cw_cuda__process.settle;
    cw_cuda__process.settle = NULL; /* what it calls asks for the GPU, too */
    if (settle != NULL)
        settle();
}

int cw_cuda_note(int code)
{
    if (code != CW_CUDA_OK && code != CW_CUDA_NOT_READY)
        last_code = code;
    return code;
}

int cw_cuda_last(bool forget)
{
    const int sticky = cw_cuda__process.sticky, code = last_code;
    if (forget)
        last_code = CW_CUDA_OK;
    return sticky != CW_CUDA_OK ? sticky : code;
}

void cw_cuda__say(const char *fmt, ...)
{
    char line[9000]; /* more than the longest text of the library */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    snprintf(cw_cuda__process.said, sizeof cw_cuda__process.said, "%.999s", line);
    if (!cw_cuda__process.session.quiet)
        fprintf(stderr, "cowarp: %s\n", line);
}

const char *cw_cuda_said(void)
{
    return cw_cuda__process.said;
}

bool cw_cuda__is_first(const char *name)
{
    static const char *known[100];
    const uint32_t most = sizeof known / sizeof known[0];
    uint32_t i = 0;
    while (i < most && known[i] != NULL && strcmp(known[i], name) != 0)
        i++;
    if (i < most && known[i] != NULL)
        return false;
    if (i < most)
        known[i] = name;
    return true;
}

int cw_cuda_missing(const char *function)
{
    cw_cuda__lock();
    if (cw_cuda__is_first(function))
        fprintf(stderr, "cowarp: %s is not there; it answers cudaErrorNotSupported (docs/cuda.md has a list)\n", function);
    cw_cuda__unlock();
    return cw_cuda_note(CW_CUDA_NOT_SUPPORTED);
}
