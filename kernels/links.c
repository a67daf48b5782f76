/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include <string.h>

/* A field between its 4 or 8 bytes on the GPU and its number. base: the address of node 0 of the set. */
static void field_put(const struct links *form, const struct links_field *f, uint8_t *node, uint32_t number, uint64_t base)
{
    const uint64_t to = base + (uint64_t)number * form->bytes;
    memcpy(node + f->at, f->is_link ? (const void *)&to : (const void *)&number, f->is_link ? sizeof to : sizeof number);
}

uint64_t links_upload(struct session *s, const struct links *form, const uint32_t *word, uint32_t sets, uint64_t nodes)
{
    const uint64_t bytes = sets * nodes * form->bytes, address = session_upload_shared(s, NULL, bytes);
    uint8_t *all = session_array(s, sets * nodes, form->bytes);
    for (uint64_t k = 0; s->status == 0 && k < sets * nodes; k++)
        for (uint32_t i = 0; i < form->field_cnt; i++)
            field_put(form, &form->field[i], all + k * form->bytes, word[k * form->stride + form->field[i].word],
                      address + k / nodes * nodes * form->bytes);
    session_write(s, address, all, bytes);
    return s->status == 0 ? address : 0;
}

static uint32_t field_get(struct session *s, const struct links *form, const struct links_field *f, const uint8_t *node, uint64_t base,
                          uint64_t nodes)
{
    uint32_t number = 0;
    uint64_t to = 0;
    if (!f->is_link) {
        memcpy(&number, node + f->at, sizeof number);
        return number;
    }
    memcpy(&to, node + f->at, sizeof to);
    if (to < base || (to - base) % form->bytes != 0 || (to - base) / form->bytes >= nodes) {
        session_fail(s, COWARP_ECHECK, "a pointer at byte %u of a node leads to 0x%llx, where no node is", f->at, (unsigned long long)to);
        return 0;
    }
    return (uint32_t)((to - base) / form->bytes);
}

void links_read(struct session *s, const struct links *form, uint32_t *word, uint64_t address, uint32_t sets, uint64_t nodes)
{
    uint8_t *all = session_array(s, sets * nodes, form->bytes);
    session_read(s, all, address, sets * nodes * form->bytes);
    for (uint64_t k = 0; s->status == 0 && k < sets * nodes; k++)
        for (uint32_t i = 0; i < form->field_cnt; i++)
            word[k * form->stride + form->field[i].word] =
                field_get(s, form, &form->field[i], all + k * form->bytes, address + k / nodes * nodes * form->bytes, nodes);
}
