/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_property.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtl_os.h"

/* The text behind the // of a line that is a comment, else NULL. */
static const char *comment_of(const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "//", 2) != 0)
        return NULL;
    line += 2;
    return line + strspn(line, " ");
}

/* Where the sentence begins if the comment is "N. sentence", else NULL. */
static const char *sentence_of(const char *comment, uint32_t *number)
{
    char *end;
    if (comment == NULL || !isdigit((unsigned char)*comment))
        return NULL;
    *number = (uint32_t)strtoul(comment, &end, 10);
    return strncmp(end, ". ", 2) == 0 ? end + 2 : NULL;
}

struct found {
    uint32_t number;
    char sentence[400]; /* cut if it is longer */
    bool open;          /* a comment in the next line continues it */
};

static void append(struct found *f, const char *text)
{
    const size_t used = strlen(f->sentence);
    snprintf(f->sentence + used, sizeof f->sentence - used, "%s%s", used > 0 ? " " : "", text);
}

/* Takes the next line on the way to the assert. */
static void take_line(struct found *f, const char *line)
{
    uint32_t number = 0;
    const char *comment = comment_of(line), *sentence = sentence_of(comment, &number);
    if (comment != NULL && strncmp(comment, "contract: ", 10) == 0) /* of an assumption: what the surroundings have to keep */
        sentence = comment;
    if (sentence != NULL) {
        f->number = number;
        f->sentence[0] = '\0';
        append(f, sentence);
    } else if (comment != NULL && f->open)
        append(f, comment);
    f->open = sentence != NULL || (comment != NULL && f->open);
    if (strstr(line, "`endif") != NULL) /* nothing carries over from one block of properties to the next */
        f->sentence[0] = '\0';
}

void cw_rtl_property_at(char *out, size_t size, const char *file, uint32_t line)
{
    struct found f = {.number = 0};
    const char *slash = strrchr(file, '/');
    char *text = cw_os_read_file(file, NULL), *rest = text, *at;
    for (uint32_t n = 1; n < line && (at = strsep(&rest, "\n")) != NULL; n++)
        take_line(&f, at);
    free(text);
    if (f.sentence[0] != '\0' && f.number == 0)
        snprintf(out, size, "the inputs break the %s (%s:%" PRIu32 ")", f.sentence, slash != NULL ? slash + 1 : file, line);
    else if (f.sentence[0] != '\0')
        snprintf(out, size, "property %" PRIu32 ": %s (%s:%" PRIu32 ")", f.number, f.sentence, slash != NULL ? slash + 1 : file, line);
    else
        snprintf(out, size, "an assert (%s:%" PRIu32 ")", file, line);
}
