/* SPDX-License-Identifier: Apache-2.0 */
/* What the program may ask of the device: the machine's configuration, in CUDA's words. */
#include "cuda/process.h"

uint32_t cw_cuda_value(const char *key)
{
    struct cowarp_gpu *gpu;
    uint32_t value = 0;
    cw_cuda__lock();
    cw_cuda__gpu_as_is(&gpu);
    if (cw_cuda__process.state == CW_CUDA_OPEN && cowarp_config_value(gpu, key, &value) != COWARP_OK)
        value = 0;
    cw_cuda__unlock();
    return value;
}

const char *cw_cuda_device_name(void)
{
    struct cowarp_gpu *gpu;
    static char name[128];
    cw_cuda__lock();
    cw_cuda__gpu_as_is(&gpu);
    const char *preset = cw_cuda__process.session.options.preset;
    snprintf(name, sizeof name, "cowarp %s", preset != NULL ? preset : "");
    cw_cuda__unlock();
    return name;
}

uint32_t cw_cuda_architecture(void)
{
    uint32_t newest = 0;
    cw_cuda__lock();
    for (const struct cw_cuda_image *i = cw_cuda__process.images; i != NULL; i = i->next)
        newest = i->architecture > newest ? i->architecture : newest;
    cw_cuda__unlock();
    return newest != 0 ? newest : 75;
}

static int least(uint32_t a, uint32_t b)
{
    return (int)(a < b ? a : b);
}

#define LIMIT_CNT      16
#define LIMIT_HEAP     2
#define LIMIT_CHILDREN 4

static size_t limits[LIMIT_CNT] = {1024, 1u << 20, 8u << 20, 2, 2048}; /* stack, printf, heap, levels that wait, children */

/* An error when a kernel has used it. */
static int set_in_gpu(int limit, size_t value)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && limit == LIMIT_HEAP)
        code = cw_cuda__failed(cowarp_set_heap(gpu, value));
    else if (code == CW_CUDA_OK)
        code = cw_cuda__failed(cowarp_set_child_launches(gpu, value < UINT32_MAX ? (uint32_t)value : UINT32_MAX));
    return cw_cuda__leave(code);
}

int cw_cuda_set_limit(int limit, size_t value)
{
    if (limit < 0 || limit >= LIMIT_CNT)
        return CW_CUDA_INVALID_VALUE;
    const int code = limit == LIMIT_HEAP || limit == LIMIT_CHILDREN ? set_in_gpu(limit, value) : CW_CUDA_OK;
    if (code == CW_CUDA_OK)
        limits[limit] = value;
    return code;
}

int cw_cuda_get_limit(size_t *value, int limit)
{
    if (limit < 0 || limit >= LIMIT_CNT)
        return CW_CUDA_INVALID_VALUE;
    *value = limits[limit];
    return CW_CUDA_OK;
}

/* Of a block, without asking for more: CUDA has 48 KB. */
static int shared_of_a_block(void)
{
    return least(cw_cuda_value("core.shared_bytes"), 49152);
}

/* Numbers are those of cudaDeviceAttr. A value of the configuration, times so many; or without a key that number itself. */
static const struct {
    int attribute;
    const char *key;
    int times;
} plain[] = {
    {1, NULL, 1024}, /* threads of a block, all together and in each direction */
    {2, NULL, 1024},
    {3, NULL, 1024},
    {4, NULL, 64},
    {5, NULL, INT32_MAX}, /* blocks of a grid */
    {6, NULL, UINT16_MAX},
    {7, NULL, UINT16_MAX},
    {9, NULL, 65536}, /* constant memory */
    {10, "core.warp_width", 1},
    {11, NULL, INT32_MAX},        /* largest pitch */
    {12, "core.registers", 1},    /* of a block */
    {13, "clock.core_mhz", 1000}, /* in kHz */
    {14, NULL, 512},              /* alignment of textures and surfaces */
    {30, NULL, 512},
    {16, "core.count", 1},
    {19, NULL, 1},                /* host memory can be mapped */
    {36, "clock.dram_mhz", 1000}, /* in kHz */
    {40, NULL, 1},                /* copy engines */
    {41, NULL, 1},                /* unified addresses */
    {51, NULL, 32},               /* alignment of a pitch for textures */
    /* Textures and surfaces, as compute capability 7.5 has them (CUDA C++ Programming Guide, Technical Specifications). */
    {21, NULL, 131072},
    {22, NULL, 131072},
    {23, NULL, 65536},
    {24, NULL, 16384},
    {25, NULL, 16384},
    {26, NULL, 16384},
    {27, NULL, 32768},
    {28, NULL, 32768},
    {29, NULL, 2048},
    {42, NULL, 32768},
    {43, NULL, 2048},
    {45, NULL, 32768},
    {46, NULL, 32768},
    {47, NULL, 16384},
    {48, NULL, 16384},
    {49, NULL, 16384},
    {55, NULL, 32768},
    {56, NULL, 131072},
    {57, NULL, 65536},
    {58, NULL, 16384},
    {59, NULL, 16384},
    {60, NULL, 16384},
    {61, NULL, 32768},
    {62, NULL, 2048},
    {63, NULL, 32768},
    {64, NULL, 32768},
    {65, NULL, 2048},
    {69, NULL, 268435456},
    {70, NULL, 131072},
    {71, NULL, 65000},
    {72, NULL, 2097120},
    {79, NULL, 1}, /* the L1 holds global and local data */
    {80, NULL, 1},
    {81, "core.shared_bytes", 1},
    {82, "core.registers", 1},
    {83, NULL, 1}, /* managed memory */
    {95, NULL, 1}, /* cooperative launches */
    {99, NULL, 1}, /* memory of the host can be registered */
    {97, "core.shared_bytes", 1},
    {106, "core.blocks", 1},
    {115, NULL, 1}, /* pools of memory */
};

/* Those that follow from several. */
static uint32_t derived(int attribute)
{
    switch (attribute) {
    case 8:
        return (uint32_t)shared_of_a_block();
    case 37: /* bits: a clock of the memory moves its data twice */
        return cw_cuda_value("partition.count") * cw_cuda_value("dram.bytes_per_cycle") * 4;
    case 38:
        return cw_cuda_value("partition.count") * cw_cuda_value("l2.bytes");
    case 39:
        return cw_cuda_value("core.warps") * cw_cuda_value("core.warp_width");
    case 75:
        return cw_cuda_architecture() / 10;
    case 76:
        return cw_cuda_architecture() % 10;
    default: /* what the machine does not have */
        return 0;
    }
}

int cw_cuda_attribute(int *value, int attribute)
{
    if (attribute < 1 || attribute > 200)
        return CW_CUDA_INVALID_VALUE;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].attribute == attribute) {
            *value = (plain[i].key != NULL ? (int)cw_cuda_value(plain[i].key) : 1) * plain[i].times;
            return CW_CUDA_OK;
        }
    *value = (int)derived(attribute);
    return CW_CUDA_OK;
}
