/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuRAND's host interface: the generators XORWOW (cuRAND's default) and Philox 4x32-10, in the order of CURAND_ORDERING_PSEUDO_LEGACY,
 * which is also the default order. The words are cuRAND's own: tests/cuda/libraries.c has some that NVIDIA's library has made.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hostlib/library.h"
#include "hostlib/xorwow.h"

enum {
    CURAND_OK = 0,
    CURAND_NOT_INITIALIZED = 101,
    CURAND_ALLOCATION_FAILED = 102,
    CURAND_TYPE_ERROR = 103,
    CURAND_OUT_OF_RANGE = 104,
    CURAND_LENGTH_NOT_MULTIPLE = 105,
    CURAND_LAUNCH_FAILURE = 201,
    CURAND_INITIALIZATION_FAILED = 203
};

enum { TYPE_DEFAULT = 100, TYPE_XORWOW = 101, TYPE_PHILOX = 161 };

struct curand_generator {
    int type;
    bool on_host; /* numbers go to host memory */
    uint64_t seed, offset;
    uint64_t position; /* of the next draw */
    bool seeded;       /* `sequence` is that of the seed and the position */
    struct cw_cuda_stream *stream;
    struct cw_xorwow *sequence; /* [CW_XORWOW_SEQUENCES]; of XORWOW */
};

/* Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): the four words of one counter. */
static void philox(uint32_t c[4], uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = UINT64_C(0xD2511F53) * c[0], p1 = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ k1, (uint32_t)p0};
        memcpy(c, next, sizeof next);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* Word number `at`: 65,536 threads have four words each in their turn. */
static uint32_t philox_word(uint64_t seed, uint64_t at)
{
    const uint64_t block = at / 4, turn = block / 65536;
    uint32_t c[4] = {(uint32_t)turn, (uint32_t)(turn >> 32), (uint32_t)(block % 65536), 0};
    philox(c, seed);
    return c[at % 4];
}

/* XORWOW's position counts draws: each takes the next of the 4,096 sequences, and as many of its words as it needs. */
static void seed_sequences(struct curand_generator *g)
{
    cw_xorwow_seed(g->sequence, g->seed);
    for (uint32_t i = 0; i < CW_XORWOW_SEQUENCES; i++) {
        const uint64_t skip = g->position / CW_XORWOW_SEQUENCES + (i < g->position % CW_XORWOW_SEQUENCES);
        for (uint64_t k = 0; k < skip; k++)
            cw_xorwow_next(g->sequence + i);
    }
}

static void draw(struct curand_generator *g, uint32_t *word, unsigned cnt)
{
    if (g->type == TYPE_PHILOX) {
        for (unsigned i = 0; i < cnt; i++)
            word[i] = philox_word(g->seed, g->position++);
        return;
    }
    struct cw_xorwow *s = g->sequence + g->position++ % CW_XORWOW_SEQUENCES;
    for (unsigned i = 0; i < cnt; i++)
        word[i] = cw_xorwow_next(s);
}

/* Numbers of words: above 0, up to 1. */

static float uniform(uint32_t x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}

static double uniform_double(uint32_t low, uint32_t high)
{
    return (double)(low ^ (uint64_t)high << 21) * 0x1p-53 + 0x1p-54;
}

/* Two normal numbers (Box and Muller). */
static void normal_pair(const uint32_t w[2], float n[2])
{
    const float step = 0x1p-32f * 6.2831855f, angle = (float)w[1] * step + step / 2, radius = sqrtf(-2 * logf(uniform(w[0])));
    n[0] = radius * sinf(angle);
    n[1] = radius * cosf(angle);
}

static void normal_pair_double(const uint32_t w[4], double n[2])
{
    const double angle = 6.283185307179586 * uniform_double(w[2], w[3]), radius = sqrt(-2 * log(uniform_double(w[0], w[1])));
    n[0] = radius * sin(angle);
    n[1] = radius * cos(angle);
}

