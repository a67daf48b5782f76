/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: logical times (SI-TM 4.1, Figure 7). A reader of a word is before the writer of the next version of it: the reader is
 * the predecessor of the edge, the writer the successor. Along every edge between transactions that commit, the last CTS grows. So they
 * have a serial order: that of their last CTS.
 *
 *     predecessor's CTS <= its PDTS < successor's CTS <= its PDTS
 *
 * The rules are Figure 7's with the corrections of README.md. The lines of the figure are named.
 */
#include "mech/snapshot/center.h"

/* Lines 1 to 15: lowers the PDTS of a predecessor that runs, and returns what the successor has to exceed. */
static uint32_t predecessor(const struct cw_si_center *c, struct cw_si_transaction *pred, uint32_t succ_pdts)
{
    const bool printed = c->tm->keys->si_rules == CW_SI_RULES_PUBLISHED;
    if (pred->state != CW_SI_RUNNING)
        return pred->cts; /* PrevTS */
    if (succ_pdts == CW_SI_NEVER || pred->cts >= succ_pdts) {
        if (pred->pdts == CW_SI_NEVER)
            pred->pdts = pred->cts + 10;
        return pred->pdts;
    }
    const uint32_t midpoint = pred->cts + (succ_pdts - pred->cts) / 2;
    if (printed ? pred->pdts != CW_SI_NEVER && pred->pdts > midpoint : pred->pdts > midpoint)
        pred->pdts = midpoint;
    return pred->pdts;
}

/* Lines 16 to 22: whether the successor can follow. */
static bool successor(const struct cw_si_center *c, struct cw_si_transaction *succ, uint32_t time)
{
    if (c->tm->keys->si_rules == CW_SI_RULES_PUBLISHED) {
        if (succ->pdts != CW_SI_NEVER && time >= succ->pdts)
            return false;
        succ->cts = time + 1;
        return true;
    }
    if (time >= succ->pdts)
        return false;
    succ->cts = succ->cts > time ? succ->cts : time + 1;
    return true;
}

/* A reader whose successor has committed since: the successor's last CTS is a limit that cannot move. */
static bool before_committed(struct cw_si_transaction *reader, const struct cw_si_transaction *writer)
{
    if (reader->cts >= writer->cts)
        return false;
    if (reader->pdts > writer->cts - 1)
        reader->pdts = writer->cts - 1;
    return true;
}

static bool judge(const struct cw_si_center *c, struct cw_si_transaction *reader, struct cw_si_transaction *writer, bool reader_asks)
{
    const bool alone = (reader_asks ? reader : writer)->state != CW_SI_RUNNING;
    if (alone || reader->state == CW_SI_UNUSED || reader->state == CW_SI_DEAD || writer->state == CW_SI_UNUSED ||
        writer->state == CW_SI_DEAD)
        return true;
    if (writer->state == CW_SI_COMMITTED && writer->committed <= reader->begin)
        return true; /* it reads what this one has written */
    if (writer->state != CW_SI_RUNNING)
        return c->tm->keys->si_retain == CW_SI_RETAIN_PUBLISHED || before_committed(reader, writer);
    return successor(c, writer, predecessor(c, reader, writer->pdts));
}

bool cw_si__postdate(struct cw_si_center *c, const struct cw_si_fact_note *edge)
{
    c->tm->counters->si_edges++;
    const bool possible = c->tm->sabotage == CW_SI_NO_POSTDATING || judge(c, c->id + edge->reader, c->id + edge->writer, edge->reader_asks);
    c->tm->counters->si_loops += !possible;
    const uint64_t largest = (UINT64_C(1) << c->tm->keys->si_time_bits) - 1;
    if (c->id[edge->reader].cts > largest - 10 || c->id[edge->writer].cts > largest - 10)
        cw_mech_fault(&c->tm->host, CW_ELIMIT, "snapshot isolation: logical times run over; raise si.time_bits");
    return possible;
}
