/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that have been executed for some time get native code, and warps enter it. */
#include "core/native.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/native_private.h"
#include "mem/direct.h"

#define WORTH_LEAST 150000u /* Warp instructions behind which a piece of code pays for being made: these, */
#define WORTH_EACH  4000u   /* And for each of its micro-operations these */
#define PART        256u    /* Micro-operations of a piece: LLVM's time grows faster than a function */
#define SHAPES      2u      /* For some lanes of a warp, and for all of them */

/* Threads of a launch share it: they read and write it by atomic accesses. */
struct cw_native_piece {
    cw_native_code *code; /* Valid behind `tried`. NULL: there is none */
    bool tried;
    uint32_t executed; /* Warp instructions without code. Of those that threads count at once some are lost. */
};

/* A kernel, and what there is of it. */
struct cw_native_kernel {
    struct cw_native_kernel *next;
    const struct cw_kernel *kernel;
    uint64_t sum; /* Of all that the code was made from */
    struct cw_native_source source;
    uint8_t *kind;
    cw_native_access **access;
    struct cw_native_piece *piece[SHAPES]; /* [micro-operation / PART] */
    uint32_t *entry[SHAPES];               /* [micro-operation] */
};

/* The code of all kernels. Launches begin in one thread, so the list changes while there are no others. */
struct cw_native_store {
    const struct cw_native_compiler *compiler;
    uint32_t users;
    bool broken, at_once;
    pthread_mutex_t compiles; /* Held by the thread that does */
    void *self;               /* The compiler's; NULL: not open */
    struct cw_native_kernel *kernels;
};

struct cw_native {
    struct cw_native_store *store;
    struct cw_native_kernel *current;
    struct cw_native_site *site; /* [micro-operation] of the current kernel: this thread's */
    uint32_t sites;              /* So many have room. */
    const struct cw_memory *memory;
    uint64_t host; /* From a device address to the host's */
};

static int create_store(struct cw_native_store **out, const struct cw_native_compiler *compiler, bool at_once, struct cw_error *err)
{
    struct cw_native_store *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    pthread_mutex_init(&s->compiles, NULL);
    s->compiler = compiler;
    s->at_once = at_once;
    *out = s;
    return at_once ? compiler->open(&s->self, err) : CW_OK;
}

int cw_native_create(struct cw_native **out, const struct cw_native *with, const struct cw_native_compiler *compiler, bool at_once,
                     struct cw_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    (*out)->store = with != NULL ? with->store : NULL;
    const int status = with != NULL ? CW_OK : create_store(&(*out)->store, compiler, at_once, err);
    if ((*out)->store != NULL)
        (*out)->store->users++;
    return status;
}

static void free_kernel(struct cw_native_kernel *k)
{
    for (uint32_t i = 0; i < SHAPES; i++) {
        free(k->entry[i]);
        free(k->piece[i]);
    }
    free(k->kind);
    free(k->access);
    free(k);
}

static void destroy_store(struct cw_native_store *s)
{
    if (s->self != NULL)
        s->compiler->close(s->self);
    while (s->kernels != NULL) {
        struct cw_native_kernel *k = s->kernels;
        s->kernels = k->next;
        free_kernel(k);
    }
    pthread_mutex_destroy(&s->compiles);
    free(s);
}

void cw_native_destroy(struct cw_native *n)
{
    if (n == NULL)
        return;
    if (n->store != NULL && --n->store->users == 0)
        destroy_store(n->store);
    free(n->site);
    free(n);
}

/* ---- a launch ---- */

static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

/* A module that is loaded where another one was has other instructions or constants. */
static uint64_t sum_of(const struct cw_core_warps *warps, const struct cw_kernel *k)
{
    uint64_t sum = mix(k->digest, k->uop, k->uop_cnt * sizeof *k->uop);
    sum = mix(sum, k->c32, k->c32_cnt * sizeof *k->c32 * CW_LANES);
    sum = mix(sum, k->c64, k->c64_cnt * sizeof *k->c64 * CW_LANES);
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        sum = mix(sum ^ warps->op[i].kind, &sum, sizeof sum);
    return sum;
}