/* Where numbers are made before they go where they are wanted; NULL: *status says why. */
static void *begin(struct curand_generator *g, void *out, size_t n, size_t element, int *status)
{
    *status = CURAND_OK;
    if (g == NULL) {
        *status = CURAND_NOT_INITIALIZED;
        return NULL;
    }
    if (cw_cuda_library("cuRAND", g->stream) != CW_CUDA_OK) {
        *status = CURAND_LAUNCH_FAILURE;
        return NULL;
    }
    if (!g->seeded && g->type == TYPE_XORWOW)
        seed_sequences(g);
    g->seeded = true;
    void *made = g->on_host ? out : malloc(n * element + 1);
    if (made == NULL)
        *status = CURAND_ALLOCATION_FAILED;
    return made;
}

static int end(const struct curand_generator *g, void *out, void *made, size_t bytes)
{
    if (g->on_host)
        return CURAND_OK;
    const int code = bytes > 0 ? cw_cuda_copy(out, made, bytes, 1) : CW_CUDA_OK;
    free(made);
    return code == CW_CUDA_OK ? CURAND_OK : CURAND_LAUNCH_FAILURE;
}

/* Generators */

/* A number of cuRAND's that has no generator here is told its name. */
static int refuse(int type)
{
    static const struct {
        int type;
        const char *name;
    } known[] = {{121, "cuRAND's generator MRG32K3A"}, {141, "cuRAND's generator MTGP32"},
                 {142, "cuRAND's generator MT19937"},  {200, "cuRAND's generator SOBOL32"},
                 {201, "cuRAND's generator SOBOL32"},  {202, "cuRAND's generator SCRAMBLED_SOBOL32"},
                 {203, "cuRAND's generator SOBOL64"},  {204, "cuRAND's generator SCRAMBLED_SOBOL64"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].type == type)
            cw_cuda_missing(known[i].name);
    return CURAND_TYPE_ERROR;
}

static int create(struct curand_generator **generator, int type, bool on_host)
{
    type = type == TYPE_DEFAULT ? TYPE_XORWOW : type;
    if (type != TYPE_XORWOW && type != TYPE_PHILOX)
        return refuse(type);
    if (cw_cuda_library("cuRAND", NULL) != CW_CUDA_OK)
        return CURAND_INITIALIZATION_FAILED;
    struct curand_generator *g = calloc(1, sizeof *g);
    if (g != NULL && type == TYPE_XORWOW)
        g->sequence = malloc(CW_XORWOW_SEQUENCES * sizeof *g->sequence);
    if (g == NULL || (type == TYPE_XORWOW && g->sequence == NULL)) {
        free(g);
        return CURAND_ALLOCATION_FAILED;
    }
    g->type = type;
    g->on_host = on_host;
    *generator = g;
    return CURAND_OK;
}

int curandCreateGenerator(struct curand_generator **g, int type)
{
    return create(g, type, false);
}

int curandCreateGeneratorHost(struct curand_generator **g, int type)
{
    return create(g, type, true);
}

int curandDestroyGenerator(struct curand_generator *g)
{
    if (g == NULL)
        return CURAND_NOT_INITIALIZED;
    free(g->sequence);
    free(g);
    return CURAND_OK;
}

int curandGetVersion(int *version)
{
    *version = 10400;
    return CURAND_OK;
}

int curandSetStream(struct curand_generator *g, struct cw_cuda_stream *stream)
{
    if (g == NULL)
        return CURAND_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_OK;
}

/* The numbers begin again at the offset. */
static int restart(struct curand_generator *g, uint64_t seed, uint64_t offset)
{
    g->seed = seed;
    g->offset = g->position = offset;
    g->seeded = false;
    return CURAND_OK;
}

int curandSetPseudoRandomGeneratorSeed(struct curand_generator *g, unsigned long long seed)
{
    return g != NULL ? restart(g, seed, g->offset) : CURAND_NOT_INITIALIZED;
}

