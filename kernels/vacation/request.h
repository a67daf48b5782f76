/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread of Vacation asks for, computed alike by kernel and host: no memory is read for it inside a transaction. */
#ifndef KERNELS_VACATION_REQUEST_H
#define KERNELS_VACATION_REQUEST_H

/* Tables, in the order of their trees. Reservations are made in the first three. */
#define CARS      0
#define FLIGHTS   1
#define ROOMS     2
#define CUSTOMERS 3
#define TABLES    4

#define MAX_QUERIES 8   /* per transaction */
#define SOME        100 /* cars, seats, rooms that a change adds or takes away (STAMP: 100) */

/* Random bits of request `number` of a thread; every bit of the three moves half of the result (an xor-multiply mixer). */
#define VACATION_MIX(x) (((x) ^ ((x) >> 16)) * 0x7feb352du)
#define VACATION_RANDOM(seed, thread, number) \
    VACATION_MIX(VACATION_MIX((seed) ^ ((thread) + 1u) * 0x9e3779b1u) + ((number) + 1u) * 0x85ebca6bu)

/* A thread makes 1 to `queries` requests. */
#define VACATION_CNT(seed, thread, queries) (1u + (VACATION_RANDOM(seed, thread, MAX_QUERIES) >> 8) % (queries))

#define VACATION_TABLE(random, tables) (((random) >> 4) % (tables))
#define VACATION_ADDS(random)          (((random) >> 3) & 1u)
#define VACATION_ID(random, ids)       (1u + ((random) >> 8) % (ids))
#define VACATION_PRICE(random)         (50u + 10u * (((random) >> 5) % 5u))

#endif
