/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow address of transactions in scratch-pad memory (GPU-LocalTM, section 2.1, Version Management): where the backup and the owner of a
 * word are, in the word's own bank.
 *
 * [1] A bank is 2^row_w rows of 4 bytes. [2] A work-group has the rows from `base` on, the same in all banks, and `words` words of data,
 * word i in bank i mod 2^bank_w. [3] So bank b has n = (words + 2^bank_w - 1 - b) / 2^bank_w of them, rounded down, in its rows base ..
 * base + n - 1. [4] After them come n rows of backups, [5] and after these the owners, four to a row.
 *
 * What a cycle means. [6] req_valid = 1 in cycle t: the outputs from t + 1 on are the answer, until the cycle after the next one with
 * req_valid = 1; req_word is the number of the word within the bank's n.
 *  - [7] adr_data is its row, base + req_word.
 *  - [8] adr_backup = base + n + req_word.
 *  - [9] adr_owner = base + 2 * n + req_word / 4, [10] byte adr_byte = req_word mod 4 of it.
 *  - [11] adr_fits = 1: req_word is one of the n, [12] and adr_owner, the highest of the three, is a row of the bank.
 *  - [13] Without adr_fits the three rows are cut to row_w bits, and mean nothing.
 *
 * [14] With adr_fits no two words of a group share a place, and none has its backup or owner where another has data. [15] Of 512 rows at most
 * 227 words fit: 227 + 227 + 57 = 511. [16] The paper's 7,281 words of 9 bytes fit 65,536 bytes, but 17 of the 32 banks would have 228
 * words, and the owners of the last four have no place there. [17] 32 * 227 = 7,264 words fit bank by bank.
 *
 * [18] A reset leaves the answer to inputs of 0. [19] A clock with req_valid = 0 changes nothing.
 */
#ifndef COWARP_UNIT_SHADOW_ADDRESS_H
#define COWARP_UNIT_SHADOW_ADDRESS_H

#include "cowarp/unit.h"

#define CW_SHADOW_ADDRESS_PARAMS(P)                            \
    P(bank_w, BANK_W, 5, 1, 6, "bits of the number of a bank") \
    P(row_w, ROW_W, 9, 3, 12, "bits of the number of a row of a bank")

#define CW_SHADOW_ADDRESS_CLOCK(C) C(925, 32, "Southern Islands (HD 7970), 28 nm: engine clock; 32 nm is the nearest node of synth")

#define CW_SHADOW_ADDRESS_PORTS(IN, OUT, INW, OUTW)                      \
    /* a word of a group */                                              \
    IN(req_valid, 1)                                                     \
    IN(req_base, p->row_w)                                               \
    IN(req_words, p->bank_w + p->row_w) /* of the group, in all banks */ \
    IN(req_bank, p->bank_w)                                              \
    IN(req_word, p->row_w)                                               \
    /* its places */                                                     \
    OUT(adr_data, p->row_w)                                              \
    OUT(adr_backup, p->row_w)                                            \
    OUT(adr_owner, p->row_w)                                             \
    OUT(adr_byte, 2)                                                     \
    OUT(adr_fits, 1)

CW_UNIT_DECLARE(shadow_address, CW_SHADOW_ADDRESS_PARAMS, CW_SHADOW_ADDRESS_PORTS)
CW_UNIT_CLOCK(shadow_address, CW_SHADOW_ADDRESS_CLOCK)

#endif