int curandSetGeneratorOffset(struct curand_generator *g, unsigned long long offset)
{
    return g != NULL ? restart(g, g->seed, offset) : CURAND_NOT_INITIALIZED;
}

/* 100 best, 101 default, 103 legacy: one order. 102, a seed for each thread, is none of a card's sequences that a program can count on. */
int curandSetGeneratorOrdering(struct curand_generator *g, int order)
{
    if (g == NULL)
        return CURAND_NOT_INITIALIZED;
    return order == 100 || order == 101 || order == 103 ? CURAND_OK : CURAND_OUT_OF_RANGE;
}

int curandGenerateSeeds(struct curand_generator *g)
{
    return g != NULL ? CURAND_OK : CURAND_NOT_INITIALIZED; /* they are made when numbers are asked for */
}

/* Numbers */

int curandGenerate(struct curand_generator *g, uint32_t *out, size_t n)
{
    int status;
    uint32_t *made = begin(g, out, n, sizeof *out, &status);
    if (status != CURAND_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        draw(g, made + i, 1);
    return end(g, out, made, n * sizeof *out);
}

int curandGenerateUniform(struct curand_generator *g, float *out, size_t n)
{
    int status;
    float *made = begin(g, out, n, sizeof *out, &status);
    if (status != CURAND_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        draw(g, &word, 1);
        made[i] = uniform(word);
    }
    return end(g, out, made, n * sizeof *out);
}

int curandGenerateUniformDouble(struct curand_generator *g, double *out, size_t n)
{
    int status;
    double *made = begin(g, out, n, sizeof *out, &status);
    if (status != CURAND_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        uint32_t word[2];
        draw(g, word, 2);
        made[i] = uniform_double(word[0], word[1]);
    }
    return end(g, out, made, n * sizeof *out);
}

/* Normal numbers come in pairs, of so many words; with `logarithmic` they are the logarithms of what is made. */
#define GENERATE_NORMAL(name, T, words, pair, exponential)                                               \
    static int name(struct curand_generator *g, T *out, size_t n, T mean, T deviation, bool logarithmic) \
    {                                                                                                    \
        int status;                                                                                      \
        if (n % 2 != 0)                                                                                  \
            return CURAND_LENGTH_NOT_MULTIPLE;                                                           \
        T *made = begin(g, out, n, sizeof *out, &status);                                                \
        if (status != CURAND_OK)                                                                         \
            return status;                                                                               \
        for (size_t i = 0; i < n; i++) {                                                                 \
            uint32_t word[words];                                                                        \
            if (i % 2 == 0) {                                                                            \
                draw(g, word, words);                                                                    \
                pair(word, made + i);                                                                    \
            }                                                                                            \
            made[i] = made[i] * deviation + mean;                                                        \
            made[i] = logarithmic ? exponential(made[i]) : made[i];                                      \
        }                                                                                                \
        return end(g, out, made, n * sizeof *out);                                                       \
    }
GENERATE_NORMAL(generate_normal, float, 2, normal_pair, expf)
GENERATE_NORMAL(generate_normal_double, double, 4, normal_pair_double, exp)

int curandGenerateNormal(struct curand_generator *g, float *out, size_t n, float mean, float deviation)
{
    return generate_normal(g, out, n, mean, deviation, false);
}

int curandGenerateNormalDouble(struct curand_generator *g, double *out, size_t n, double mean, double deviation)
{
    return generate_normal_double(g, out, n, mean, deviation, false);
}

int curandGenerateLogNormal(struct curand_generator *g, float *out, size_t n, float mean, float deviation)
{
    return generate_normal(g, out, n, mean, deviation, true);
}

int curandGenerateLogNormalDouble(struct curand_generator *g, double *out, size_t n, double mean, double deviation)
{
    return generate_normal_double(g, out, n, mean, deviation, true);
}
