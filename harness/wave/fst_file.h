/* SPDX-License-Identifier: Apache-2.0 */
/* An FST file being written by the plug-in of wave_plugin.h. It appears under its name only when it is complete. */
#ifndef CW_HARNESS_WAVE_FST_FILE_H
#define CW_HARNESS_WAVE_FST_FILE_H

#include "base/error.h"
#include "wave/wave_plugin.h"

struct cw_fst_file {
    char *path, *temporary;
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

/* plugin: path of libcowarp_wave.so. CW_OK, CW_EIO or CW_ENOMEM; after a failure f holds nothing. */
int cw_fst_file_open(struct cw_fst_file *f, const char *path, const char *plugin, const struct cw_fst_content *content,
                     struct cw_error *err);
/* The signals' values at time_ps, which grows from call to call. */
void cw_fst_file_dump(struct cw_fst_file *f, uint64_t time_ps);
/* Completes and renames the file. CW_OK or CW_EIO. */
int cw_fst_file_close(struct cw_fst_file *f, struct cw_error *err);
/* Instead of close: nothing is left. */
void cw_fst_file_discard(struct cw_fst_file *f);

#endif
