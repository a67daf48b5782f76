/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/in_file.h"

int cli_texts(struct cw_fatbin_texts *texts, const char *path)
{
    struct cw_error err;
    char *data;
    size_t length;
    int status = CLI_OK;
    *texts = (struct cw_fatbin_texts){0};
    if (!cw_in_file_is_regular(path))
        return CLI_OK;
    if (cw_in_file_read(&data, &length, path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "%s", err.text);
    if (cw_fatbin_texts_are(data, length) && cw_fatbin_texts_read(texts, data, length, path, &err) != CW_OK)
        status = cli_error(CLI_WRONG, "%s", err.text);
    free(data);
    if (status != CLI_OK)
        cw_fatbin_texts_free(texts);
    return status;
}

int cli_text_of(const struct cw_fatbin_one **one, const struct cw_fatbin_texts *texts, const char *kernel, const char *path)
{
    *one = texts->cnt == 1 ? &texts->one[0] : NULL; /* then cowarp_run says what else a wrong name may mean */
    for (uint32_t i = 0; *one == NULL && i < texts->cnt; i++)
        if (cw_fatbin_has_kernel(texts->one[i].text, kernel))
            *one = &texts->one[i];
    if (texts->cnt > 0 && *one == NULL)
        return cli_error(CLI_WRONG, "%s: none of its %" PRIu32 " PTX texts has a kernel '%s'; --list tells the names", path, texts->cnt,
                         kernel);
    return CLI_OK;
}

/* As --arg has it. */
static void print_param(const struct cowarp_param *p)
{
    if (p->kind == COWARP_PARAM_AGGREGATE)
        printf("%s: bytes, %" PRIu32, p->name, p->bytes);
    else if (p->kind == COWARP_PARAM_SHARED)
        printf("%s: local", p->name);
    else
        printf("%s: %c%" PRIu32, p->name, p->kind == COWARP_PARAM_FLOAT ? 'f' : 'u', 8 * p->bytes);
}

static void print_kernels(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *file)
{
    const char *name;
    struct cowarp_param p;
    struct cowarp_kernel_info info = {.size = sizeof info};
    printf("%s\n", file);
    for (uint32_t k = 0; cowarp_kernel_at(module, k, &name); k++) {
        cowarp_kernel_info(gpu, module, name, &info);
        printf("  %s\n", name);
        for (uint32_t i = 0; cowarp_kernel_param_at(module, name, i, &p); i++) {
            printf("    ");
            print_param(&p);
            printf("\n");
        }
        if (info.refused != NULL)
            printf("    cannot run: %s\n", info.refused);
    }
}

static int load_and_print(struct cli_session *s, const struct cw_fatbin_texts *texts, const char *path)
{
    struct cowarp_module *module;
    int status = COWARP_OK;
    if (texts->cnt == 0) {
        status = cowarp_load_file(s->gpu, &module, path);
        if (status == COWARP_OK)
            print_kernels(s->gpu, module, path);
    }
    for (uint32_t i = 0; status == COWARP_OK && i < texts->cnt; i++) {
        const struct cw_fatbin_one *one = &texts->one[i];
        status = cowarp_load(s->gpu, &module, one->text, one->length, one->name);
        if (status == COWARP_OK)
            print_kernels(s->gpu, module, one->name);
    }
    return status == COWARP_OK ? CLI_OK : cli_error(cli_exit_of(status), "%s", cowarp_error(s->gpu));
}

int cli_kernels_list(const struct cli_parsed *p)
{
    struct cli_session s;
    struct cw_fatbin_texts texts;
    if (p->word_cnt != 1)
        return cli_error(CLI_WRONG, "exec --list needs one file");
    const char *path = cli_input(p->word[0]);
    int status = cli_texts(&texts, path);
    if (status != CLI_OK)
        return status;
    status = cli_session_open(&s, p, path, "none");
    if (status == CLI_OK) {
        s.quiet = true; /* what cannot run stands in the list */
        status = load_and_print(&s, &texts, path);
    }
    cli_session_close(&s);
    cw_fatbin_texts_free(&texts);
    return status;
}
