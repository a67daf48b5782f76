/* SPDX-License-Identifier: Apache-2.0 */
/* fcdt: a cascade of rectangle features over all windows of a picture. The check adds up the pixels of the rectangles one by one. */
#include "../session.h"

enum { WIDTH, HEIGHT, STAGES, FEATURES };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 256, 24, 4096, "pixels per row of the picture"},
    [HEIGHT] = {"height", 192, 24, 4096, "rows of the picture"},
    [STAGES] = {"stages", 12, 2, 64, "stages of the cascade; the first third runs in the first kernel"},
    [FEATURES] = {"features", 3, 1, 16, "features of the first stage; a later one has one more than the stage before it"},
};

#define BX     32u
#define BY     6u
#define WINDOW 24u /* pixels per side of a window */

struct feature {
    uint8_t x0, y0, w0, h0, x1, y1, w1, h1;
    int32_t threshold, less, more;
};

struct stage {
    uint32_t first, count;
    int32_t needed;
};

struct detector {
    uint32_t width, height, wide, high; /* of the picture, of the field of windows */
    uint32_t stage_cnt, middle, feature_cnt;
    uint8_t *pixel;
    int32_t *integral; /* (width + 1) x (height + 1) */
    struct stage *stages;
    struct feature *features;
    uint32_t *got, *expected; /* of a window: the stage that it failed, or stage_cnt */
};

/* Noise on top of blobs, so that windows beside each other share their fate more often than not. */
static void make_picture(struct session *s, struct detector *d)
{
    const uint32_t pitch = d->width + 1;
    uint32_t phase[4];
    for (uint32_t i = 0; i < 4; i++)
        phase[i] = session_below(s, 64);
    for (uint32_t y = 0; y < d->height; y++)
        for (uint32_t x = 0; x < d->width; x++) {
            const uint32_t u = (x + phase[0]) % 48, v = (y + phase[1]) % 40, shade = (x + 2 * y + phase[2]) % 96;
            const uint32_t blob = (u < 24 ? u : 48 - u) + (v < 20 ? v : 40 - v) + shade / 2;
            const uint8_t p = (uint8_t)(blob + session_below(s, 96));
            d->pixel[y * d->width + x] = p;
            int32_t *const here = &d->integral[(y + 1) * pitch + x + 1];
            *here = p + here[-1] + here[-(int64_t)pitch] - here[-(int64_t)pitch - 1];
        }
}

/* Two rectangles of one size, so that the threshold is about 0, and votes of either sign. */
static struct feature make_feature(struct session *s)
{
    struct feature f;
    f.w0 = f.w1 = (uint8_t)(3 + session_below(s, 8));
    f.h0 = f.h1 = (uint8_t)(3 + session_below(s, 8));
    f.x0 = (uint8_t)session_below(s, WINDOW - f.w0 + 1);
    f.y0 = (uint8_t)session_below(s, WINDOW - f.h0 + 1);
    f.x1 = (uint8_t)session_below(s, WINDOW - f.w1 + 1);
    f.y1 = (uint8_t)session_below(s, WINDOW - f.h1 + 1);
    f.threshold = (int32_t)session_below(s, 201) - 100;
    f.less = (int32_t)session_below(s, 100) - 50;
    f.more = -f.less;
    return f;
}

static void make_detector(struct session *s, struct detector *d)
{
    const uint32_t least = (uint32_t)s->x->param[FEATURES];
    d->middle = d->stage_cnt / 3 > 0 ? d->stage_cnt / 3 : 1;
    d->feature_cnt = d->stage_cnt * least + d->stage_cnt * (d->stage_cnt - 1) / 2;
    d->pixel = session_array(s, (uint64_t)d->width * d->height, 1);
    d->integral = session_array(s, (uint64_t)(d->width + 1) * (d->height + 1), sizeof *d->integral);
    d->stages = session_array(s, d->stage_cnt, sizeof *d->stages);
    d->features = session_array(s, d->feature_cnt, sizeof *d->features);
    d->got = session_array(s, (uint64_t)d->wide * d->high, sizeof *d->got);
    d->expected = session_array(s, (uint64_t)d->wide * d->high, sizeof *d->expected);
    if (s->status != 0)
        return;
    make_picture(s, d);
    for (uint32_t i = 0; i < d->feature_cnt; i++)
        d->features[i] = make_feature(s);
    for (uint32_t i = 0, first = 0; i < d->stage_cnt; first += least + i++)
        d->stages[i] = (struct stage){.first = first, .count = least + i, .needed = -20};
}

