/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that the model fixes; everything else about the machine is configuration (base/config.def). */
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#define CW_LANES          32                /* threads per warp */
#define CW_LINE_BYTES_MAX 128u              /* largest mem.line_bytes: size of whatever holds a line */
#define CW_LINE_BYTES     CW_LINE_BYTES_MAX /* line of the cores and of the transactional systems */
#define CW_SECTOR_BYTES   32u               /* what of a line travels and is fetched */
#define CW_PACKET_ENTRIES 32u               /* log entries, or lanes of an atomic, per packet */

#endif
