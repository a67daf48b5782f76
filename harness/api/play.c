/* SPDX-License-Identifier: Apache-2.0 */
/* A unit driven by a stimulus file. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "play/play.h"
#include "wave/fst_file.h"

static int choose_backend(enum cw_unit_backend *backend, const char *name, struct cw_error *err)
{
    for (*backend = CW_UNIT_C; *backend <= CW_UNIT_LOCKSTEP; (*backend)++)
        if (strcmp(cowarp__backend_name(*backend), name) == 0)
            return CW_OK;
    return cw_fail(err, CW_EINVAL, "backend '%.40s' is none of c, rtl, lockstep", name);
}

/* Relative to the stimulus file's folder. */
static void find_view(struct cowarp_played *played, const struct cw_script *script)
{
    const char *slash = strrchr(script->path, '/');
    const int folder = slash != NULL && script->view != NULL && script->view[0] != '/' ? (int)(slash - script->path) + 1 : 0;
    if (script->view != NULL)
        snprintf(played->view, sizeof played->view, "%.*s%s", folder, script->path, script->view);
}

static int play_script(struct cowarp_played *played, const struct cowarp_play *play, const struct cw_script *script, struct cw_error *err)
{
    struct cw_play_options options = {
        .path = play->wave_file,
        .build = {.message = play->on_message, .message_context = play->context, .stop = play->stop, .stop_context = play->context},
    };
    struct cw_played p;
    snprintf(played->unit, sizeof played->unit, "%s", script->unit->name);
    find_view(played, script);
    int status = choose_backend(&options.backend, play->backend, err);
    if (status == CW_OK)
        status = cw_fst_file_check(play->wave_file, err);
    if (status != CW_OK)
        return status;
    status = cw_play(&p, script, &options, err);
    played->cycles = p.cycles;
    played->expectations = p.expectations;
    played->waits = p.waits;
    return status;
}

int cowarp_play_unit(struct cowarp_played *played, const struct cowarp_play *given)
{
    struct cw_script script = {0};
    struct cw_error err = {""};
    struct cowarp_play play;
    memset(played, 0, sizeof *played);
    int status = cowarp__take(&play, sizeof play, given, "struct cowarp_play", &err);
    if (status == CW_OK && (play.stimulus == NULL || play.wave_file == NULL || play.backend == NULL))
        status = cw_fail(&err, CW_EINVAL, "struct cowarp_play: takes a stimulus file, a wave file and a backend");
    if (status == CW_OK)
        status = cw_script_read(&script, play.stimulus, cowarp__units(), &err);
    if (status == CW_OK)
        status = play_script(played, &play, &script, &err);
    cw_script_destroy(&script);
    snprintf(played->error, sizeof played->error, "%s", err.text);
    return status;
}