static int32_t brightness(const struct detector *d, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    int32_t sum = 0;
    for (uint32_t j = y; j < y + h; j++)
        for (uint32_t i = x; i < x + w; i++)
            sum += d->pixel[j * d->width + i];
    return sum;
}

static uint32_t judge(const struct detector *d, uint32_t x, uint32_t y)
{
    for (uint32_t s = 0; s < d->stage_cnt; s++) {
        int32_t votes = 0;
        for (uint32_t i = d->stages[s].first; i < d->stages[s].first + d->stages[s].count; i++) {
            const struct feature *const f = &d->features[i];
            const int32_t a = brightness(d, x + f->x0, y + f->y0, f->w0, f->h0), b = brightness(d, x + f->x1, y + f->y1, f->w1, f->h1);
            votes += a - b >= f->threshold ? f->more : f->less;
        }
        if (votes < d->stages[s].needed)
            return s;
    }
    return d->stage_cnt;
}

static void detect_on_gpu(struct session *s, struct detector *d)
{
    const uint64_t windows = (uint64_t)d->wide * d->high;
    const uint64_t integral = session_upload(s, d->integral, (uint64_t)(d->width + 1) * (d->height + 1) * sizeof *d->integral);
    session_constant(s, "stages", d->stages, d->stage_cnt * sizeof *d->stages);
    session_constant(s, "features", d->features, d->feature_cnt * sizeof *d->features);
    const uint64_t reached = session_upload(s, NULL, windows * sizeof *d->got);
    const struct session_shape shape = {(d->wide + BX - 1) / BX, (d->high + BY - 1) / BY, BX, BY};
    const struct cowarp_arg pitch = COWARP_S32((int32_t)d->width + 1), wide = COWARP_S32((int32_t)d->wide);
    const struct cowarp_arg high = COWARP_S32((int32_t)d->high);
    session_launch_2d(s, "first_stages", shape, COWARP_U64(integral), pitch, wide, high, COWARP_U32(d->middle), COWARP_U64(reached));
    session_launch_2d(s, "last_stages", shape, COWARP_U64(integral), pitch, wide, high, COWARP_U32(d->middle), COWARP_U32(d->stage_cnt),
                      COWARP_U64(reached));
    session_read(s, d->got, reached, windows * sizeof *d->got);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct detector d = {.width = (uint32_t)x->param[WIDTH], .height = (uint32_t)x->param[HEIGHT], .stage_cnt = (uint32_t)x->param[STAGES]};
    uint32_t found = 0;
    d.wide = d.width - WINDOW + 1;
    d.high = d.height - WINDOW + 1;
    session_open(&s, x);
    make_detector(&s, &d);
    if (s.status == 0) {
        detect_on_gpu(&s, &d);
        for (uint32_t i = 0; s.status == 0 && i < d.wide * d.high; i++) {
            d.expected[i] = judge(&d, i % d.wide, i / d.wide);
            found += d.expected[i] == d.stage_cnt;
        }
        session_compare_u32(&s, "the stage reached by window", d.got, d.expected, (uint64_t)d.wide * d.high);
        session_passed(&s, "%u windows left the cascade at the right stage, %u passed all", d.wide * d.high, found);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_fcdt = {
    .name = "fcdt",
    .folder = "fcdt",
    .what = "cascade of rectangle features over a picture (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