static enum cw_native_kind kind_of(const struct cw_uop *u, enum cw_issue_kind kind)
{
    if (u->op == CW_OP_NOP)
        return CW_NATIVE_NOTHING;
    switch (kind) {
    case CW_ISSUE_EXEC:
    case CW_ISSUE_SPECIAL:
    case CW_ISSUE_RIDES:
        return CW_NATIVE_EXEC;
    case CW_ISSUE_WARP:
        return CW_NATIVE_WHOLE;
    case CW_ISSUE_WARP_BARRIER:
        return CW_NATIVE_TOGETHER;
    case CW_ISSUE_FENCE:
    case CW_ISSUE_NOP:
        return CW_NATIVE_NOTHING;
    case CW_ISSUE_MEM:
    case CW_ISSUE_CONST:
        return cw_core__native_access(u) != NULL ? CW_NATIVE_ACCESS : CW_NATIVE_STOP;
    case CW_ISSUE_BRANCH:
        return CW_NATIVE_BRANCH;
    default:
        return CW_NATIVE_STOP;
    }
}

static struct cw_native_kernel *create_kernel(const struct cw_core_warps *warps, const struct cw_kernel *kernel)
{
    struct cw_native_kernel *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->kernel = kernel;
    k->kind = malloc(kernel->uop_cnt);
    k->access = calloc(kernel->uop_cnt, sizeof *k->access);
    bool ok = k->kind != NULL && k->access != NULL;
    for (uint32_t i = 0; i < SHAPES; i++) {
        k->entry[i] = calloc(kernel->uop_cnt, sizeof *k->entry[i]);
        k->piece[i] = calloc(kernel->uop_cnt / PART + 1, sizeof *k->piece[i]);
        ok = ok && k->entry[i] != NULL && k->piece[i] != NULL;
    }
    if (!ok) {
        free_kernel(k);
        return NULL;
    }
    for (uint32_t i = 0; i < kernel->uop_cnt; i++) {
        k->kind[i] = (uint8_t)kind_of(&kernel->uop[i], (enum cw_issue_kind)warps->op[i].kind);
        k->access[i] = k->kind[i] == CW_NATIVE_ACCESS ? cw_core__native_access(&kernel->uop[i]) : NULL;
    }
    k->source = (struct cw_native_source){.kernel = kernel, .kind = k->kind, .access = k->access};
    return k;
}

static struct cw_native_kernel *find_kernel(struct cw_native_store *s, const struct cw_core_warps *warps, const struct cw_kernel *kernel)
{
    const uint64_t sum = sum_of(warps, kernel);
    for (struct cw_native_kernel *k = s->kernels; k != NULL; k = k->next)
        if (k->kernel == kernel && k->sum == sum)
            return k;
    struct cw_native_kernel *k = create_kernel(warps, kernel);
    if (k == NULL)
        return NULL;
    k->sum = sum;
    k->next = s->kernels;
    s->kernels = k;
    return k;
}

/* The thread's sites, of which it knows nothing: what was allocated in an earlier launch may be free now. */
static bool renew_sites(struct cw_native *n, const struct cw_kernel *kernel)
{
    if (n->sites < kernel->uop_cnt) {
        free(n->site);
        n->site = malloc(kernel->uop_cnt * sizeof *n->site);
        n->sites = n->site != NULL ? kernel->uop_cnt : 0;
    }
    for (uint32_t i = 0; n->site != NULL && i < kernel->uop_cnt; i++)
        n->site[i] = (struct cw_native_site){.uop = &kernel->uop[i]};
    return n->site != NULL;
}

