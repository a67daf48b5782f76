/* SPDX-License-Identifier: Apache-2.0 */
#include "bins.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bins_private.h"
#include "rtl_os.h"

struct cw_bin_probe {
    struct cw_bins *bins;
    struct cw_port *port;
    uint64_t *param;
    uint64_t *value, *next; /* of each slot, in this cycle; of registers in the next one */
};

void cw_bins_close(struct cw_bins *bins)
{
    if (bins == NULL)
        return;
    for (uint32_t i = 0; i < bins->rule_cnt; i++)
        free(bins->rule[i].code.insn);
    for (uint32_t i = 0; i < bins->bin_cnt; i++) {
        free(bins->bin[i].name);
        free(bins->bin[i].hole);
    }
    free(bins->rule);
    free(bins->bin);
    free(bins);
}

int cw_bins_open(struct cw_bins **bins, const struct cw_unit *unit, const char *path, struct cw_error *err)
{
    struct cw_bins *b = calloc(1, sizeof *b);
    char *text = cw_os_read_file(path, NULL);
    int status = b == NULL ? cw_fail(err, CW_ENOMEM, "out of memory") : CW_OK;
    *bins = NULL;
    if (status == CW_OK && text == NULL)
        status = cw_fail(err, CW_EIO, "cannot read %s, the bins of %s", path, unit->name);
    if (status == CW_OK) {
        b->unit = unit;
        status = cw_bins__read(b, text, path, err);
    }
    free(text);
    if (status == CW_OK)
        *bins = b;
    else
        cw_bins_close(b);
    return status;
}

uint32_t cw_bins_count(const struct cw_bins *bins)
{
    return bins->bin_cnt;
}

const char *cw_bins_name(const struct cw_bins *bins, uint32_t i)
{
    return bins->bin[i].name;
}

const char *cw_bins_hole(const struct cw_bins *bins, uint32_t i)
{
    return bins->bin[i].hole;
}

uint64_t cw_bins_hits(const struct cw_bins *bins, uint32_t i)
{
    return bins->bin[i].hits;
}

bool cw_bins_missed(const struct cw_bins *bins, uint32_t i)
{
    return bins->bin[i].missed;
}

/* Probes -------------------------------------------------------------------------------------------------------------- */

void cw_bin_probe_destroy(struct cw_bin_probe *probe)
{
    if (probe == NULL)
        return;
    free(probe->port);
    free(probe->param);
    free(probe->value);
    free(probe->next);
    free(probe);
}

struct cw_bin_probe *cw_bin_probe_create(struct cw_bins *bins, const void *params)
{
    const struct cw_unit *unit = bins->unit;
    struct cw_bin_probe *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->bins = bins;
    p->port = calloc(unit->port_cnt + 1, sizeof *p->port);
    p->param = calloc(unit->param_cnt + 1, sizeof *p->param);
    p->value = calloc(bins->slot_cnt + 1, sizeof *p->value);
    p->next = calloc(bins->slot_cnt + 1, sizeof *p->next);
    if (p->port == NULL || p->param == NULL || p->value == NULL || p->next == NULL) {
        cw_bin_probe_destroy(p);
        return NULL;
    }
    unit->ports(params, p->port);
    for (uint32_t i = 0; i < unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)params + unit->params[i].offset, sizeof value);
        p->param[i] = value;
    }
    return p;
}

void cw_bin_probe_reset(struct cw_bin_probe *p)
{
    memset(p->value, 0, p->bins->slot_cnt * sizeof *p->value);
}

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static uint64_t port_value(const struct cw_port *port, const void *in, const void *out)
{
    uint64_t value;
    memcpy(&value, (const char *)(port->dir == CW_PORT_IN ? in : out) + port->offset, sizeof value);
    return value & mask_of(port->width);
}

/* 0 for a word that the port does not have. */
static uint64_t port_word(const struct cw_port *port, uint64_t word, const void *in, const void *out)
{
    uint32_t value;
    if (word * 32 >= port->width)
        return 0;
    memcpy(&value, (const char *)(port->dir == CW_PORT_IN ? in : out) + port->offset + 4 * word, sizeof value);
    return value & mask_of(port->width - 32 * (uint32_t)word < 32 ? port->width - 32 * (uint32_t)word : 32);
}

