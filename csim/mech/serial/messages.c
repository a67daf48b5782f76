/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of the system's messages hold. */
#include "mech/serial/serial_private.h"
#include "mech/tm/access.h"

/* A store brings its bytes along. */
static bool brings_bytes(const struct cw_message *m)
{
    return m->kind == CW_MSG_PASS;
}

struct access_alone {
    struct cw_tx_access_body b;
};
static const struct cw_body_field access_fields[] = {CW_TX_ACCESS_FIELDS(struct access_alone, b, brings_bytes, cw_tx_answers)};
CW_MESSAGE_TYPE(cw_serialised_access, "serialised_access", struct cw_tx_access_body, access_fields);
const struct cw_message_type *const cw_serialised_messages[] = {&cw_serialised_access_type, NULL};
