/* SPDX-License-Identifier: Apache-2.0 */
/* hrtwl: points tracked in a film by their templates. The check follows one point after the other, with no shared minimum. */
#include <stdlib.h>
#include <string.h>

#include "../session.h"

enum { POINTS, FRAMES, WIDTH, HEIGHT };
static const struct cowarp_workload_param params[] = {
    [POINTS] = {"points", 15, 1, 4096, "points, each in a block"},
    [FRAMES] = {"frames", 3, 1, 1000, "frames of the film"},
    [WIDTH] = {"width", 160, 16, 2048, "pixels per row"},
    [HEIGHT] = {"height", 120, 16, 2048, "rows of a frame"},
};

#define THREADS 512u
#define SIDE    16
#define REACH   10

struct place {
    int32_t x, y;
};

/* What is found in a frame: the place, and the difference from the template that is left there. */
struct found {
    struct place at;
    int32_t difference, padding;
};

struct film {
    uint32_t point_cnt, frame_cnt;
    int32_t width, height;
    uint8_t *pixels;           /* frame by frame */
    struct place *start, *end; /* of a point: where it is in the first frame, and in the last one by the GPU */
    struct found *path, *got;  /* point by point, frame by frame; the first frame is left out */
};

/* A texture that moves as a whole, a few pixels per frame, with noise on top. */
static void make_film(struct session *s, struct film *f)
{
    const uint64_t frame = (uint64_t)f->width * (uint64_t)f->height;
    f->pixels = session_array(s, frame * f->frame_cnt, 1);
    f->start = session_array(s, f->point_cnt, sizeof *f->start);
    f->end = session_array(s, f->point_cnt, sizeof *f->end);
    f->path = session_array(s, (uint64_t)f->point_cnt * f->frame_cnt, sizeof *f->path);
    f->got = session_array(s, (uint64_t)f->point_cnt * f->frame_cnt, sizeof *f->got);
    uint8_t *const texture = session_array(s, 256 * 256, 1);
    uint32_t dx = 0, dy = 0;
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < 256 * 256; i++)
        texture[i] = (uint8_t)session_below(s, 224);
    for (uint64_t i = 0; i < frame * f->frame_cnt; i++) {
        const uint32_t x = (uint32_t)(i % (uint32_t)f->width), y = (uint32_t)(i % frame / (uint32_t)f->width);
        if (i % frame == 0) {
            dx += session_below(s, 8);
            dy += session_below(s, 8);
        }
        f->pixels[i] = (uint8_t)(texture[(y + dy) % 256 * 256 + (x + dx) % 256] + session_below(s, 32));
    }
    for (uint32_t i = 0; i < f->point_cnt; i++)
        f->start[i] = (struct place){(int32_t)session_below(s, (uint32_t)(f->width - SIDE + 1)),
                                     (int32_t)session_below(s, (uint32_t)(f->height - SIDE + 1))};
}

static int32_t shade(const struct film *f, uint32_t frame, int32_t x, int32_t y)
{
    return 16 * f->pixels[((size_t)frame * (size_t)f->height + (size_t)y) * (size_t)f->width + (size_t)x];
}

static int32_t difference(const struct film *f, const int32_t *template, uint32_t frame, int32_t x, int32_t y)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < SIDE * SIDE; i++)
        sum += abs(template[i] - shade(f, frame, x + i % SIDE, y + i / SIDE));
    return sum;
}

/* Of equal places the uppermost wins, then the leftmost. */
static struct found find(const struct film *f, const int32_t *template, uint32_t frame, struct place from)
{
    struct found best = {.difference = INT32_MAX};
    for (int32_t y = from.y - REACH; y <= from.y + REACH; y++)
        for (int32_t x = from.x - REACH; x <= from.x + REACH; x++) {
            const int inside = x >= 0 && y >= 0 && x + SIDE <= f->width && y + SIDE <= f->height;
            const int32_t d = inside ? difference(f, template, frame, x, y) : INT32_MAX;
            if (d < best.difference)
                best = (struct found){.at = {x, y}, .difference = d};
        }
    return best;
}

static void follow(struct film *f, uint32_t point)
{
    int32_t template[SIDE * SIDE];
    struct place at = f->start[point];
    for (int32_t i = 0; i < SIDE * SIDE; i++)
        template[i] = shade(f, 0, at.x + i % SIDE, at.y + i / SIDE);
    f->path[(size_t)point * f->frame_cnt].at = at;
    for (uint32_t frame = 1; frame < f->frame_cnt; frame++) {
        const struct found found = find(f, template, frame, at);
        f->path[(size_t)point * f->frame_cnt + frame] = found;
        at = found.at;
        for (int32_t i = 0; i < SIDE * SIDE; i++)
            template[i] = (3 * template[i] + shade(f, frame, at.x + i % SIDE, at.y + i / SIDE) + 2) / 4;
    }
}

static void track_on_gpu(struct session *s, struct film *f)
{
    const uint64_t bytes = (uint64_t)f->point_cnt * f->frame_cnt * sizeof *f->path;
    const uint64_t pixels = session_upload(s, f->pixels, (uint64_t)f->width * (uint64_t)f->height * f->frame_cnt);
    const uint64_t points = session_upload(s, f->start, f->point_cnt * sizeof *f->start), path = session_upload(s, NULL, bytes);
    session_launch(s, "track", f->point_cnt, THREADS, COWARP_U64(pixels), COWARP_S32(f->width), COWARP_S32(f->height),
                   COWARP_U32(f->frame_cnt), COWARP_U64(points), COWARP_U64(path));
    session_read(s, f->got, path, bytes);
    session_read(s, f->end, points, f->point_cnt * sizeof *f->end);
}

static void check(struct session *s, const struct film *f)
{
    for (uint32_t i = 0; s->status == 0 && i < f->point_cnt * f->frame_cnt; i++) {
        const uint32_t point = i / f->frame_cnt, frame = i % f->frame_cnt;
        const struct found want = f->path[i], got = f->got[i];
        if (frame > 0 && (got.at.x != want.at.x || got.at.y != want.at.y || got.difference != want.difference))
            session_fail(s, COWARP_ECHECK, "point %u, frame %u is at (%d, %d) with difference %d, expected (%d, %d) with %d", point, frame,
                         got.at.x, got.at.y, got.difference, want.at.x, want.at.y, want.difference);
        if (frame == f->frame_cnt - 1 && (f->end[point].x != want.at.x || f->end[point].y != want.at.y))
            session_fail(s, COWARP_ECHECK, "point %u ends at (%d, %d), expected (%d, %d)", point, f->end[point].x, f->end[point].y,
                         want.at.x, want.at.y);
    }
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct film f = {.point_cnt = (uint32_t)x->param[POINTS],
                     .frame_cnt = (uint32_t)x->param[FRAMES],
                     .width = (int32_t)x->param[WIDTH],
                     .height = (int32_t)x->param[HEIGHT]};
    session_open(&s, x);
    make_film(&s, &f);
    if (s.status == 0) {
        track_on_gpu(&s, &f);
        for (uint32_t i = 0; s.status == 0 && i < f.point_cnt; i++)
            follow(&f, i);
        check(&s, &f);
        session_passed(&s, "%u points were followed over %u frames to the right places", f.point_cnt, f.frame_cnt);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_hrtwl = {
    .name = "hrtwl",
    .folder = "hrtwl",
    .what = "points tracked in a film by templates (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
