/* SPDX-License-Identifier: Apache-2.0 */
/* cuFFT: plans, and transforms by the host's FFTW. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hostlib/library.h"

enum {
    CUFFT_OK = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8
};

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };

#define RANK_MOST  3
#define PLANS_MOST 4096
#define ESTIMATE   64u /* FFTW_ESTIMATE: no trial runs */

/* One side of a plan; embed[0] 0: no layout was given, so transforms are dense and behind each other. */
struct layout {
    int embed[RANK_MOST], stride, distance;
};

struct plan {
    bool used, made;
    int type, rank, n[RANK_MOST], batch;
    struct layout in, out;
    struct cw_cuda_stream *stream;
};

static struct plan plans[PLANS_MOST]; /* a cufftHandle is an index */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_double(int type)
{
    return type >= Z2Z;
}

static struct plan *plan_of(int handle)
{
    return handle >= 1 && handle < PLANS_MOST && plans[handle].used ? plans + handle : NULL;
}

/* Making plans */

int cufftCreate(int *handle)
{
    if (cw_cuda_library("cuFFT", NULL) != CW_CUDA_OK)
        return CUFFT_SETUP_FAILED;
    pthread_mutex_lock(&lock);
    int i = 1;
    while (i < PLANS_MOST && plans[i].used)
        i++;
    if (i < PLANS_MOST)
        plans[i] = (struct plan){.used = true};
    pthread_mutex_unlock(&lock);
    *handle = i;
    return i < PLANS_MOST ? CUFFT_OK : CUFFT_ALLOC_FAILED;
}

int cufftDestroy(int handle)
{
    struct plan *p = plan_of(handle);
    if (p == NULL)
        return CUFFT_INVALID_PLAN;
    p->used = false;
    return CUFFT_OK;
}

int cufftMakePlanMany(int handle, int rank, const int *n, const int *in_embed, int in_stride, int in_distance, const int *out_embed,
                      int out_stride, int out_distance, int type, int batch, size_t *work)
{
    struct plan *p = plan_of(handle);
    if (p == NULL)
        return CUFFT_INVALID_PLAN;
    if (type != C2C && type != R2C && type != C2R && type != Z2Z && type != D2Z && type != Z2D)
        return CUFFT_INVALID_TYPE;
    if (rank < 1 || rank > RANK_MOST)
        return CUFFT_INVALID_VALUE;
    for (int i = 0; i < rank; i++)
        if (n[i] < 1 || batch < 1)
            return CUFFT_INVALID_SIZE;
    p->type = type;
    p->rank = rank;
    p->batch = batch;
    p->in = (struct layout){.stride = in_stride, .distance = in_distance};
    p->out = (struct layout){.stride = out_stride, .distance = out_distance};
    memcpy(p->n, n, (size_t)rank * sizeof *n);
    if (in_embed != NULL && out_embed != NULL) {
        memcpy(p->in.embed, in_embed, (size_t)rank * sizeof *n);
        memcpy(p->out.embed, out_embed, (size_t)rank * sizeof *n);
    }
    p->made = true;
    if (work != NULL)
        *work = 0;
    return CUFFT_OK;
}

int cufftMakePlan1d(int handle, int n, int type, int batch, size_t *work)
{
    return cufftMakePlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, batch, work);
}

