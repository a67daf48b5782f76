/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cw_rtl_build_<unit>: the build system's way to the RTL builder. Compiled once per unit with CW_UNIT=<unit>.
 *
 *   cw_rtl_build_<unit> DIR STAMP [field=value ...]
 *
 * builds the library for the default parameters with these changes into DIR and writes its path to STAMP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cowarp/unit.h"
#include "rtl_build.h"

#define CW_GLUE3(a, b, c) a##b##c
#define CW_UNIT_SYMBOL(u) CW_GLUE3(cw_, u, _unit)

extern const struct cw_unit CW_UNIT_SYMBOL(CW_UNIT);

static void print_message(void *context, const char *text)
{
    (void)context;
    printf("%s\n", text);
    fflush(stdout);
}

static int set_param(const struct cw_unit *unit, void *params, const char *setting, struct cw_error *err)
{
    const char *equals = strchr(setting, '=');
    for (uint32_t i = 0; equals != NULL && i < unit->param_cnt; i++) {
        const char *name = unit->params[i].name;
        uint32_t value = (uint32_t)strtoul(equals + 1, NULL, 0);
        if (strlen(name) != (size_t)(equals - setting) || strncmp(name, setting, strlen(name)) != 0)
            continue;
        memcpy((char *)params + unit->params[i].offset, &value, sizeof value);
        return CW_OK;
    }
    return cw_fail(err, CW_EINVAL, "%s has no parameter '%s'", unit->name, setting);
}

static int build(int argc, char **argv, struct cw_error *err)
{
    const struct cw_unit *unit = &CW_UNIT_SYMBOL(CW_UNIT);
    struct cw_rtl_build_options opt = {.cache_dir = argv[1], .message = print_message};
    char path[CW_PATH_MAX];
    void *params = calloc(1, unit->params_size);
    int status = params != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        cw_unit_params_default(unit, params);
    for (int i = 3; i < argc && status == CW_OK; i++)
        status = set_param(unit, params, argv[i], err);
    if (status == CW_OK)
        status = cw_rtl_find(path, unit, params, &opt, err);
    free(params);
    if (status != CW_OK)
        return status;
    FILE *stamp = fopen(argv[2], "w");
    if (stamp == NULL || fprintf(stamp, "%s\n", path) < 0 || fclose(stamp) != 0)
        return cw_fail(err, CW_EIO, "cannot write %s", argv[2]);
    return CW_OK;
}

int main(int argc, char **argv)
{
    struct cw_error err = {""};
    if (argc < 3) {
        fprintf(stderr, "usage: %s DIR STAMP [field=value ...]\n", argv[0]);
        return 2;
    }
    if (build(argc, argv, &err) == CW_OK)
        return 0;
    fprintf(stderr, "error: %s\n", err.text);
    return 1;
}
