/* SPDX-License-Identifier: Apache-2.0 */
/* What all transactions in software share, for kernels (stm.h) and host code alike: STM_WORDS words of global memory, zero at first. */
#ifndef KERNELS_STM_LAYOUT_H
#define KERNELS_STM_LAYOUT_H

/* Words, in lines of 128 bytes of their own. */
#define STM_CLOCK  0  /* TL2: number of the last transaction that wrote */
#define STM_FAULT  32 /* 0, or one of STM_FAULT_... */
#define STM_ABORTS 64 /* failed attempts; threads add theirs at the end of a transaction */
#define STM_TABLE  96 /* ownership records (orecs) from here on, of 4 bytes (TL2) or 8 (PR) */

#define STM_FAULT_READ  1 /* a transaction has read more words than its log holds */
#define STM_FAULT_WRITE 2 /* the same of words written */

#define STM_OREC_CNT (1u << 20) /* a power of two, as many as TL2 has */
#define STM_WORDS    (STM_TABLE + 2 * STM_OREC_CNT)

#endif
