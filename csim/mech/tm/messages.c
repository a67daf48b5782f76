/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of messages hold that transactional systems share. */
#include "mech/tm/access.h"

bool cw_tx_brings_bytes(const struct cw_message *m)
{
    return m->kind == CW_MSG_WRITE && !m->timing_only;
}

bool cw_tx_answers(const struct cw_message *m)
{
    return m->kind != CW_MSG_WRITE_ACK;
}

/* Fields of the body itself, not of one that has it as a member. */
struct access_alone {
    struct cw_tx_access_body b;
};
struct log_alone {
    struct cw_tx_log_body b;
};

static const struct cw_body_field access_fields[] = {CW_TX_ACCESS_FIELDS(struct access_alone, b, cw_tx_brings_bytes, cw_tx_answers)};
static const struct cw_body_field log_fields[] = {CW_TX_LOG_FIELDS(struct log_alone, b, 8, 8)};

CW_MESSAGE_TYPE(cw_tx_access, "tx_access", struct cw_tx_access_body, access_fields);
CW_MESSAGE_TYPE_TAIL(cw_tx_log, "tx_log", struct cw_tx_log_body, log_fields, cnt, entry);

const struct cw_message_type *const cw_tx_messages[] = {&cw_tx_access_type, &cw_tx_log_type, NULL};
