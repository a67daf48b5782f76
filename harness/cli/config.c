/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp config: the machine's parameters as TOML, or one of them explained. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "cli.h"

static int load(struct cw_config *config, const struct cli_parsed *p)
{
    struct cw_error err;
    const char *file = cli_value(p, "config", NULL);
    const char **settings = cli_values(p, "set", 0);
    if (settings == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    int status = cw_config_preset(config, cli_value(p, "preset", "getm"), &err);
    if (status == CW_OK && file != NULL)
        status = cw_config_load(config, file, &err);
    for (uint32_t i = 0; status == CW_OK && settings[i] != NULL; i++)
        status = cw_config_set(config, settings[i], &err);
    if (status == CW_OK)
        status = cw_config_check(config, &err);
    free(settings);
    return status == CW_OK ? CLI_OK : cli_error(cli_exit(status), "%s", err.text);
}

static int explain(const struct cw_config *config, const char *name)
{
    struct cw_error err;
    struct cw_config_info info;
    uint32_t index;
    char text[32];
    if (cw_config_find(&index, name, &err) != CW_OK)
        return cli_error(CLI_WRONG, "%s", err.text);
    cw_config_info(config, index, &info);
    cw_config_value_text(&info, text);
    printf("%s = %s%s%s\n  what    %s\n", name, text, info.unit[0] != '\0' ? " " : "", info.unit, info.what);
    if (info.words != NULL)
        printf("  takes   %s\n", info.words);
    else
        printf("  takes   %" PRIu32 " to %" PRIu32 " %s\n", info.minimum, info.maximum, info.unit);
    printf("  source  %s\n", info.source);
    return CLI_OK;
}

static int config_command(const struct cli_parsed *p)
{
    struct cw_config config;
    if (p->word_cnt > 1)
        return cli_error(CLI_WRONG, "config explains one parameter, not '%s' too; see 'cowarp help config'", p->word[1]);
    int status = load(&config, p);
    if (status != CLI_OK)
        return status;
    if (p->word_cnt == 1)
        return explain(&config, p->word[0]);
    cw_config_write(&config, stdout);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"preset", "NAME", false, "machine to start from (default getm); 'cowarp list' shows all"},
    {"config", "FILE", false, "TOML file of parameters, over the preset"},
    {"set", "NAME=VALUE", true, "one parameter, over both"},
};

const struct cli_command cli_config = {
    .name = "config",
    .usage = "[NAME] [OPTIONS]",
    .what = "Prints all parameters as a TOML file with units and sources, or explains one",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .run = config_command,
};
