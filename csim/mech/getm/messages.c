/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of GETM's messages hold. */
#include "mech/getm/messages.h"

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_getm_access_body, access, cw_tx_brings_bytes, cw_tx_answers),
    CW_BODY_FIELD(struct cw_getm_access_body, warpts, 48, CW_WAY_BOTH),
    CW_BODY_FIELD(struct cw_getm_access_body, owner, 16, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_getm_access_body, ticket, 16, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_getm_access_body, granules, 32, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_getm_access_body, granted, 32, CW_WAY_DOWN),
    CW_BODY_FIELD(struct cw_getm_access_body, cause, 3, CW_WAY_DOWN),
    CW_BODY_FIELD(struct cw_getm_access_body, spill, 1, CW_WAY_UP),
};
static const struct cw_body_field log_fields[] = {
    CW_BODY_FIELD(struct cw_getm_log_body, owner, 16, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_getm_log_body, writing, 0, CW_WAY_NONE),
    CW_TX_LOG_FIELDS(struct cw_getm_log_body, log, 1, 8),
};

CW_MESSAGE_TYPE(cw_getm_access, "getm_access", struct cw_getm_access_body, access_fields);
CW_MESSAGE_TYPE_TAIL(cw_getm_log, "getm_log", struct cw_getm_log_body, log_fields, log.cnt, log.entry);

const struct cw_message_type *const cw_getm_messages[] = {&cw_getm_access_type, &cw_getm_log_type, NULL};
