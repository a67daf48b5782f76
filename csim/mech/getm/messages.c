/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of GETM's messages hold. */
#include "mech/getm/messages.h"

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_getm_access_body, access), CW_BODY_FIELD(struct cw_getm_access_body, warpts),
    CW_BODY_FIELD(struct cw_getm_access_body, owner),        CW_BODY_FIELD(struct cw_getm_access_body, ticket),
    CW_BODY_FIELD(struct cw_getm_access_body, granules),     CW_BODY_FIELD(struct cw_getm_access_body, granted),
    CW_BODY_FIELD(struct cw_getm_access_body, cause),        CW_BODY_FIELD(struct cw_getm_access_body, spill),
};
static const struct cw_body_field log_fields[] = {
    CW_BODY_FIELD(struct cw_getm_log_body, owner),
    CW_BODY_FIELD(struct cw_getm_log_body, writing),
    CW_TX_LOG_FIELDS(struct cw_getm_log_body, log),
};

CW_MESSAGE_TYPE(cw_getm_access, "getm_access", struct cw_getm_access_body, access_fields);
CW_MESSAGE_TYPE_TAIL(cw_getm_log, "getm_log", struct cw_getm_log_body, log_fields, log.cnt, log.entry);

const struct cw_message_type *const cw_getm_messages[] = {&cw_getm_access_type, &cw_getm_log_type, NULL};
