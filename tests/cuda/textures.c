/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, textures and surfaces: the calls, with the answers of CUDA's manual, and the instructions as they stand in a text (textures.ptx). What
 * filters and address modes give is in nvcc/textures.cu. */
#include "program.h"

struct channel {
    int bits[4], kind;
};
struct extent {
    size_t width, height, depth;
};
struct resource {
    int kind;
    union {
        void *array;
        struct {
            void *memory;
            struct channel channel;
            size_t width, height, pitch;
        } memory;
        int reserved[14];
    };
    unsigned flags;
};
struct sampling {
    int address[3], linear, to_float, srgb;
    float border[4];
    int normalized, more[8];
};
struct reference {
    int normalized, linear, address[3];
    struct channel channel;
    int more[24];
};

extern void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
extern void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);
extern struct channel cudaCreateChannelDesc(int, int, int, int, int);
extern int cudaMallocArray(void **, const struct channel *, size_t, size_t, unsigned), cudaFreeArray(void *);
extern int cudaMalloc3DArray(void **, const struct channel *, struct extent, unsigned), cudaGetChannelDesc(struct channel *, const void *);
extern int cudaArrayGetInfo(struct channel *, struct extent *, unsigned *, const void *);
extern int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpy2DToArrayAsync(void *, size_t, size_t, const void *, size_t, size_t, size_t, int, void *);
extern int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
extern int cudaMemcpy2DFromArrayAsync(void *, size_t, const void *, size_t, size_t, size_t, size_t, int, void *);
extern int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
extern int cudaMemcpyToArrayAsync(void *, size_t, size_t, const void *, size_t, int, void *);
extern int cudaMemcpyFromArray(void *, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpyFromArrayAsync(void *, const void *, size_t, size_t, size_t, int, void *);
extern int cudaMemcpy2DArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, size_t, int);
extern int cudaCreateTextureObject(uint64_t *, const struct resource *, const struct sampling *, const void *);
extern int cudaDestroyTextureObject(uint64_t), cudaGetTextureObjectResourceDesc(struct resource *, uint64_t);
extern int cudaGetTextureObjectTextureDesc(struct sampling *, uint64_t), cudaCreateSurfaceObject(uint64_t *, const struct resource *);
extern int cudaDestroySurfaceObject(uint64_t), cudaBindTexture(size_t *, const void *, const void *, const struct channel *, size_t);
extern int cudaBindTexture2D(size_t *, const void *, const void *, const struct channel *, size_t, size_t, size_t);
extern int cudaBindTextureToArray(const void *, void *, const struct channel *), cudaUnbindTexture(const void *);
extern int cudaBindSurfaceToArray(const void *, void *, const struct channel *), cudaGetTextureAlignmentOffset(size_t *, const void *);

static struct reference old;
static int plate, odd_stands_here, sizes_stands_here, plates_stands_here, cube_stands_here;

static void register_more(void)
{
    __cudaRegisterTexture(handle, &old, NULL, "old", 1, 0, 0);
    __cudaRegisterSurface(handle, &plate, NULL, "plate", 1, 0);
    __cudaRegisterFunction(handle, (const char *)&odd_stands_here, NULL, "odd", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&sizes_stands_here, NULL, "sizes", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&plates_stands_here, NULL, "plates", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&cube_stands_here, NULL, "cube", -1, NULL, NULL, NULL, NULL, NULL);
}

