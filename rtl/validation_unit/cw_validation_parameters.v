// SPDX-License-Identifier: Apache-2.0
//
// cw_validation_parameters: that the parameters of a validation unit are in their ranges.
//
// Why         : its parts do not check all of them, and say others under names of their own.
// How         : one that is not in its range stops elaboration at a module that there is not, whose name says why.
// Illegal use : none.
//
// Contract: include/cowarp/unit/validation_unit.h. It is a part of cw_validation_unit.

`default_nettype none

module cw_validation_parameters #(
    parameter TS_W          = 32,
    parameter GRANULE_W     = 30,
    parameter OWNER_W       = 12,
    parameter COUNT_W       = 16,
    parameter ID_W          = 10,
    parameter ROW_W         = 8,
    parameter STASH_ENTRIES = 4,
    parameter MAX_SWAPS     = 32,
    parameter BLOOM_ROW_W   = 6,
    parameter BLOOM_COPIES  = 2,
    parameter STALL_LINES   = 4,
    parameter STALL_ENTRIES = 4,
    parameter OVERFLOW_W    = 12,
    parameter EVICT_FILL    = 11
);

    generate
        if (ID_W < 1 || ID_W > 16) begin : g_bad_id_w
            cw_error_id_w_must_be_1_to_16 u_error ();
        end
        if (BLOOM_ROW_W < 1 || BLOOM_ROW_W > 12) begin : g_bad_bloom_row_w
            cw_error_bloom_row_w_must_be_1_to_12 u_error ();
        end
        if (BLOOM_COPIES < 1 || BLOOM_COPIES > 2) begin : g_bad_bloom_copies
            cw_error_bloom_copies_must_be_1_or_2 u_error ();
        end
        if (STALL_LINES < 1 || STALL_LINES > 16) begin : g_bad_stall_lines
            cw_error_stall_lines_must_be_1_to_16 u_error ();
        end
        if (STALL_ENTRIES < 1 || STALL_ENTRIES > 16) begin : g_bad_stall_entries
            cw_error_stall_entries_must_be_1_to_16 u_error ();
        end
        if (TS_W < 4 || TS_W > 48) begin : g_bad_ts_w
            cw_error_ts_w_must_be_4_to_48 u_error ();
        end
        if (GRANULE_W < 8 || GRANULE_W > 40) begin : g_bad_granule_w
            cw_error_granule_w_must_be_8_to_40 u_error ();
        end
        if (OWNER_W < 2 || OWNER_W > 16) begin : g_bad_owner_w
            cw_error_owner_w_must_be_2_to_16 u_error ();
        end
        if (COUNT_W < 2 || COUNT_W > 16) begin : g_bad_count_w
            cw_error_count_w_must_be_2_to_16 u_error ();
        end
        if (GRANULE_W + 2 * TS_W + COUNT_W + OWNER_W > 160) begin : g_bad_entry
            cw_error_entry_must_fit_160_bits u_error ();
        end
        if (ROW_W < 1 || ROW_W > 12) begin : g_bad_row_w
            cw_error_row_w_must_be_1_to_12 u_error ();
        end
        if (STASH_ENTRIES < 1 || STASH_ENTRIES > 16) begin : g_bad_stash_entries
            cw_error_stash_entries_must_be_1_to_16 u_error ();
        end
        if (MAX_SWAPS < 1 || MAX_SWAPS > 255) begin : g_bad_max_swaps
            cw_error_max_swaps_must_be_1_to_255 u_error ();
        end
        if (EVICT_FILL > 16) begin : g_bad_evict_fill
            cw_error_evict_fill_must_be_0_to_16 u_error ();
        end
        if (OVERFLOW_W < 1 || OVERFLOW_W > 20) begin : g_bad_overflow_w
            cw_error_overflow_w_must_be_1_to_20 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
