/* SPDX-License-Identifier: Apache-2.0 */
/* atm: 122,880 transfers between accounts (GETM Table III). The check replays the transfers one after the other: addition commutes, so
 * every account's balance is known, and no lock is left taken. */
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"
#include "../stm.h"

enum { ACCOUNTS, TRANSFERS, BLOCKS, THREADS };
static const struct cowarp_workload_param params[] = {
    [ACCOUNTS] = {"accounts", 1000000, 2, 1 << 26, "accounts"},
    [TRANSFERS] = {"transfers", 122880, 1, 1 << 26, "transfers"},
    [BLOCKS] = {"blocks", 120, 1, 65535, "thread blocks"},
    [THREADS] = {"threads", 192, 1, 1024, "threads per block"},
};

struct account {
    uint32_t lock;
    int32_t balance;
};

struct transfer {
    uint32_t from, to;
    int32_t amount;
};

struct bank {
    uint32_t account_cnt, transfer_cnt;
    struct account *account;
    int32_t *expected;
    struct transfer *transfer;
};

static void make_inputs(struct bank *k, uint64_t seed)
{
    for (uint32_t i = 0; i < k->account_cnt; i++)
        k->account[i] = (struct account){0, k->expected[i] = (int32_t)(host_random(&seed) % 100000)};
    for (uint32_t i = 0; i < k->transfer_cnt; i++) {
        struct transfer *t = &k->transfer[i];
        t->from = (uint32_t)(host_random(&seed) % k->account_cnt);
        t->to = (uint32_t)((t->from + 1 + host_random(&seed) % (k->account_cnt - 1)) % k->account_cnt);
        t->amount = (int32_t)(1 + host_random(&seed) % 1000);
        k->expected[t->from] -= t->amount;
        k->expected[t->to] += t->amount;
    }
}

static int check(struct cowarp_workload_context *x, const struct bank *k)
{
    for (uint32_t i = 0; i < k->account_cnt; i++) {
        if (k->account[i].balance != k->expected[i]) {
            snprintf(x->message, sizeof x->message, "account %u has %d, expected %d", i, k->account[i].balance, k->expected[i]);
            return COWARP_ECHECK;
        }
        if (k->account[i].lock != 0) {
            snprintf(x->message, sizeof x->message, "the lock of account %u is left taken", i);
            return COWARP_ECHECK;
        }
    }
    snprintf(x->message, sizeof x->message, "all %u accounts have the right balance after %u transfers", k->account_cnt, k->transfer_cnt);
    return 0;
}

static int launch(struct cowarp_workload_context *x, const struct bank *k, uint64_t dtransfer, uint64_t daccount, uint64_t *dshared)
{
    struct cowarp_module *module;
    char name[64];
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, dshared, NULL, stm_bytes(x->variant));
    if (status != 0)
        return status;
    const struct cowarp_arg args[] = {COWARP_U64(dtransfer), COWARP_U64(daccount), COWARP_U32(k->transfer_cnt), COWARP_U64(*dshared)};
    return host_launch(x->gpu, module, stm_kernel(name, "atm", x->variant), (uint32_t)x->param[BLOCKS], (uint32_t)x->param[THREADS],
                       x->variant & (COWARP_TX | COWARP_FGLOCK) ? 3 : 4, args);
}

static int run_with(struct cowarp_workload_context *x, struct bank *k)
{
    uint64_t dtransfer, daccount, dshared = 0;
    make_inputs(k, x->seed);
    int status = host_upload(x->gpu, &dtransfer, k->transfer, k->transfer_cnt * sizeof *k->transfer);
    if (status == 0)
        status = host_upload_shared(x, &daccount, k->account, k->account_cnt * sizeof *k->account);
    if (status == 0)
        status = launch(x, k, dtransfer, daccount, &dshared);
    if (status == 0)
        status = cowarp_read(x->gpu, k->account, daccount, k->account_cnt * sizeof *k->account);
    return stm_finish(x, dshared, status == 0 ? check(x, k) : status);
}

static int run(struct cowarp_workload_context *x)
{
    struct bank k = {.account_cnt = (uint32_t)x->param[ACCOUNTS], .transfer_cnt = (uint32_t)x->param[TRANSFERS]};
    k.account = malloc(k.account_cnt * sizeof *k.account);
    k.expected = malloc(k.account_cnt * sizeof *k.expected);
    k.transfer = malloc(k.transfer_cnt * sizeof *k.transfer);
    int status = k.account && k.expected && k.transfer ? run_with(x, &k) : COWARP_ENOMEM;
    free(k.account);
    free(k.expected);
    free(k.transfer);
    return status;
}

const struct cowarp_workload cowarp_workload_atm = {
    .name = "atm",
    .folder = "atm",
    .what = "bank transfers between random accounts (GETM Table III)",
    .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