static void arrays(void)
{
    void *a = NULL, *b = NULL, *deep = NULL;
    struct channel c = cudaCreateChannelDesc(8, 8, 0, 0, 1), back = {{0}, 0};
    const struct channel uneven = {{8, 16, 0, 0}, 1}, three = {{8, 8, 8, 0}, 1};
    struct extent e = {0, 0, 0};
    unsigned flags = 9;
    char from[24], to[24] = {0};
    for (int i = 0; i < 24; i++)
        from[i] = (char)(i + 1);
    WANT(cudaMallocArray(&a, &uneven, 4, 3, 0), 1);
    WANT(cudaMallocArray(&a, &three, 4, 3, 0), 1);
    WANT(cudaMallocArray(&a, &c, 4, 3, 0), 0);
    WANT(cudaMalloc3DArray(&deep, &c, (struct extent){4, 3, 2}, 1), 0);
    WANT(cudaArrayGetInfo(&back, &e, &flags, deep), 0);
    WANT(e.width == 4 && e.height == 3 && e.depth == 2 && flags == 1, 1);
    WANT(cudaGetChannelDesc(&back, a), 0);
    WANT(memcmp(&back, &c, sizeof c), 0);
    WANT(cudaGetChannelDesc(&back, from), 400);
    WANT(cudaMemcpy2DToArray(a, 0, 0, from, 8, 8, 3, TO_DEVICE), 0);
    WANT(cudaMemcpy2DFromArray(to, 2, a, 6, 1, 2, 2, TO_HOST), 0); /* the last texel of rows 1 and 2 */
    WANT(to[0] == 15 && to[1] == 16 && to[2] == 23 && to[3] == 24, 1);
    WANT(cudaMemcpyFromArray(to, a, 6, 0, 12, TO_HOST), 0); /* over the ends of rows */
    WANT(memcmp(to, from + 6, 12), 0);
    WANT(cudaMemcpyToArray(a, 4, 0, from, 10, TO_DEVICE), 0);
    WANT(cudaMemcpyFromArrayAsync(to, a, 0, 0, 24, TO_HOST, NULL), 0);
    WANT(to[3] == 4 && to[4] == 1 && to[13] == 10 && to[14] == 15, 1);
    WANT(cudaMallocArray(&b, &c, 4, 3, 0), 0);
    WANT(cudaMemcpyToArrayAsync(b, 0, 0, from, 24, TO_DEVICE, NULL), 0);
    WANT(cudaMemcpy2DArrayToArray(b, 0, 2, a, 4, 0, 4, 1, ON_DEVICE), 0);
    WANT(cudaMemcpy2DFromArrayAsync(to, 8, b, 0, 0, 8, 3, TO_HOST, NULL), 0);
    WANT(to[15] == 16 && to[16] == 1 && to[19] == 4 && to[20] == 21, 1);
    WANT(cudaMemcpy2DToArrayAsync(b, 2, 1, from, 2, 2, 1, TO_DEVICE, NULL), 0);
    WANT(cudaMemcpyFromArray(to, b, 2, 1, 2, TO_HOST), 0);
    WANT(to[0] == 1 && to[1] == 2, 1);
    WANT(cudaFreeArray(a), 0);
    WANT(cudaFreeArray(b), 0);
    WANT(cudaFreeArray(deep), 0);
    WANT(cudaFreeArray(NULL), 0);
}

static void objects(void)
{
    void *a = NULL, *out = NULL;
    const struct channel c = cudaCreateChannelDesc(32, 32, 0, 0, 2), whole = cudaCreateChannelDesc(32, 0, 0, 0, 0);
    float texels[3][4][2];
    struct {
        unsigned sizes[4];
        float texel[4];
    } got;
    uint64_t t = 0, s = 0;
    struct resource back;
    struct sampling how = {.address = {1, 1, 1}}, same;
    for (int i = 0; i < 24; i++)
        texels[i / 8][i / 2 % 4][i % 2] = (float)i;
    WANT(cudaMallocArray(&a, &c, 4, 3, 2), 0);
    WANT(cudaMemcpy2DToArray(a, 0, 0, texels, 32, 32, 3, TO_DEVICE), 0);
    const struct resource r = {.kind = 0, .array = a};
    WANT(cudaCreateTextureObject(&t, &r, &how, NULL), 0);
    WANT(cudaMalloc(&out, sizeof got), 0);
    void *args[] = {&out, &t};
    WANT(launch(&sizes_stands_here, 1, 1, args), 0);
    WANT(cudaMemcpy(&got, out, sizeof got, TO_HOST), 0);
    WANT(got.sizes[0] == 4 && got.sizes[1] == 3 && got.sizes[2] == 1 && got.sizes[3] == 1, 1);
    WANT(got.texel[0] == 2 && got.texel[1] == 3 && got.texel[2] == 0 && got.texel[3] == 0, 1);
    WANT(cudaGetTextureObjectResourceDesc(&back, t), 0);
    WANT(back.kind == 0 && back.array == a, 1);
    WANT(cudaGetTextureObjectTextureDesc(&same, t), 0);
    WANT(same.address[1] == 1 && same.linear == 0, 1);
    WANT(cudaDestroyTextureObject(t), 0);
    WANT(cudaDestroyTextureObject(t), 1);
    how.linear = 1;
    const struct resource memory = {.kind = 2, .memory = {.memory = out, .channel = whole, .width = 16}};
    WANT(cudaCreateTextureObject(&t, &memory, &how, NULL), 1); /* integers are not weighed */
    how.linear = 0;
    how.srgb = 1;
    WANT(cudaCreateTextureObject(&t, &memory, &how, NULL), 801);
    WANT(cudaCreateSurfaceObject(&s, &memory), 1);
    WANT(cudaCreateSurfaceObject(&s, &r), 0);
    WANT(cudaDestroySurfaceObject(s), 0);
    void *cube[] = {&t};
    WANT(launch(&cube_stands_here, 1, 1, cube), 801);
    WANT(cudaGetLastError(), 801);
    WANT(cudaFree(out), 0);
    WANT(cudaFreeArray(a), 0);
}