bool cw_core__native_launch(struct cw_native *n, const struct cw_core_memory *core, const struct cw_memory *memory)
{
    const struct cw_core_warps *warps = &core->blocks.cache.warps;
    const struct cw_kernel *kernel = warps->launch->kernel;
    n->memory = memory;
    if (n->store->broken || warps->halves != 1 || warps->cfg.checks != 0 || warps->config->core_lcp != CW_LCP_OFF ||
        (warps->control->ops->await != NULL && warps->control->ops->stacked == NULL) || !cw_memory_direct(memory, &n->host))
        return false;
    n->current = find_kernel(n->store, warps, kernel);
    return n->current != NULL && renew_sites(n, kernel);
}

/* ---- code ---- */

/* Nobody else compiles. */
static void compile(struct cw_native_store *s, const struct cw_native_kernel *k, struct cw_native_piece *p,
                    const struct cw_native_part *part)
{
    struct cw_error err;
    cw_native_code *code = NULL;
    if (s->self == NULL && s->compiler->open(&s->self, &err) != CW_OK)
        s->broken = true;
    if (s->broken || s->compiler->compile(s->self, &k->source, part, &code, k->entry[part->whole], &err) != CW_OK)
        code = NULL;
    p->code = code;
    __atomic_store_n(&p->tried, true, __ATOMIC_RELEASE);
}

/* Makes the code, unless another thread makes some: then the warp goes on without. */
static void try_to_compile(const struct cw_native *n, struct cw_native_piece *p, const struct cw_native_part *part)
{
    struct cw_native_store *s = n->store;
    if (s->at_once)
        pthread_mutex_lock(&s->compiles);
    else if (pthread_mutex_trylock(&s->compiles) != 0)
        return;
    if (!p->tried)
        compile(s, n->current, p, part);
    pthread_mutex_unlock(&s->compiles);
}

/* The code that has the micro-operation, for these lanes. NULL: there is none, or it would not pay yet. */
static cw_native_code *code_at(const struct cw_native *n, uint32_t pc, bool whole)
{
    struct cw_native_piece *p = &n->current->piece[whole][pc / PART];
    if (__atomic_load_n(&p->tried, __ATOMIC_ACQUIRE))
        return p->code;
    const uint32_t first = pc - pc % PART, left = n->current->kernel->uop_cnt - first;
    const struct cw_native_part part = {.first = first, .end = first + (left < PART ? left : PART), .whole = whole};
    const uint32_t executed = __atomic_load_n(&p->executed, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&p->executed, executed, __ATOMIC_RELAXED);
    if (executed >= WORTH_LEAST + WORTH_EACH * (part.end - first) || n->store->at_once)
        try_to_compile(n, p, &part);
    return __atomic_load_n(&p->tried, __ATOMIC_ACQUIRE) ? p->code : NULL;
}

static uint8_t *local_of(const struct cw_native *n, const struct cw_core_memory *core, uint32_t w)
{
    return (uint8_t *)(uintptr_t)(cw_core__local_word(&core->blocks.cache, w, 0, 0, 0) + n->host);
}

static struct cw_native_frame frame_of(const struct cw_native *n, const struct cw_core_memory *core, uint32_t w, uint64_t most)
{
    const struct cw_core_warps *warps = &core->blocks.cache.warps;
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_launch *launch = warps->launch;
    return (struct cw_native_frame){
        .r32 = warp->x[0].r32,
        .r64 = warp->x[0].r64,
        .pred = warp->x[0].pred,
        .x = &warp->x[0],
        .live = (uint32_t)warp->live,
        .polled = warp->polled,
        .left = most,
        .shared = core->blocks.shared + warps->block[warp->block].shared_base,
        .shared_bytes = launch->shared_bytes,
        .local = launch->kernel->local_bytes != 0 ? local_of(n, core, w) : NULL,
        .local_bytes = launch->kernel->local_bytes,
        .constant = launch->module->const_image,
        .constant_bytes = launch->module->const_bytes,
        .site = n->site,
        .memory = n->memory,
        .host = n->host,
    };
}

