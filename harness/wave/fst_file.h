/* SPDX-License-Identifier: Apache-2.0 */
/* An FST file being written by the plug-in of wave_plugin.h; one that is called .vcd is made VCD of as it is closed. It appears under its name only
 * when it is complete. */
#ifndef CW_HARNESS_WAVE_FST_FILE_H
#define CW_HARNESS_WAVE_FST_FILE_H

#include "base/error.h"
#include "file/out_file.h"
#include "wave/wave_plugin.h"

struct cw_fst_file {
    char *path; /* as given; NULL: nothing is open */
    struct cw_out_file out;
    FILE *fst;   /* what becomes VCD, in a file without a name; NULL: out is FST itself */
    int failure; /* errno of the first write that failed; nothing is written after it */
    void *library;
    const struct cw_wave_plugin *plugin;
    void *writer;
};

struct cw_fst_content {
    const struct cw_wave_signal *signal; /* signal_cnt; they and all that they point to must outlive the file */
    uint32_t signal_cnt;
    const struct cw_wave_enum *enums;
    uint32_t enum_cnt;
    const struct cw_wave_rtl *rtl; /* read by open only; the models must outlive the file */
    uint32_t rtl_cnt;
};

/* Whether path could become an FST file: as cw_out_file_check, and it is no pipe, no device and not where standard output goes, as the file
 * is not written from its beginning to its end. 0 or CW_EIO. */
int cw_fst_file_check(const char *path, struct cw_error *err);
/* CW_OK, CW_EIO or CW_ENOMEM; after a failure f holds nothing. */
int cw_fst_file_open(struct cw_fst_file *f, const char *path, const struct cw_fst_content *content, struct cw_error *err);
/* The signals' values at time_ps, which grows from call to call. */
void cw_fst_file_dump(struct cw_fst_file *f, uint64_t time_ps);
/* Completes and renames the file. CW_OK, or CW_EIO when anything since open failed, and then path is as it was. */
int cw_fst_file_close(struct cw_fst_file *f, struct cw_error *err);
/* Tells the signals of a file that is complete: "core0.warp1.state[3:0]". CW_OK or CW_EIO. */
int cw_fst_file_names(const char *path, void (*each)(void *context, const char *name), void *context, struct cw_error *err);
/* Instead of close: nothing is left. */
void cw_fst_file_discard(struct cw_fst_file *f);

#endif