static uint64_t arithmetic(enum bin_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case BIN_MUL:
        return a * b;
    case BIN_DIV:
        return b != 0 ? a / b : 0;
    case BIN_MOD:
        return b != 0 ? a % b : 0;
    case BIN_ADD:
        return a + b;
    case BIN_SUB:
        return a - b;
    case BIN_SHL:
        return b < 64 ? a << b : 0;
    case BIN_SHR:
        return b < 64 ? a >> b : 0;
    case BIN_AND:
        return a & b;
    case BIN_XOR:
        return a ^ b;
    default:
        return a | b;
    }
}

static uint64_t comparison(enum bin_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case BIN_LT:
        return a < b;
    case BIN_LE:
        return a <= b;
    case BIN_GT:
        return a > b;
    case BIN_GE:
        return a >= b;
    case BIN_EQ:
        return a == b;
    case BIN_NE:
        return a != b;
    case BIN_BOTH:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

static uint64_t of_one(enum bin_op op, uint64_t a)
{
    switch (op) {
    case BIN_NOT:
        return a == 0;
    case BIN_INVERT:
        return ~a;
    case BIN_NEGATE:
        return -a;
    default:
        return (uint64_t)__builtin_popcountll(a);
    }
}

static bool compares(enum bin_op op)
{
    return (op >= BIN_LT && op <= BIN_NE) || op >= BIN_BOTH;
}

/* Its value. The reader has seen that the stack suffices. */
static uint64_t evaluate(const struct cw_bin_probe *p, const struct bin_code *code, const void *in, const void *out)
{
    uint64_t stack[BIN_STACK], *top = stack - 1;
    for (const struct bin_insn *i = code->insn, *end = i + code->cnt; i != end; i++)
        switch (i->op) {
        case BIN_CONST:
            *++top = i->operand;
            break;
        case BIN_PORT:
            *++top = port_value(&p->port[i->operand], in, out);
            break;
        case BIN_WORD:
            *top = port_word(&p->port[i->operand], *top, in, out);
            break;
        case BIN_PARAM:
            *++top = p->param[i->operand];
            break;
        case BIN_VALUE:
            *++top = p->value[i->operand];
            break;
        case BIN_NOT:
        case BIN_INVERT:
        case BIN_NEGATE:
        case BIN_ONES:
            *top = of_one(i->op, *top);
            break;
        case BIN_CHOOSE:
            top -= 2;
            *top = top[0] != 0 ? top[1] : top[2];
            break;
        default:
            top--;
            *top = compares(i->op) ? comparison(i->op, top[0], top[1]) : arithmetic(i->op, top[0], top[1]);
        }
    return *top;
}

static void count(struct cw_bins *bins, struct bin *bin, bool met)
{
    if (!met)
        bin->missed = true;
    else
        bins->open_cnt -= ++bin->hits == CW_BINS_ENOUGH;
}

void cw_bin_probe_cycle(struct cw_bin_probe *p, const void *in, const void *out)
{
    struct cw_bins *bins = p->bins;
    if (bins->open_cnt == 0)
        return;
    for (uint32_t i = 0; i < bins->rule_cnt; i++) {
        const struct bin_rule *rule = &bins->rule[i];
        if (rule->kind != BIN_COUNT)
            (rule->kind == BIN_LET ? p->value : p->next)[rule->slot] = evaluate(p, &rule->code, in, out);
        else if (bins->bin[rule->slot].hits < CW_BINS_ENOUGH)
            count(bins, &bins->bin[rule->slot], evaluate(p, &rule->code, in, out) != 0);
    }
    for (uint32_t i = 0; i < bins->rule_cnt; i++)
        if (bins->rule[i].kind == BIN_REGISTER)
            p->value[bins->rule[i].slot] = p->next[bins->rule[i].slot];
}
