/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file/json.h"

#define VERSION       1   /* of the file's members */
#define WRITE_SECONDS 0.5 /* between two files */
#define START_FIELD   22  /* of /proc/PID/stat: starttime, where comm is 2 */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* When this process began, in ticks of the kernel; 0: not known. */
static uint64_t born(void)
{
    char text[1024];
    FILE *f = fopen("/proc/self/stat", "r");
    const size_t cnt = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f != NULL)
        fclose(f);
    text[cnt] = '\0';
    const char *at = strrchr(text, ')'); /* a name may have blanks */
    for (int field = 2; at != NULL && field < START_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at != NULL && at[1] != '\0' ? strtoull(at + 1, NULL, 10) : 0;
}

/* The cache's folder `running`, and in it one for this process. */
static bool make_folder(struct cli_board *b)
{
    char cache[CLI_PATH_BYTES], path[CLI_PATH_BYTES];
    if (cowarp_cache(cache, sizeof cache) != COWARP_OK)
        return false;
    const int n = snprintf(path, sizeof path, "%s/running/%ld", cache, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    memcpy(b->folder, path, (size_t)n + 1);
    return mkdir(path, 0777) == 0 || access(path, W_OK) == 0;
}

static void put_state(const struct cli_board *b, FILE *f)
{
    char folder[CLI_PATH_BYTES];
    const double left = b->done > 0 ? (b->written - b->began) / (double)b->done * (double)(b->total - b->done) : 0;
    fprintf(f, "{\"version\": %d, \"id\": \"%ld-%.0f\", \"pid\": %ld, \"born\": %" PRIu64 ", \"command\": [\"cowarp\", ", VERSION,
            (long)getpid(), 1e6 * b->began, (long)getpid(), born());
    cw_json_string(f, b->command->command->name);
    for (int i = 0; i < b->command->argc; i++) {
        fputs(", ", f);
        cw_json_string(f, b->command->argv[i]);
    }
    fputs("], \"folder\": ", f);
    cw_json_string(f, getcwd(folder, sizeof folder));
    fprintf(f, ", \"began\": %.3f, \"what\": ", b->began);
    cw_json_string(f, b->what);
    fprintf(f, ", \"total\": %" PRIu64 ", \"done\": %" PRIu64 ", \"failed\": 0, \"jobs\": %" PRIu32 ", \"left_seconds\": ", b->total,
            b->done, b->at_once);
    if (b->done > 0)
        fprintf(f, "%.0f", left);
    else
        fputs("null", f);
    fputs(", \"running\": [], \"ended\": []}\n", f);
}

static void write_state(struct cli_board *b)
{
    char partial[CLI_PATH_BYTES + 16], whole[CLI_PATH_BYTES + 16];
    if (b->folder[0] == '\0')
        return;
    snprintf(partial, sizeof partial, "%s/state.partial", b->folder);
    snprintf(whole, sizeof whole, "%s/state.json", b->folder);
    b->written = seconds_now();
    FILE *f = fopen(partial, "w");
    if (f == NULL)
        return;
    put_state(b, f);
    if (fclose(f) == 0)
        rename(partial, whole);
}

void cli_board_open(struct cli_board *b, const struct cli_parsed *command, const char *what, uint32_t at_once, uint64_t total)
{
    *b = (struct cli_board){.command = command, .what = what, .at_once = at_once, .total = total, .began = seconds_now()};
    if (!make_folder(b))
        b->folder[0] = '\0';
    write_state(b);
}

void cli_board_tell(struct cli_board *b, uint64_t done)
{
    b->done = done;
    if (seconds_now() - b->written >= WRITE_SECONDS)
        write_state(b);
}

void cli_board_close(struct cli_board *b)
{
    static const char *const names[] = {"state.partial", "state.json"};
    char path[CLI_PATH_BYTES + 16];
    if (b->folder[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
        unlink(path);
    }
    rmdir(b->folder);
}