/* The code for where the warp is, and where it is to be entered. NULL: there is none. */
static cw_native_code *entry_of(const struct cw_native *n, const struct cw_front *front, uint32_t *entry)
{
    const bool whole = front->active == UINT32_MAX;
    cw_native_code *code = code_at(n, front->pc, whole);
    *entry = code != NULL ? n->current->entry[whole][front->pc] : CW_NATIVE_NO_ENTRY;
    return *entry != CW_NATIVE_NO_ENTRY ? code : NULL;
}

/* The code has stopped in front of a branch that only some active lanes take. Behind it each side has code of its own. false: it is no such
 * branch, or the core is to see to it. */
static bool part(const struct cw_native *n, const struct cw_core_warps *warps, uint32_t w, struct cw_native_frame *f,
                 const struct cw_branch *branches)
{
    const uint32_t pc = warps->front[w].pc, active = (uint32_t)warps->front[w].active;
    if (f->left == 0 || n->current->kind[pc] != CW_NATIVE_BRANCH)
        return false;
    const struct cw_uop *u = &n->current->kernel->uop[pc];
    const uint32_t taken = cw_exec_guard(u, f->x, active);
    if (taken == 0 || taken == active || (u->target <= pc && f->polled != 0))
        return false;
    f->left--;
    f->threads += cw_lanes_count(taken);
    f->progress += u->target <= pc && (u->flags & CW_UF_ENDLESS) == 0;
    warps->control->ops->branch(warps->control, w, taken, &branches[pc]);
    return true;
}

/* The code has stopped at pc. The stack hears of what has led there. */
static void stop_at(const struct cw_core_warps *warps, uint32_t w, struct cw_native_frame *f, uint32_t pc, const struct cw_branch *branches)
{
    for (uint32_t i = 0; i < f->parted; i++) {
        const struct cw_native_parting *p = &f->parting[i];
        const struct cw_branch *b = &branches[p->pc];
        cw_control_advance(warps->control, w, p->pc);
        warps->control->ops->branch(warps->control, w, p->taken, b);
        if (p->second != 0 && p->taken != 0 && b->target != b->rpc) /* Lanes that have no way to go have no side in the stack. */
            cw_control_advance(warps->control, w, b->rpc);
    }
    f->parted = 0;
    cw_control_advance(warps->control, w, pc);
}

/* From piece to piece. */
static void go_on(const struct cw_native *n, struct cw_core_warps *warps, uint32_t w, struct cw_native_frame *f,
                  const struct cw_branch *branches)
{
    const struct cw_front *front = &warps->front[w];
    uint32_t entry;
    for (cw_native_code *code = entry_of(n, front, &entry); code != NULL; code = entry_of(n, front, &entry)) {
        const uint64_t left = f->left;
        f->active = (uint32_t)front->active;
        f->stop = front->stop;
        const uint32_t pc = code(f, entry);
        if (f->left != left)
            stop_at(warps, w, f, pc, branches);
        if (!part(n, warps, w, f, branches) && f->left == left)
            return;
    }
}

uint64_t cw_core__native_run(const struct cw_native *n, struct cw_core_memory *core, const struct cw_branch *branches, uint32_t w,
                             uint64_t most)
{
    struct cw_core_warps *warps = &core->blocks.cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    uint32_t entry;
    if (warp->in_region || (warp->spin != 0 && warp->spin % CW_TURN_POLLS == 0))
        return 0;
    if (warps->control->ops->stacked != NULL && !warps->control->ops->stacked(warps->control, w))
        return 0;
    if (entry_of(n, &warps->front[w], &entry) == NULL)
        return 0;
    struct cw_native_frame frame = frame_of(n, core, w, most);
    go_on(n, warps, w, &frame, branches);
    warps->cycle += most - frame.left;
    warp->polled = frame.polled != 0;
    if (frame.progress != 0)
        cw_core__progress(warps, warp);
    return frame.threads;
}
