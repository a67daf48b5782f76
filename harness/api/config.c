/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: the one that a GPU is made with, and configurations by themselves. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

struct cowarp_config {
    struct cw_config config;
    struct cw_error err;
    char *toml; /* NULL: not asked for */
};

int cowarp__configure(struct cw_config *config, const struct cowarp_options *options, uint32_t *line_of, struct cw_error *err)
{
    int status = cw_config_preset(config, options->preset != NULL ? options->preset : "getm", err);
    if (status == CW_OK && options->config_file != NULL)
        status = cw_config_load(config, options->config_file, line_of, err);
    for (const char *const *s = options->settings; status == CW_OK && s != NULL && *s != NULL; s++)
        status = cw_config_set(config, *s, err);
    return status == CW_OK ? cw_config_check(config, err) : status;
}

int cowarp_config_create(struct cowarp_config **config, const struct cowarp_options *options)
{
    struct cowarp_options known;
    uint32_t checks;
    struct cowarp_config *c = calloc(1, sizeof *c);
    *config = c;
    if (c == NULL)
        return COWARP_ENOMEM;
    int status = cowarp__take(&known, sizeof known, options, "struct cowarp_options", &c->err);
    if (status == CW_OK)
        status = cowarp__configure(&c->config, &known, NULL, &c->err);
    if (status == CW_OK)
        status = cowarp__check_options(&known, &c->err);
    return status == CW_OK ? cowarp__checks(&checks, known.checks, &c->err) : status;
}

void cowarp_config_destroy(struct cowarp_config *config)
{
    if (config != NULL)
        free(config->toml);
    free(config);
}

const char *cowarp_config_error(const struct cowarp_config *config)
{
    return config != NULL ? config->err.text : "out of memory";
}

int cowarp_config_at(const struct cowarp_config *config, uint32_t i, struct cowarp_key *key)
{
    struct cw_config_info info;
    if (i >= cw_config_count())
        return 0;
    cw_config_info(&config->config, i, &info);
    *key = (struct cowarp_key){
        .name = info.name,
        .value = info.value,
        .minimum = info.minimum,
        .maximum = info.maximum,
        .words = info.words,
        .unit = info.unit,
        .source = info.source,
        .what = info.what,
    };
    cw_config_value_text(&info, key->text);
    return 1;
}

int cowarp_config_find(struct cowarp_config *config, const char *name, uint32_t *i)
{
    return cw_config_find(i, name, &config->err);
}

const char *cowarp_config_toml(struct cowarp_config *config)
{
    size_t bytes;
    free(config->toml);
    config->toml = NULL;
    FILE *f = open_memstream(&config->toml, &bytes);
    if (f == NULL)
        return NULL;
    cw_config_write(&config->config, f);
    if (fclose(f) != 0) {
        free(config->toml);
        config->toml = NULL;
    }
    return config->toml;
}
