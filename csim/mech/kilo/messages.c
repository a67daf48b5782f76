/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of the family's messages hold. */
#include "mech/kilo/messages.h"

static const struct cw_body_field access_fields[] = {
    CW_TX_ACCESS_FIELDS(struct cw_kilo_access_body, access),
    CW_BODY_FIELD(struct cw_kilo_access_body, stamp),
    CW_BODY_ARRAY(struct cw_kilo_access_body, time),
};

/* The verdict is as wide as the widest of those that share its place. */
#define COMMIT_FIELDS(type, path)                                                                      \
    CW_BODY_FIELD(type, path first), CW_BODY_FIELD(type, path epoch), CW_BODY_FIELD(type, path probe), \
        CW_BODY_FIELD(type, path verdict.pass), CW_BODY_FIELD(type, path verdict.fail)

static const struct cw_body_field commit_fields[] = {COMMIT_FIELDS(struct cw_kilo_commit_body, )};
static const struct cw_body_field log_fields[] = {
    COMMIT_FIELDS(struct cw_kilo_log_body, commit.),
    CW_TX_LOG_FIELDS(struct cw_kilo_log_body, log),
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
