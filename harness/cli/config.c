/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp config: the machine's parameters as TOML, or one of them explained. */
#define _GNU_SOURCE /* strcasestr */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file/json.h"

static int load(struct cowarp_config **config, const struct cli_parsed *p)
{
    struct cowarp_options o;
    const char **settings = cli_values(p, "set", 0);
    *config = NULL;
    if (settings == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    cowarp_options_init(&o);
    o.preset = cli_value(p, "preset", o.preset);
    o.config_file = cli_input(cli_value(p, "config", NULL));
    o.settings = settings;
    const int status = cowarp_config_create(config, &o);
    free(settings);
    return status == COWARP_OK ? CLI_OK : cli_error(cli_exit(status), "%s", cowarp_config_error(*config));
}

static bool is_preset(const char *word)
{
    const char *name, *what;
    for (uint32_t i = 0; cowarp_preset_at(i, &name, &what); i++)
        if (strcmp(name, word) == 0)
            return true;
    return false;
}

static bool is_in_table(const struct cowarp_key *key, const char *table)
{
    const size_t length = strlen(table);
    return strncmp(key->name, table, length) == 0 && key->name[length] == '.';
}

/* Whatever the case of its letters. */
static bool speaks_of(const struct cowarp_key *key, const char *word)
{
    return strcasestr(key->name, word) != NULL || strcasestr(key->unit, word) != NULL || strcasestr(key->what, word) != NULL ||
           strcasestr(key->source, word) != NULL || (key->words != NULL && strcasestr(key->words, word) != NULL);
}

/* One parameter as JSON. */
static void print_json(const struct cowarp_key *key, bool first)
{
    const struct {
        const char *name, *value;
    } members[] = {{"name", key->name}, {"unit", key->unit}, {"what", key->what}, {"source", key->source}, {"words", key->words}};
    printf("%s  {", first ? "" : ",\n");
    for (uint32_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        printf("\"%s\": ", members[i].name);
        cw_json_string(stdout, members[i].value != NULL ? members[i].value : "");
        fputs(", ", stdout);
    }
    fputs("\"value\": ", stdout);
    if (key->words != NULL)
        cw_json_string(stdout, key->text);
    else
        printf("%s, \"minimum\": %" PRIu32 ", \"maximum\": %" PRIu32, key->text, key->minimum, key->maximum);
    fputs("}", stdout);
}

static bool is_any(const struct cowarp_key *key, const char *word)
{
    return word == NULL || strcmp(key->name, word) == 0;
}

/* The name is no parameter's. */
static int refuse_name(struct cowarp_config *config, const char *name)
{
    uint32_t i;
    if (is_preset(name))
        return cli_error(CLI_WRONG, "%s is a preset, no parameter; give --preset %s", name, name);
    return cowarp_config_find(config, name, &i) != COWARP_OK ? cli_error(CLI_WRONG, "%s", cowarp_config_error(config)) : CLI_OK;
}

/* All parameters, the one of that name, those of a table, or those that speak of the word. */
static int print_list(struct cowarp_config *config, const char *word)
{
    bool (*const ways[])(const struct cowarp_key *, const char *) = {is_any, is_in_table, speaks_of};
    struct cowarp_key key;
    uint32_t cnt = 0;
    for (uint32_t way = 0; cnt == 0 && way < (word != NULL ? 3 : 1); way++)
        for (uint32_t i = 0; cowarp_config_at(config, i, &key); i++)
            if (ways[way](&key, word)) {
                printf("%s", cnt == 0 ? "[\n" : "");
                print_json(&key, cnt++ == 0);
            }
    if (cnt == 0)
        return refuse_name(config, word);
    printf("\n]\n");
    return CLI_OK;
}

/* All parameters that are chosen. How many there are. */
static uint32_t print_chosen(struct cowarp_config *config, bool (*chosen)(const struct cowarp_key *key, const char *word), const char *word)
{
    struct cowarp_key key;
    uint32_t cnt = 0;
    for (uint32_t i = 0; cowarp_config_at(config, i, &key); i++) {
        if (!chosen(&key, word))
            continue;
        char left[96];
        snprintf(left, sizeof left, "%s = %s%s%s", key.name, key.text, key.unit[0] != '\0' ? " " : "", key.unit);
        printf("%-40s %s\n", left, key.what);
        cnt++;
    }
    return cnt;
}

/* All parameters of a table. How many there are. */
static uint32_t print_table(struct cowarp_config *config, const char *table)
{
    const uint32_t cnt = print_chosen(config, is_in_table, table);
    if (cnt > 0 && is_preset(table))
        printf("%s is a preset as well: cowarp config --preset %s\n", table, table);
    return cnt;
}

static int explain(struct cowarp_config *config, const char *name)
{
    struct cowarp_key key;
    uint32_t i;
    if (strchr(name, '.') == NULL && print_table(config, name) > 0)
        return CLI_OK;
    if (!is_preset(name) && strchr(name, '.') == NULL && print_chosen(config, speaks_of, name) > 0)
        return CLI_OK;
    if (refuse_name(config, name) != CLI_OK)
        return CLI_WRONG;
    cowarp_config_find(config, name, &i);
    cowarp_config_at(config, i, &key);
    printf("%s = %s%s%s\n  what    %s\n", name, key.text, key.unit[0] != '\0' ? " " : "", key.unit, key.what);
    if (key.words != NULL)
        printf("  takes   %s\n", key.words);
    else
        printf("  takes   %" PRIu32 " to %" PRIu32 " %s\n", key.minimum, key.maximum, key.unit);
    printf("  source  %s\n", key.source);
    return CLI_OK;
}

static int print_all(struct cowarp_config *config)
{
    const char *toml = cowarp_config_toml(config);
    if (toml == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    fputs(toml, stdout);
    return CLI_OK;
}

static int config_command(const struct cli_parsed *p)
{
    struct cowarp_config *config;
    if (p->word_cnt > 1)
        return cli_error(CLI_WRONG, "config explains one parameter, not '%s' too; see 'cowarp help config'", p->word[1]);
    int status = load(&config, p);
    if (status == CLI_OK && cli_has(p, "json"))
        status = print_list(config, p->word_cnt == 1 ? p->word[0] : NULL);
    else if (status == CLI_OK)
        status = p->word_cnt == 1 ? explain(config, p->word[0]) : print_all(config);
    cowarp_config_destroy(config);
    return status;
}

static const struct cli_option options[] = {
    {"preset", "NAME", 0, "machine to start from (default getm); 'cowarp list' shows all"},
    {"config", "FILE", 0, "TOML file of parameters, over the preset"},
    {"set", "NAME=VALUE", CLI_REPEATS, "one parameter, over both"},
    {"json", NULL, 0, "as JSON: a list of parameters"},
};

const struct cli_command cli_config = {
    .name = "config",
    .usage = "[NAME|TABLE|WORD] [OPTIONS]",
    .what = "Prints all parameters as a TOML file with units and sources, lists those of a table or that speak of a word, or explains one",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .run = config_command,
};
