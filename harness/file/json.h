/* SPDX-License-Identifier: Apache-2.0 */
/* The two kinds of JSON value that printf cannot write. */
#ifndef CW_HARNESS_FILE_JSON_H
#define CW_HARNESS_FILE_JSON_H

#include <stdio.h>

/* A quoted string, null for NULL. text is UTF-8. A byte that is none, as file names may have, is written as the code \udcXX, from which
 * Python makes the byte again (its error handler surrogateescape). */
void cw_json_string(FILE *f, const char *text);

/* A number of nine significant digits whatever the locale, null for what is not finite. */
void cw_json_number(FILE *f, double value);

#endif
