/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>
#include <stdbool.h>

/* Length of the UTF-8 character at c, 1 to 4; 0: there is none. */
static unsigned character(const unsigned char *c)
{
    const unsigned length = c[0] < 0x80                   ? 1
                            : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                            : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                            : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                          : 0;
    for (unsigned i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) /* also the final 0 */
            return 0;
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool beyond = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return length > 1 && (overlong || beyond) ? 0 : length;
}

void cw_json_string(FILE *f, const char *text)
{
    if (text == NULL) {
        fputs("null", f);
        return;
    }
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const unsigned length = character(c);
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else if (length == 0)
            fprintf(f, "\\udc%02x", *c);
        else
            fwrite(c, 1, length, f);
        c += length > 0 ? length : 1;
    }
    fputc('"', f);
}

void cw_json_number(FILE *f, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    for (char *c = text; *c != '\0'; c++)
        if (*c == ',')
            *c = '.'; /* the caller's locale may have a decimal comma */
    fputs(isfinite(value) ? text : "null", f);
}
