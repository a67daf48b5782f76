/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serialised transactions: one transaction at a time in the whole GPU, as under a single global lock (Fung 2015
 * 4.1). The baseline that every other system has to beat, and the one whose results are right by construction:
 * nothing is speculative, nothing ever aborts.
 *
 * The global token lives in partition 0. A warp asks for it (TX_CONTROL), queues there in order of arrival, gets it
 * (TX_CONTROL_REPLY), runs its lanes' transactions one after the other, lowest lane first, and gives it back. Loads
 * and stores go to memory directly, past the L1: TX_LOAD and TX_STORE (with data) pass ROP and L2 as GETM's do; a
 * store is then carried out as a commit write, and answered when the L2 has taken it. Nothing is slower than it has to
 * be for the sake of order: loads of a warp overlap; a store waits for the loads before it, and nothing in the core waits
 * for a store, but a load behind one in the same partition waits for it there. A transaction ends when all its stores have
 * been answered: the fence before a lock is released.
 *
 * For the core a waiting lane is an aborted one that restarts; the statistics do not count it as aborted.
 */
#ifndef CW_MECH_SERIAL_SERIAL_H
#define CW_MECH_SERIAL_SERIAL_H

#include "mech/tm/tm.h"

extern const struct cw_mech cw_mech_serial; /* named "serial" */

#endif