static void references(void)
{
    unsigned values[8], got[8];
    unsigned *memory = NULL, *out = NULL;
    void *a = NULL;
    size_t offset = 9;
    const struct channel c = cudaCreateChannelDesc(32, 0, 0, 0, 1);
    for (unsigned i = 0; i < 8; i++)
        values[i] = 100 + i;
    WANT(cudaMalloc((void **)&memory, sizeof values), 0);
    WANT(cudaMalloc((void **)&out, sizeof values), 0);
    WANT(cudaMemcpy(memory, values, sizeof values, TO_DEVICE), 0);
    WANT(cudaBindTexture(&offset, &old, memory, &c, SIZE_MAX), 0);
    WANT(offset, 0);
    void *args[] = {&out};
    WANT(cudaMemset(out, 0, sizeof got), 0);
    WANT(launch(&odd_stands_here, 1, 8, args), 0);
    WANT(cudaMemcpy(got, out, sizeof got, TO_HOST), 0);
    for (unsigned i = 0; i < 8; i++)
        WANT(got[i], i % 2 == 0 ? 100 + i : 0);
    WANT(cudaBindTexture2D(&offset, &old, memory, &c, 4, 2, 16), 0); /* its first row */
    WANT(launch(&odd_stands_here, 1, 8, args), 0);
    WANT(cudaMemcpy(got, out, sizeof got, TO_HOST), 0);
    WANT(got[2] == 102 && got[4] == 0, 1);
    WANT(cudaGetTextureAlignmentOffset(&offset, &old), 0);
    WANT(cudaUnbindTexture(&old), 0);
    WANT(cudaMallocArray(&a, &c, 8, 0, 2), 0);
    WANT(cudaBindSurfaceToArray(&plate, a, &c), 0);
    unsigned least = 3;
    void *more[] = {&out, &least};
    WANT(launch(&plates_stands_here, 1, 8, more), 0);
    WANT(cudaMemcpy(got, out, 4, TO_HOST), 0);
    WANT(got[0], 0);
    WANT(cudaBindTextureToArray(&old, a, &c), 0);
    WANT(cudaMemset(out, 0, sizeof got), 0);
    WANT(launch(&odd_stands_here, 1, 8, args), 0);
    WANT(cudaMemcpy(got, out, sizeof got, TO_HOST), 0);
    for (unsigned i = 0; i < 8; i++)
        WANT(got[i], i % 2 == 0 && i >= 3 ? i : 0);
    WANT(cudaBindTextureToArray(&old, out, &c), 400);
    WANT(launch(&plates_stands_here, 1, 9, more), 0); /* beyond its end: the kernel is trapped */
    WANT(cudaDeviceSynchronize(), 719);
}

int main(void)
{
    register_more();
    arrays();
    objects();
    references();
    return bad != 0;
}
