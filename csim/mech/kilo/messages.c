/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of the family's messages hold. */
#include "mech/kilo/messages.h"

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_kilo_access_body, access, cw_tx_brings_bytes, cw_tx_answers),
    CW_BODY_FIELD(struct cw_kilo_access_body, stamp, 64, CW_WAY_DOWN),
    CW_BODY_ARRAY(struct cw_kilo_access_body, time, 64, CW_WAY_DOWN, CW_WITH_LANE),
};

/* What a message is about says which of those that share a place it has. */
static bool is_again(const struct cw_message *m)
{
    return cw_message_is_down(m) ? m->op == CW_KILO_RESEND : m->op == CW_KILO_EOS;
}

static bool has_lanes(const struct cw_message *m)
{
    return cw_message_is_down(m) ? m->op == CW_KILO_VERDICT || m->op == CW_KILO_ACK : m->op == CW_KILO_DONE || m->op == CW_KILO_OUTCOME;
}

static bool has_fail(const struct cw_message *m)
{
    return cw_message_is_down(m) ? m->op == CW_KILO_VERDICT : m->op == CW_KILO_OUTCOME;
}

/* done.accessed and ack.lanes lie where verdict.pass does. */
#define COMMIT_FIELDS(type, path)                                                                                           \
    CW_BODY_FIELD(type, path first, 32, CW_WAY_BOTH), CW_BODY_FIELD(type, path epoch, 16, CW_WAY_UP),                       \
        CW_BODY_FIELD(type, path probe, 1, CW_WAY_UP), CW_BODY_FIELD_ONLY(type, path again.lane, 6, CW_WAY_BOTH, is_again), \
        CW_BODY_FIELD_ONLY(type, path again.set, 1, CW_WAY_BOTH, is_again),                                                 \
        CW_BODY_FIELD_ONLY(type, path verdict.pass, CW_BITS_LANES, CW_WAY_BOTH, has_lanes),                                 \
        CW_BODY_FIELD_ONLY(type, path verdict.fail, CW_BITS_LANES, CW_WAY_BOTH, has_fail)

static const struct cw_body_field commit_fields[] = {COMMIT_FIELDS(struct cw_kilo_commit_body, )};
static const struct cw_body_field log_fields[] = {
    COMMIT_FIELDS(struct cw_kilo_log_body, commit.),
    CW_TX_LOG_FIELDS(struct cw_kilo_log_body, log, 2, 0),
};

CW_MESSAGE_TYPE(cw_kilo_access, "kilo_access", struct cw_kilo_access_body, access_fields);
const struct cw_message_type cw_kilo_access_line_type = {"kilo_access_line",
                                                         offsetof(struct cw_kilo_access_body, time),
                                                         access_fields,
                                                         sizeof access_fields / sizeof *access_fields - 1,
                                                         0,
                                                         0,
                                                         0};
CW_MESSAGE_TYPE(cw_kilo_commit, "kilo_commit", struct cw_kilo_commit_body, commit_fields);
CW_MESSAGE_TYPE_TAIL(cw_kilo_log, "kilo_log", struct cw_kilo_log_body, log_fields, log.cnt, log.entry);

const struct cw_message_type *const cw_kilo_messages[] = {&cw_kilo_access_type, &cw_kilo_access_line_type, &cw_kilo_commit_type,
                                                          &cw_kilo_log_type, NULL};
