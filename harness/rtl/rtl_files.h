/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files somebody else's Verilog consists of. Words between commas, as in "--unit NAME=rtl:top.sv,pkg.sv,+incdir+include":
 *
 *     FILE                    a source
 *     FILE.f                  a list: words between blanks and line ends, comments as in Verilog; what it names begins at the list's folder
 *     +incdir+DIR[+DIR...]    folders of files that are included, and of modules, each in the file of its name
 *     +define+NAME[=TEXT]     a macro
 *
 * A list may also say -f FILE or -F FILE (another list), -v FILE (a source), -y DIR, -I DIR and -IDIR (a folder), -D NAME and -DNAME.
 * +libext+... changes nothing: .v and .sv are looked for. $NAME, ${NAME} and $(NAME) are of the environment.
 */
#ifndef CW_HARNESS_RTL_FILES_H
#define CW_HARNESS_RTL_FILES_H

#include <stdint.h>

#include "rtl_os.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts in the order in which they came, each once; owned. */
struct cw_rtl_names {
    char **name;
    uint32_t count;
};

struct cw_rtl_files {
    struct cw_rtl_names source, list; /* files */
    struct cw_rtl_names folder;
    struct cw_rtl_names define; /* "NAME" or "NAME=TEXT" */
};

/* Reads the words, and the lists among them. Every file and folder is there then. 0; CW_EINVAL with what is wrong, and where; CW_ENOMEM. In
 * any case to be closed. */
int cw_rtl_files_open(struct cw_rtl_files *files, const char *words, struct cw_error *err);
void cw_rtl_files_close(struct cw_rtl_files *files);

/* Appends a text that is not there yet, the first length bytes of name. 0 or CW_ENOMEM. */
int cw_rtl_names_add(struct cw_rtl_names *names, const char *name, size_t length);
void cw_rtl_names_free(struct cw_rtl_names *names);

#ifdef __cplusplus
}
#endif
#endif
