/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that the model fixes; everything else about the machine is configuration (base/config.def). */
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#include <stdint.h>

#define CW_LANES          32                /* threads per warp */
#define CW_LINE_BYTES_MAX 128u              /* largest mem.line_bytes: size of whatever holds a line */
#define CW_LINE_BYTES     CW_LINE_BYTES_MAX /* line of the cores and of the transactional systems */
#define CW_SECTOR_BYTES   32u               /* what of a line travels and is fetched */
#define CW_PACKET_ENTRIES 32u               /* log entries, or lanes of an atomic, per packet */
#define CW_PORT_FLITS     32u               /* Of a packet at most that the unit crossbar_port grants */

/* Sectors of a line, bit s for sector s: how many. A compiler that does not know the host calls a function for that. */
static inline uint32_t cw_sectors_count(uint32_t sectors)
{
    _Static_assert(CW_LINE_BYTES_MAX / CW_SECTOR_BYTES <= 4, "a digit for each set of sectors");
    return (uint32_t)(UINT64_C(0x4332322132212110) >> 4 * (sectors & 15u)) & 15u;
}

#endif
