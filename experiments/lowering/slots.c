/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the machine issues for each kernel of PTX files: a line "file kernel micro-operations slots words narrow w32 w64 w128" with the
 * micro-operations of the text, the issue slots that they take with core.lowering=ptxas, the 32-bit words that are live at once, and the
 * loads of shared memory by what a lane gets: less than 32 bits, 32, 64, 128.
 *
 *     ptx_slots PRESET FILE ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "mech/mechs.h"
#include "ptx/ptx.h"

static char *text_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*size + 1);
    if (text == NULL || fread(text, 1, *size, f) != *size)
        exit(2);
    fclose(f);
    return text;
}

static uint32_t width_of(const struct cw_uop *u)
{
    const uint32_t bytes = u->parts > 1 ? u->wide : cw_type_bytes((enum cw_type)u->type) * u->vec;
    return bytes >= 16 ? 3 : bytes / 4; /* 8: 2, 4: 1 */
}

static void print(const char *path, const struct cw_kernel *k)
{
    uint32_t slots = 0, loads[4] = {0};
    for (uint32_t i = 0; i<k->uop_cnt; i += k->uop[i].parts> 1 ? k->uop[i].parts : 1) {
        const struct cw_uop *u = &k->uop[i];
        slots += u->rides ? 0 : 1u + u->slots;
        if (u->op == CW_OP_LD && u->space == CW_SPACE_SHARED)
            loads[width_of(u)]++;
    }
    printf("%s %s %u %u %u %u %u %u %u\n", path, k->name, k->uop_cnt, slots, k->live_regs, loads[0], loads[1], loads[2], loads[3]);
}

int main(int argc, char **argv)
{
    struct cw_config config;
    struct cw_error err;
    const struct cw_intrinsic **intrinsics = calloc(cw_mech_cnt() + 1, sizeof *intrinsics);
    if (argc < 3 || intrinsics == NULL) {
        fprintf(stderr, "usage: ptx_slots PRESET FILE ...\n");
        return 2;
    }
    cw_mech_intrinsics(intrinsics);
    if (cw_config_preset(&config, argv[1], &err) != CW_OK) {
        fprintf(stderr, "ptx_slots: %s\n", err.text);
        return 2;
    }
    const struct cw_ir_wishes wishes = {.machine = &config};
    for (int i = 2; i < argc; i++) {
        struct cw_module *m;
        size_t size;
        char *text = text_of(argv[i], &size);
        if (cw_ptx_load(&m, text, size, argv[i], intrinsics, &wishes, &err) != CW_OK) {
            fprintf(stderr, "ptx_slots: %s\n", err.text);
            return 1;
        }
        for (uint32_t j = 0; j < m->kernel_cnt; j++)
            if (m->kernel[j].refused == NULL)
                print(argv[i], &m->kernel[j]);
        cw_module_destroy(m);
        free(text);
    }
    free(intrinsics);
    return 0;
}
