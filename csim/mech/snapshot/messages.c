/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of snapshot isolation's messages hold. */
#include "mech/snapshot/messages.h"

/* DATED is about the lanes that have to abort, and no more. */
static bool is_accessed(const struct cw_message *m)
{
    return m->op == CW_SI_ACCESSED;
}

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_si_access_body, access, cw_tx_brings_bytes, is_accessed),
    CW_BODY_FIELD(struct cw_si_access_body, begin, 0, CW_WAY_NONE),
    CW_BODY_FIELD(struct cw_si_access_body, snapshot, 32, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_si_access_body, op, 0, CW_WAY_NONE),
    CW_BODY_FIELD_ONLY(struct cw_si_access_body, dates, 1, CW_WAY_DOWN, is_accessed),
    CW_BODY_FIELD(struct cw_si_access_body, single_writer, CW_BITS_LANES, CW_WAY_DOWN),
    CW_BODY_FIELD(struct cw_si_access_body, write_write, CW_BITS_LANES, CW_WAY_DOWN),
    CW_BODY_FIELD(struct cw_si_access_body, loop, CW_BITS_LANES, CW_WAY_DOWN),
    CW_BODY_FIELD(struct cw_si_access_body, table, CW_BITS_LANES, CW_WAY_DOWN),
    CW_BODY_ARRAY(struct cw_si_access_body, id, 0, CW_WAY_NONE, CW_WITH_ALL),
};

static bool is_done(const struct cw_message *m)
{
    return m->op == CW_SI_DONE;
}

static bool is_outcome(const struct cw_message *m)
{
    return m->op == CW_SI_OUTCOME;
}

static bool has_verdict(const struct cw_message *m)
{
    return cw_message_is_down(m) ? m->op == CW_SI_VERDICT : m->op == CW_SI_OUTCOME;
}

#define COMMIT_FIELDS(type, path)                                                     \
    CW_BODY_FIELD_ONLY(type, path accessed, CW_BITS_LANES, CW_WAY_UP, is_done),       \
        CW_BODY_FIELD_ONLY(type, path pass, CW_BITS_LANES, CW_WAY_BOTH, has_verdict), \
        CW_BODY_FIELD_ONLY(type, path fail, CW_BITS_LANES, CW_WAY_BOTH, has_verdict), \
        CW_BODY_FIELD_ONLY(type, path slot, 4, CW_WAY_UP, is_outcome)

static const struct cw_body_field commit_fields[] = {COMMIT_FIELDS(struct cw_si_commit_body, )};
static const struct cw_body_field log_fields[] = {
    COMMIT_FIELDS(struct cw_si_log_body, commit.),
    CW_TX_LOG_FIELDS(struct cw_si_log_body, log, 8, 0),
};

CW_MESSAGE_TYPE(cw_si_access, "si_access", struct cw_si_access_body, access_fields);
CW_MESSAGE_TYPE(cw_si_commit, "si_commit", struct cw_si_commit_body, commit_fields);
CW_MESSAGE_TYPE_TAIL(cw_si_log, "si_log", struct cw_si_log_body, log_fields, log.cnt, log.entry);

const struct cw_message_type *const cw_si_messages[] = {&cw_si_access_type, &cw_si_commit_type, &cw_si_log_type, NULL};
