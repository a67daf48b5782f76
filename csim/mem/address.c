/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/address.h"

#include <assert.h>

#include "base/bits.h"

/* Chunk numbers fit in 32 bits (16 GiB in chunks of 128 bytes are 2^27): a 32-bit division is several times as fast as
 * a 64-bit one. */
static uint32_t chunk_of(const struct cw_config *config, uint64_t addr)
{
    assert(addr >= CW_GLOBAL_BASE);
    uint64_t offset = addr - CW_GLOBAL_BASE;
    uint32_t interleave = config->partition_interleave;
    if (cw_is_power_of_two(interleave))
        return (uint32_t)(offset >> __builtin_ctz(interleave));
    return (uint32_t)(offset / interleave);
}

/* By how many partitions the chunks of a row are turned; the first row is not. The constant is that of Fibonacci hashing. */
static uint32_t turn_of(const struct cw_config *config, uint32_t row)
{
    return config->partition_hash == CW_OFF ? 0 : (row * UINT32_C(0x9e3779b1) >> 16) % config->partition_count;
}

uint32_t cw_address_partition(const struct cw_config *config, uint64_t addr)
{
    const uint32_t chunk = chunk_of(config, addr), count = config->partition_count;
    if (config->partition_hash == CW_OFF)
        return chunk % count;
    return (chunk % count + turn_of(config, chunk / count)) % count;
}

uint32_t cw_address_channels(const struct cw_config *config)
{
    return config->partition_count / config->dram_sharing;
}

uint64_t cw_address_local(const struct cw_config *config, uint64_t addr)
{
    uint32_t chunk = chunk_of(config, addr);
    uint64_t within = addr - CW_GLOBAL_BASE - (uint64_t)chunk * config->partition_interleave;
    return (uint64_t)(chunk / config->partition_count) * config->partition_interleave + within;
}

uint64_t cw_address_global(const struct cw_config *config, uint32_t partition, uint64_t local)
{
    const uint64_t interleave = config->partition_interleave, row = local / interleave;
    const uint32_t count = config->partition_count;
    const uint64_t chunk = row * count + (partition + count - turn_of(config, (uint32_t)row)) % count;
    return CW_GLOBAL_BASE + chunk * interleave + local % interleave;
}
