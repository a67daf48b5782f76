/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX in a file that nvcc has made (harness/fatbin), and the kernels of any file.
 *
 * Private to: exec.c, kernels.c, script.c.
 */
#ifndef CW_HARNESS_CLI_KERNELS_H
#define CW_HARNESS_CLI_KERNELS_H

#include "cli.h"
#include "fatbin/texts.h"

/* None when the file is no such one, or cannot be read twice: then cowarp_load_file reads it. CLI_OK or an exit status, the error printed. */
int cli_texts(struct cw_fatbin_texts *texts, const char *path);
/* *one is the text with that kernel; NULL when there are no texts. */
int cli_text_of(const struct cw_fatbin_one **one, const struct cw_fatbin_texts *texts, const char *kernel, const char *path);
/* cowarp exec FILE --list */
int cli_kernels_list(const struct cli_parsed *p);

#endif
