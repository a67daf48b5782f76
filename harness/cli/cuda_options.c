/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `cowarp cuda`: the command reads them to see that they are right, and the program's process to carry them out. */
#include "cli.h"

const struct cli_option cli_cuda_own[CLI_CUDA_OWN_CNT] = {
    {"system", "NAME", 0, "transactional system (default none)"},
    {"findings", "fail|tell", 0, "whether what --check finds makes the exit status 1 (fail)"},
    {"libraries", "host|refuse", 0, "whether the host computes functions of cuBLAS, cuRAND and cuFFT, in no time (host)"},
    {"functions", NULL, 0, "list the functions of both APIs that are there, and start no program"},
};

const struct cli_command cli_cuda_options = {
    .name = "cuda",
    .usage = "",
    .what = "",
    .option = cli_cuda_own,
    .option_cnt = CLI_CUDA_OWN_CNT,
    .takes_machine = true,
};
