/* SPDX-License-Identifier: Apache-2.0 */
#include "check/bridge.h"

#include "check/serial_private.h"

static uint64_t on_begin(void *self, uint32_t core, uint32_t warp, uint32_t lane, cw_time now)
{
    (void)now;
    return cw_serial__begin(self, core, warp, lane);
}

static void on_read(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    cw_serial__read(self, (uint32_t)attempt, addr, value, now);
}

static void on_validate(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    cw_serial__validate(self, (uint32_t)attempt, addr, value, now);
}

static void on_write(void *self, uint64_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now)
{
    (void)now;
    cw_serial__write(self, (uint32_t)attempt, addr, value, bytes);
}

static void on_commit(void *self, uint64_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now)
{
    (void)now;
    cw_serial__commit(self, (uint32_t)attempt, write_cnt, addr, value);
}

/* Who reports to an observer leaves out late reads itself, or wants them counted. */
static void on_abort(void *self, uint64_t attempt, cw_time now)
{
    (void)now;
    cw_serial__abort(self, (uint32_t)attempt, CW_TIME_NEVER);
}

void cw_serial_bridge(struct cw_tm_observer *observer, struct cw_serial *s)
{
    *observer = (struct cw_tm_observer){
        .self = s, .begin = on_begin, .read = on_read, .validate = on_validate, .write = on_write, .commit = on_commit, .abort = on_abort};
}
