/* SPDX-License-Identifier: Apache-2.0 */
/* A journal is text: "cowarp journal 1 DIGEST", then for each job "NUMBER RESULT." with the result's bytes in hexadecimal. A line without its full
 * stop was cut off, and counts for nothing. */
#define _GNU_SOURCE /* asprintf, getline */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/sha256.h"
#include "journal.h"

#define HEAD "cowarp journal 1 "

/* ---- what the jobs depend on ---- */

static bool add(char **all, const char *text)
{
    char *longer = NULL;
    if (*all == NULL || asprintf(&longer, "%s%s\n", *all, text) < 0)
        longer = NULL;
    free(*all);
    *all = longer;
    return longer != NULL;
}

static bool add_file(char **all, const char *path)
{
    char digest[CW_SHA256_TEXT];
    struct cw_error err;
    uint64_t bytes;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return true; /* a word that is no file */
    return cw_sha256_file(digest, &bytes, path, &err) != 0 || add(all, digest);
}

/* A word, and what it names: a file, or the files of a folder. */
static bool add_word(char **all, const char *word)
{
    struct dirent **entry;
    const char *colon = strchr(word, ':');
    bool ok = add(all, word) && add_file(all, word) && (colon == NULL || add_file(all, colon + 1));
    const int cnt = scandir(word, &entry, NULL, alphasort);
    for (int i = 0; i < cnt; i++) {
        char path[CLI_PATH_BYTES];
        if (snprintf(path, sizeof path, "%s/%s", word, entry[i]->d_name) < (int)sizeof path)
            ok = ok && add_file(all, path);
        free(entry[i]);
    }
    if (cnt >= 0)
        free(entry);
    return ok;
}

/* Options that only say how the work is done, and not which. */
static bool changes_nothing(const char *option)
{
    return strcmp(option, "jobs") == 0 || strcmp(option, "journal") == 0 || strcmp(option, "quiet") == 0;
}

/* Whether there is a digest. */
static bool digest_of(char text[CW_SHA256_TEXT], const struct cli_parsed *p, size_t bytes)
{
    char number[32], *all = strdup(p->command->name);
    snprintf(number, sizeof number, "%zu", bytes);
    bool ok = add(&all, cowarp_sources()) && add(&all, number);
    for (uint32_t i = 0; ok && i < p->word_cnt; i++)
        ok = add_word(&all, p->word[i]);
    for (uint32_t i = 0; ok && i < p->given_cnt; i++)
        if (!changes_nothing(p->given[i].option->name))
            ok = add(&all, p->given[i].option->name) && add_word(&all, p->given[i].value);
    const char *kernels = getenv("COWARP_KERNEL_DIR");
    ok = ok && (kernels == NULL || add_word(&all, kernels));
    if (ok)
        cw_sha256_bytes(text, all, strlen(all));
    free(all);
    return ok;
}

/* ---- the file ---- */

static bool from_hex(uint8_t *result, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1)
            return false;
        result[i] = (uint8_t)value;
    }
    return text[2 * bytes] == '.';
}

static void read_line(const char *line, const struct cli_jobs *j, uint8_t *known, uint8_t *result)
{
    char *end;
    const uint64_t i = strtoull(line, &end, 10);
    if (*end != ' ' || i >= j->total || strlen(end + 1) < 2 * j->bytes + 1)
        return;
    known[i] = from_hex(result + i * j->bytes, end + 1, j->bytes);
    if (!known[i])
        memset(result + i * j->bytes, 0, j->bytes);
}

/* CLI_OK, or CLI_WRONG: the file is something else. *same: it is of these jobs. */
static int read_lines(const struct cli_jobs *j, const char *digest, uint8_t *known, uint8_t *result, bool *same)
{
    FILE *file = fopen(j->journal, "r");
    char *line = NULL;
    size_t room = 0;
    *same = false;
    if (file == NULL)
        return errno == ENOENT ? CLI_OK : cli_error(CLI_WRONG, "--journal %s: %s", j->journal, strerror(errno));
    ssize_t length = getline(&line, &room, file);
    const bool ours = length <= 0 || strncmp(line, HEAD, sizeof HEAD - 1) == 0;
    *same = length > 0 && ours && strncmp(line + sizeof HEAD - 1, digest, CW_SHA256_TEXT - 1) == 0;
    while (*same && getline(&line, &room, file) > 0)
        read_line(line, j, known, result);
    free(line);
    fclose(file);
    return ours ? CLI_OK : cli_error(CLI_WRONG, "--journal %s: is no journal, and would be replaced; give another name", j->journal);
}

int cli_journal_open(struct cli_journal *f, const struct cli_jobs *j, const struct cli_parsed *p, uint8_t *known, uint8_t *result)
{
    char digest[CW_SHA256_TEXT];
    bool same;
    *f = (struct cli_journal){.bytes = j->bytes};
    if (j->journal == NULL)
        return CLI_OK;
    if (!digest_of(digest, p, j->bytes))
        return cli_error(CLI_FAILED, "out of memory");
    const int status = read_lines(j, digest, known, result, &same);
    if (status != CLI_OK)
        return status;
    f->file = fopen(j->journal, same ? "a" : "w");
    if (f->file == NULL)
        return cli_error(CLI_WRONG, "--journal %s: %s", j->journal, strerror(errno));
    fprintf(f->file, "%s%s\n", same ? "" : HEAD, same ? "" : digest); /* an empty line ends one that was cut off */
    return CLI_OK;
}

void cli_journal_add(struct cli_journal *f, uint64_t i, const void *result)
{
    const uint8_t *byte = result;
    if (f->file == NULL)
        return;
    fprintf(f->file, "%" PRIu64 " ", i);
    for (size_t k = 0; k < f->bytes; k++)
        fprintf(f->file, "%02x", byte[k]);
    fputs(".\n", f->file);
    f->failed = f->failed || fflush(f->file) != 0; /* a process that is killed leaves what it has done */
}

int cli_journal_close(struct cli_journal *f)
{
    const bool failed = f->file != NULL && (fclose(f->file) != 0 || f->failed);
    return failed ? cli_error(CLI_FAILED, "--journal: cannot be written: %s", strerror(errno)) : CLI_OK;
}
