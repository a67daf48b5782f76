/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/waiting.h"

#include <stdlib.h>

#include "base/error.h"

int cw_waiting_create(struct cw_waiting *w, uint32_t cnt)
{
    w->cnt = cnt;
    w->message = calloc(cnt, sizeof *w->message);
    return w->message != NULL ? CW_OK : CW_ENOMEM;
}

void cw_waiting_destroy(struct cw_waiting *w)
{
    free(w->message);
}

uint32_t cw_waiting_free(const struct cw_waiting *w)
{
    uint32_t number = 0;
    while (number < w->cnt && w->message[number] != NULL)
        number++;
    return number;
}

void cw_waiting_state(struct cw_state *s, struct cw_waiting *w)
{
    for (uint32_t i = 0; i < w->cnt; i++)
        cw_message_state(s, &w->message[i]);
}