int cufftMakePlan2d(int handle, int n0, int n1, int type, size_t *work)
{
    const int n[] = {n0, n1};
    return cufftMakePlanMany(handle, 2, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

int cufftMakePlan3d(int handle, int n0, int n1, int n2, int type, size_t *work)
{
    const int n[] = {n0, n1, n2};
    return cufftMakePlanMany(handle, 3, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

/* Types of the numbers on both sides, as CUDA names them, in the place of a transform's; -1: there is no such transform. */
static int type_of(int in, int out)
{
    enum { R32 = 0, R64 = 1, C32 = 4, C64 = 5 };
    static const int table[][3] = {{C32, C32, C2C}, {R32, C32, R2C}, {C32, R32, C2R}, {C64, C64, Z2Z}, {R64, C64, D2Z}, {C64, R64, Z2D}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i][0] == in && table[i][1] == out)
            return table[i][2];
    return -1;
}

static bool narrow(int *to, const long long *from, int cnt)
{
    bool fits = true;
    for (int i = 0; i < cnt; i++) {
        fits = fits && from[i] >= 0 && from[i] <= INT_MAX;
        to[i] = fits ? (int)from[i] : 0;
    }
    return fits;
}

int cufftXtMakePlanMany(int handle, int rank, const long long *n, const long long *in_embed, long long in_stride, long long in_distance,
                        int in_type, const long long *out_embed, long long out_stride, long long out_distance, int out_type,
                        long long batch, size_t *work, int execution)
{
    int size[RANK_MOST], in[RANK_MOST], out[RANK_MOST], rest[5];
    const long long all[5] = {in_stride, in_distance, out_stride, out_distance, batch};
    const bool given = in_embed != NULL && out_embed != NULL;
    (void)execution; /* As exact as the numbers are. */
    if (rank < 1 || rank > RANK_MOST)
        return CUFFT_INVALID_VALUE;
    if (!narrow(size, n, rank) || !narrow(rest, all, 5) || (given && (!narrow(in, in_embed, rank) || !narrow(out, out_embed, rank))))
        return CUFFT_INVALID_SIZE;
    return cufftMakePlanMany(handle, rank, size, given ? in : NULL, rest[0], rest[1], given ? out : NULL, rest[2], rest[3],
                             type_of(in_type, out_type), rest[4], work);
}

int cufftPlanMany(int *handle, int rank, const int *n, const int *in_embed, int in_stride, int in_distance, const int *out_embed,
                  int out_stride, int out_distance, int type, int batch)
{
    int status = cufftCreate(handle);
    if (status != CUFFT_OK)
        return status;
    status = cufftMakePlanMany(*handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type, batch, NULL);
    if (status != CUFFT_OK)
        cufftDestroy(*handle);
    return status;
}

int cufftPlan1d(int *handle, int n, int type, int batch)
{
    return cufftPlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, batch);
}

int cufftPlan2d(int *handle, int n0, int n1, int type)
{
    const int n[] = {n0, n1};
    return cufftPlanMany(handle, 2, n, NULL, 1, 0, NULL, 1, 0, type, 1);
}

int cufftPlan3d(int *handle, int n0, int n1, int n2, int type)
{
    const int n[] = {n0, n1, n2};
    return cufftPlanMany(handle, 3, n, NULL, 1, 0, NULL, 1, 0, type, 1);
}

int cufftSetStream(int handle, struct cw_cuda_stream *stream)
{
    struct plan *p = plan_of(handle);
    if (p == NULL)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_OK;
}

int cufftSetAutoAllocation(int handle, int automatic)
{
    (void)automatic;
    return plan_of(handle) != NULL ? CUFFT_OK : CUFFT_INVALID_PLAN;
}

int cufftSetWorkArea(int handle, const void *area)
{
    (void)area;
    return plan_of(handle) != NULL ? CUFFT_OK : CUFFT_INVALID_PLAN;
}

int cufftGetSize(int handle, size_t *work)
{
    *work = 0; /* FFTW has its own */
    return plan_of(handle) != NULL ? CUFFT_OK : CUFFT_INVALID_PLAN;
}

int cufftEstimate1d(int n, int type, int batch, size_t *work)
{
    (void)n, (void)type, (void)batch;
    *work = 0;
    return CUFFT_OK;
}

int cufftGetVersion(int *version)
{
    *version = 12000;
    return CUFFT_OK;
}

/* Transforms */

/* Elements of the last dimension on one side: of the half of a real transform's numbers that is kept, or all. */
static int last(const struct plan *p, bool halved)
{
    return halved ? p->n[p->rank - 1] / 2 + 1 : p->n[p->rank - 1];
}

/* A dense layout as numbers. `padded`: real numbers in the place of the complex ones that they become, in rows of whole complex numbers. */
static void densify(const struct plan *p, struct layout *l, bool halved, bool padded)
{
    const int row = padded ? 2 * (p->n[p->rank - 1] / 2 + 1) : last(p, halved);
    if (l->embed[p->rank - 1] != 0)
        return;
    l->stride = 1;
    l->distance = row;
    for (int i = 0; i < p->rank; i++) {
        l->embed[i] = i == p->rank - 1 ? row : p->n[i];
        l->distance *= i == p->rank - 1 ? 1 : p->n[i];
    }
}

/* Elements from the first to the last one of all transforms. */
static size_t span(const struct plan *p, const struct layout *l, bool halved)
{
    size_t row = 0;
    for (int i = 0; i < p->rank; i++)
        row = row * (size_t)l->embed[i] + (size_t)(i == p->rank - 1 ? last(p, halved) : p->n[i]) - 1;
    return row * (size_t)l->stride + (size_t)(p->batch - 1) * (size_t)l->distance + 1;
}

static void *fftw(const struct plan *p, const char *name)
{
    char whole[64] = "fftw";
    strcat(strcat(whole, is_double(p->type) ? "_" : "f_"), name);
    return is_double(p->type) ? cw_library_function("libfftw3.so.3", "libfftw3-double3", whole)
                              : cw_library_function("libfftw3f.so.3", "libfftw3-single3", whole);
}

typedef void *plan_complex(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, int, unsigned);
typedef void *plan_real(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, unsigned);
typedef void act(void *);

/* From and to copies on the host, which may be one. */
static int transform(const struct plan *p, void *in, void *out, int direction)
{
    const bool complex = p->type == C2C || p->type == Z2Z, forward = p->type == R2C || p->type == D2Z;
    void *const maker = fftw(p, complex ? "plan_many_dft" : forward ? "plan_many_dft_r2c" : "plan_many_dft_c2r");
    act *const execute = (act *)(uintptr_t)fftw(p, "execute"), *const destroy = (act *)(uintptr_t)fftw(p, "destroy_plan");
    void *made;
    if (maker == NULL || execute == NULL || destroy == NULL)
        return CUFFT_SETUP_FAILED;
    pthread_mutex_lock(&lock); /* FFTW's planner is not for two threads at once */
    if (complex)
        made = ((plan_complex *)(uintptr_t)maker)(p->rank, p->n, p->batch, in, p->in.embed, p->in.stride, p->in.distance, out, p->out.embed,
                                                  p->out.stride, p->out.distance, direction, ESTIMATE);
    else
        made = ((plan_real *)(uintptr_t)maker)(p->rank, p->n, p->batch, in, p->in.embed, p->in.stride, p->in.distance, out, p->out.embed,
                                               p->out.stride, p->out.distance, ESTIMATE);
    pthread_mutex_unlock(&lock);
    if (made == NULL)
        return CUFFT_EXEC_FAILED;
    execute(made);
    pthread_mutex_lock(&lock);
    destroy(made);
    pthread_mutex_unlock(&lock);
    return CUFFT_OK;
}

static int execute(int handle, int type, void *in, void *out, int direction)
{
    const struct plan *made = plan_of(handle);
    if (made == NULL || !made->made)
        return CUFFT_INVALID_PLAN;
    if (made->type != type)
        return CUFFT_INVALID_TYPE;
    if (in == NULL || out == NULL || (direction != 1 && direction != -1))
        return CUFFT_INVALID_VALUE;
    if (cw_cuda_library("cuFFT", made->stream) != CW_CUDA_OK)
        return CUFFT_EXEC_FAILED;
    struct plan p = *made;
    const bool in_place = in == out, to_complex = type == R2C || type == D2Z, to_real = type == C2R || type == Z2D;
    densify(&p, &p.in, to_real, in_place && to_complex);
    densify(&p, &p.out, to_complex, in_place && to_real);
    const size_t real = is_double(type) ? 8 : 4;
    const size_t in_bytes = span(&p, &p.in, to_real) * (to_complex ? 1 : 2) * real;
    const size_t out_bytes = span(&p, &p.out, to_complex) * (to_real ? 1 : 2) * real;
    /* What lies between the numbers of a result stays as it is, so the place is read, too. */
    struct cw_operand o[] = {{in, in_place && out_bytes > in_bytes ? out_bytes : in_bytes, in_place, 0},
                             {out, in_place ? 0 : out_bytes, true, 0}};
    int code = cw_operands_get(o, 2);
    if (code != CW_CUDA_OK)
        return code == CW_CUDA_NO_MEMORY ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
    const int status = transform(&p, o[0].host, in_place ? o[0].host : o[1].host, direction);
    o[0].written &= status == CUFFT_OK;
    o[1].written &= status == CUFFT_OK;
    code = cw_operands_put(o, 2);
    return status != CUFFT_OK ? status : code == CW_CUDA_OK ? CUFFT_OK : CUFFT_EXEC_FAILED;
}

int cufftExecC2C(int handle, void *in, void *out, int direction)
{
    return execute(handle, C2C, in, out, direction);
}

int cufftExecZ2Z(int handle, void *in, void *out, int direction)
{
    return execute(handle, Z2Z, in, out, direction);
}

int cufftExecR2C(int handle, void *in, void *out)
{
    return execute(handle, R2C, in, out, -1);
}

int cufftExecD2Z(int handle, void *in, void *out)
{
    return execute(handle, D2Z, in, out, -1);
}

int cufftExecC2R(int handle, void *in, void *out)
{
    return execute(handle, C2R, in, out, 1);
}

int cufftExecZ2D(int handle, void *in, void *out)
{
    return execute(handle, Z2D, in, out, 1);
}

int cufftXtExec(int handle, void *in, void *out, int direction)
{
    const struct plan *p = plan_of(handle);
    if (p == NULL || !p->made)
        return CUFFT_INVALID_PLAN;
    const bool to_complex = p->type == R2C || p->type == D2Z, to_real = p->type == C2R || p->type == Z2D;
    return execute(handle, p->type, in, out, to_complex ? -1 : to_real ? 1 : direction);
}
