/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that the model fixes; everything else about the machine is configuration (base/config.def). */
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#define CW_LANES          32   /* threads per warp */
#define CW_LINE_BYTES     128u /* cache line, unit of coalescing */
#define CW_SECTOR_BYTES   32u  /* what of a line travels and is fetched */
#define CW_PACKET_ENTRIES 32u  /* log entries, or lanes of an atomic, per packet */

#endif
