/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units whose outputs may move in time. Each answers operations, behind a handshake or at once, in their order, and an answer follows from the
 * operations before it and from nothing else: so other hardware may take longer or shorter, and still be right. The numbers are those of the
 * sentences in the unit's contract (include/cowarp/unit/). A unit that is not here has an input that acts at once on what is inside.
 */
#include <stdio.h>
#include <string.h>

#include "elastic.h"

static const struct cw_elastic_contract contracts[] = {
    {.unit = "last_written_table",
     .ask = {{"op_valid", "op_ready", "op_write", 1u << 0}},
     .answer = {{"rsp_valid", NULL, {"rsp_time", "rsp_conflict"}, true, "1 to 3, 5, 7, 8, 11, 12, 15, 16"}},
     .pulse = "clear",
     .rest = "busy",
     .rest_low = true,
     .zeros = "20",
     .rests = "22",
     .moves = "6, 10, 17 to 19, 21"},
    {.unit = "ownership_table",
     .ask = {{"start_valid", "start_ready", NULL, 0}, {"op_valid", "op_ready", "op_kind", 1u << 3}},
     .answer = {{"result_valid", "result_ready", {"result_lanes"}, true, "1, 3, 6 to 8, 10, 12"}},
     .zeros = "29",
     .holds = "28",
     .moves = "9, 11, 13 to 27, 30, 31"},
    {.unit = "thread_compactor",
     .ask = {{"start_valid", "start_ready", NULL, 1u << 0}},
     .answer = {{"count_valid", NULL, {"count"}, true, "1 to 8"},
                {"warp_valid", "warp_ready", {"warp_last", "warp_lanes", "warp_home"}, false, "5, 7, 13, 16, 17"}},
     .zeros = "18",
     .holds = "14",
     .moves = "9 to 12, 15"},
    {.unit = "writer_table",
     .ask = {{"op_valid", "op_ready", "op_kind", 1u << 0 | 1u << 1 | 1u << 2}},
     .answer = {{"ans_valid", NULL, {"ans_result", "ans_owner", "ans_writers", "ans_ids"}, true, "4 to 6, 9 to 12, 14, 18 to 29"}},
     .pulse = "sweep",
     .rest = "idle",
     .zeros = "30",
     .rests = "40",
     .moves = "16, 17, 32 to 39"},
};
#define CONTRACT_CNT (sizeof contracts / sizeof contracts[0])

const struct cw_elastic_contract *cw_elastic_contract_of(const struct cw_unit *unit)
{
    for (size_t i = 0; i < CONTRACT_CNT; i++)
        if (strcmp(contracts[i].unit, unit->name) == 0)
            return &contracts[i];
    return NULL;
}

void cw_elastic_units(char text[CW_ELASTIC_NAMES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < CONTRACT_CNT && used < CW_ELASTIC_NAMES; i++)
        used += (size_t)snprintf(text + used, CW_ELASTIC_NAMES - used, "%s%s", i > 0 ? ", " : "", contracts[i].unit);
}

const char *cw_elastic_sentences(const struct cw_elastic_contract *contract, int verdict)
{
    switch (verdict) {
    case CW_ELASTIC_ASKED:
        return "order";
    case CW_ELASTIC_ZEROS:
        return contract->zeros;
    case CW_ELASTIC_HOLDS:
        return contract->holds;
    case CW_ELASTIC_RESTS:
        return contract->rests;
    default:
        return contract->answer[verdict].valid != NULL ? contract->answer[verdict].sentences : NULL;
    }
}

const char *cw_elastic_what(int verdict)
{
    static const char *const what[] = {
        "answers are the C model's",    "further answers are the C model's",       "each answer was asked for, and none is lost",
        "fields are 0 while not valid", "what is offered stays until it is taken", "at rest nothing is inside"};
    return what[verdict];
}
