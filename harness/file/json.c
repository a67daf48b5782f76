/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>

void cw_json_string(FILE *f, const char *text)
{
    if (text == NULL) {
        fputs("null", f);
        return;
    }
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
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
