/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of snapshot isolation's messages hold. */
#include "mech/snapshot/messages.h"

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_si_access_body, access), CW_BODY_FIELD(struct cw_si_access_body, begin),
    CW_BODY_FIELD(struct cw_si_access_body, snapshot),     CW_BODY_FIELD(struct cw_si_access_body, op),
    CW_BODY_FIELD(struct cw_si_access_body, dates),        CW_BODY_FIELD(struct cw_si_access_body, single_writer),
    CW_BODY_FIELD(struct cw_si_access_body, write_write),  CW_BODY_FIELD(struct cw_si_access_body, loop),
    CW_BODY_FIELD(struct cw_si_access_body, table),        CW_BODY_ARRAY(struct cw_si_access_body, id),
};

#define COMMIT_FIELDS(type, path) \
    CW_BODY_FIELD(type, path accessed), CW_BODY_FIELD(type, path pass), CW_BODY_FIELD(type, path fail), CW_BODY_FIELD(type, path slot)

static const struct cw_body_field commit_fields[] = {COMMIT_FIELDS(struct cw_si_commit_body, )};
static const struct cw_body_field log_fields[] = {
    COMMIT_FIELDS(struct cw_si_log_body, commit.),
    CW_TX_LOG_FIELDS(struct cw_si_log_body, log),
};

CW_MESSAGE_TYPE(cw_si_access, "si_access", struct cw_si_access_body, access_fields);
CW_MESSAGE_TYPE(cw_si_commit, "si_commit", struct cw_si_commit_body, commit_fields);
CW_MESSAGE_TYPE_TAIL(cw_si_log, "si_log", struct cw_si_log_body, log_fields, log.cnt, log.entry);

const struct cw_message_type *const cw_si_messages[] = {&cw_si_access_type, &cw_si_commit_type, &cw_si_log_type, NULL};
