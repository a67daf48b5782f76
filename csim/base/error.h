/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and the one-line error text that every fallible call leaves behind. */
#ifndef CW_BASE_ERROR_H
#define CW_BASE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success. The values are stable: they are part of the public interface. */
enum cw_status {
    CW_OK = 0,
    CW_EINVAL = -1,    /* the request is wrong: a bad argument, name, value or file content */
    CW_ENOMEM = -2,    /* out of memory (host, or the simulated device) */
    CW_EIO = -3,       /* a file could not be read or written */
    CW_EUNSUP = -4,    /* well-formed, but not supported (say what and where) */
    CW_EDEADLOCK = -5, /* the simulated machine makes no progress */
    CW_EFAULT = -6,    /* the simulated kernel did something illegal: bad address, trap */
    CW_ELIMIT = -7,    /* a limit was reached: cycles, log size */
    CW_EMISMATCH = -8, /* lockstep: C model and RTL differ */
    CW_ECHECK = -9     /* an oracle or a result check failed */
};

/* Text of the last error, one line, no trailing newline. Owned by whoever owns the context (a GPU, a parser call). */
struct cw_error {
    char text[8192]; /* room for a path and the names of two kernels; compilers make names of thousands of letters */
};

/* Stores a printf-style message and returns status, so that callers write: return cw_fail(err, CW_EINVAL, "..."); err may be NULL. */
int cw_fail(struct cw_error *err, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int cw_vfail(struct cw_error *err, int status, const char *fmt, va_list ap);

/* The entry of names (n of them) most like word (edit distance), or NULL when nothing is near: for "did you mean". */
const char *cw_nearest(const char *word, const char *const *names, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
