// SPDX-License-Identifier: Apache-2.0
//
// cw_l2_slice: an L2 slice with its bytes: tags, miss registers, and the order of work between them.
//
// Why         : tags say what is here, and miss registers who waits. What a request becomes follows from both, and from what memory takes.
// How         : an operation asks the miss registers, and a cycle later the tags, and which bytes the slice has of the lines of the set.
//               All answer in one cycle, in which cw_l2_slice_decision says what becomes of line, entry and bytes. Bytes move behind it.
// Stages      : 0 take, ask cw_l2_mshr; 1 ask cw_l2_tags, read masks of bytes; 2 wait for the tags; 3 answer, and write; then the turns
//               of cw_l2_slice_bytes.
// Latency     : 3 cycles; the first byte comes out 2 cycles later.
// Throughput  : one operation per cycle that moves a sector; of one set one in two cycles.
// Comb. paths : op_line_i -> op_ready_o; mem_*_i, in_valid_i -> ans_*_o.
// Storage     : that of cw_l2_tags and cw_l2_mshr; per way a RAM of 2^SET_W rows x 32 SECTORS bits, and one of all sectors x 256 bits.
// Clearing    : after a reset the sweep of the tags, with op_ready_o low.
// Illegal use : op_head_i with another operation than that of head_req_o; what then becomes of the bytes is not said.
//
// Paper: none. Contract: include/cowarp/unit/l2_slice.h. C model: csim/unit/l2_slice.c. Datasheet: docs/units/l2_slice.md.

`default_nettype none

module cw_l2_slice #(
    parameter WAYS    = 8,   // 1 .. 16
    parameter SET_W   = 7,   // 1 .. 10: log2 of the sets
    parameter TAG_W   = 20,  // 1 .. 22
    parameter SECTORS = 4,   // 1 .. 8
    parameter ENTRIES = 64,  // 1 .. 256
    parameter MERGE   = 8,   // 1 .. 64
    parameter REQ_W   = 9,   // 1 .. 16
    parameter BURST   = 1,   // 1 .. 8
    parameter WHOLE   = 0    // 0 or 1
) (
    input  wire                   clk_i,
    input  wire                   rst_i,
    // an operation
    input  wire                   op_valid_i,
    output wire                   op_ready_o,
    input  wire [2:0]             op_kind_i,
    input  wire                   op_head_i,
    input  wire                   op_pass_i,
    input  wire                   op_pm_i,
    input  wire [SET_W+TAG_W-1:0] op_line_i,
    input  wire [7:0]             op_entry_i,
    input  wire [SECTORS-1:0]     op_sectors_i,
    /* verilator lint_off UNUSED */  // words of sectors that there are not
    input  wire [255:0]           op_mask_i,
    /* verilator lint_on UNUSED */
    // its answer, three cycles later
    output wire                   ans_valid_o,
    output wire [2:0]             ans_result_o,
    output wire [3:0]             ans_way_o,
    output wire [7:0]             ans_entry_o,
    output wire [SECTORS-1:0]     ans_fetch_o,
    output wire [SECTORS-1:0]     ans_back_o,
    output wire [SET_W+TAG_W-1:0] ans_line_o,
    // what memory takes, and a number for the request if it waits, in the cycle of the answer
    input  wire [1:0]             mem_space_i,
    input  wire                   mem_told_i,
    input  wire                   mem_pm_i,
    input  wire [REQ_W-1:0]       act_req_i,
    // bytes
    output wire                   out_valid_o,
    output wire                   out_back_o,
    output wire [2:0]             out_sector_o,
    output wire [255:0]           out_data_o,
    output wire [31:0]            out_mask_o,
    output wire                   in_ready_o,
    output wire [2:0]             in_sector_o,
    input  wire                   in_valid_i,
    input  wire [255:0]           in_data_i,
    // the request that is performed next
    output wire                   head_valid_o,
    output wire [REQ_W-1:0]       head_req_o,
    // status
    output wire                   empty_o,
    output wire                   idle_o
);

    localparam LINE_W = SET_W + TAG_W;
    localparam MASK_W = 32 * SECTORS;
    localparam OP_W   = 6 + SECTORS + MASK_W + SET_W;
    localparam WAY_W  = WAYS <= 2 ? 1 : WAYS <= 4 ? 2 : WAYS <= 8 ? 3 : 4;

    localparam [2:0] COME = 3'd5;
    localparam [1:0] REQUEST = 2'd0, COMES = 2'd1, PERFORMED = 2'd2, NOBODY = 2'd3;  // kinds of cw_l2_mshr

    // Stage 0.
    wire               take;
    wire               asks = op_kind_i <= 3'd2;  // a read, a write or an atomic
    wire [1:0]         mshr_kind = asks ? (op_head_i ? PERFORMED : REQUEST) : op_kind_i == COME ? COMES : NOBODY;

    // The tags have been swept.
    reg                ready_q;

    // An operation on its way: kind, head, pass, pm, sectors, bytes of a write, set.
    wire [OP_W-1:0]    op = {op_kind_i, op_head_i, op_pass_i, op_pm_i, op_sectors_i, op_mask_i[MASK_W-1:0], op_line_i[SET_W-1:0]};

    // Stage 1: the tags are asked, and masks of bytes read.
    reg                tag_q;
    reg  [OP_W-1:0]    tag_op_q;
    reg  [TAG_W-1:0]   tag_tag_q;
    wire [SET_W-1:0]   tag_set = tag_op_q[SET_W-1:0];

    // Stage 2: masks of bytes are here.
    reg                get_q;
    reg  [OP_W-1:0]    get_op_q;

    // Stage 3: the answer.
    reg                ans_q;
    reg  [OP_W-1:0]    ans_op_q;
    wire [2:0]         ans_kind;
    wire               ans_head;
    wire               ans_pass;
    wire               ans_pm;
    wire [SECTORS-1:0] ans_sectors;
    wire [MASK_W-1:0]  ans_mask;
    wire [SET_W-1:0]   ans_set;
    assign {ans_kind, ans_head, ans_pass, ans_pm, ans_sectors, ans_mask, ans_set} = ans_op_q;

    // What tags and miss registers say in stage 3, and what becomes of them.
    wire               tags_ready;
    wire               tags_hit;
    wire               tags_victim;
    wire [3:0]         tags_way;
    wire [TAG_W-1:0]   tags_tag;
    wire [SECTORS-1:0] tags_sectors;
    wire [SECTORS-1:0] tags_dirty;
    wire               tags_held;
    wire               tags_idle;
    wire               ans_named;
    wire               act_line;
    wire               act_drop;
    wire [SECTORS-1:0] act_fill;
    wire [SECTORS-1:0] act_write;
    wire               act_clean;
    wire               act_hold;
    wire               act_use;
    wire               mshr_hit;
    wire               mshr_room;
    wire               mshr_behind;
    wire               mshr_ends;
    wire [7:0]         mshr_entry;
    /* verilator lint_off UNUSED */  // who asks knows when the answer comes, and the line
    wire               tags_valid;
    wire               mshr_valid;
    wire [LINE_W-1:0]  mshr_line;
    /* verilator lint_on UNUSED */
    wire [SECTORS-1:0] mshr_fetching;
    wire               mshr_idle;
    wire               act_entry;
    wire               act_pass;
    wire [SECTORS-1:0] act_needs;
    wire [SECTORS-1:0] act_fetch;
    wire [SECTORS-1:0] act_here;

    // Bytes: of the line's, those that the slice has, and what is moved.
    wire [MASK_W-1:0]  has;
    wire [MASK_W-1:0]  new_has;
    wire               new_write;
    wire [SECTORS-1:0] move_back;
    wire [SECTORS-1:0] move_sectors;
    wire               move_reads;
    wire               move_writes;
    wire [MASK_W-1:0]  move_parts;
    wire               moves;
    wire               bytes_ready;
    wire               bytes_idle;

    assign take = op_valid_i && op_ready_o;

    cw_l2_mshr #(
        .ENTRIES(ENTRIES),
        .MERGE  (MERGE),
        .LINE_W (LINE_W),
        .SECTORS(SECTORS),
        .REQ_W  (REQ_W)
    ) u_mshr (
        .clk_i         (clk_i),
        .rst_i         (rst_i),
        .op_valid_i    (take),
        .op_kind_i     (mshr_kind),
        .op_line_i     (op_line_i),
        .op_entry_i    (op_entry_i),
        .op_sectors_i  (op_sectors_i),
        .ans_valid_o   (mshr_valid),
        .ans_hit_o     (mshr_hit),
        .ans_room_o    (mshr_room),
        .ans_behind_o  (mshr_behind),
        .ans_ends_o    (mshr_ends),
        .ans_entry_o   (mshr_entry),
        .ans_line_o    (mshr_line),
        .ans_fetching_o(mshr_fetching),
        .act_valid_i   (act_entry),
        .act_pass_i    (act_pass),
        .act_req_i     (act_req_i),
        .act_needs_i   (act_needs),
        .act_fetch_i   (act_fetch),
        .act_here_i    (act_here),
        .head_valid_o  (head_valid_o),
        .head_req_o    (head_req_o),
        .empty_o       (empty_o),
        .idle_o        (mshr_idle)
    );

    cw_l2_tags #(
        .WAYS   (WAYS),
        .SET_W  (SET_W),
        .TAG_W  (TAG_W),
        .SECTORS(SECTORS)
    ) u_tags (
        .clk_i        (clk_i),
        .rst_i        (rst_i),
        .op_valid_i   (tag_q),
        .op_ready_o   (tags_ready),
        .op_set_i     (tag_set),
        .op_tag_i     (tag_tag_q),
        .ans_valid_o  (tags_valid),
        .ans_hit_o    (tags_hit),
        .ans_victim_o (tags_victim),
        .ans_way_o    (tags_way),
        .ans_tag_o    (tags_tag),
        .ans_sectors_o(tags_sectors),
        .ans_dirty_o  (tags_dirty),
        .ans_held_o   (tags_held),
        .act_valid_i  (act_line),
        .act_drop_i   (act_drop),
        .act_fill_i   (act_fill),
        .act_write_i  (act_write),
        .act_clean_i  (act_clean),
        .act_hold_i   (act_hold),
        .act_use_i    (act_use),
        .idle_o       (tags_idle)
    );

    cw_l2_slice_decision #(
        .SECTORS(SECTORS),
        .BURST  (BURST),
        .WHOLE  (WHOLE)
    ) u_decision (
        .valid_i       (ans_q),
        .kind_i        (ans_kind),
        .head_i        (ans_head),
        .pass_i        (ans_pass),
        .pm_i          (ans_pm),
        .sectors_i     (ans_sectors),
        .mask_i        (ans_mask),
        .hit_i         (tags_hit),
        .victim_i      (tags_victim),
        .here_i        (tags_sectors),
        .dirty_i       (tags_dirty),
        .held_i        (tags_held),
        .has_i         (has),
        .entry_hit_i   (mshr_hit),
        .room_i        (mshr_room),
        .behind_i      (mshr_behind),
        .ends_i        (mshr_ends),
        .fetching_i    (mshr_fetching),
        .space_i       (mem_space_i),
        .told_i        (mem_told_i),
        .pm_ready_i    (mem_pm_i),
        .bytes_ready_i (bytes_ready),
        .result_o      (ans_result_o),
        .fetch_o       (ans_fetch_o),
        .back_o        (ans_back_o),
        .named_o       (ans_named),
        .line_act_o    (act_line),
        .line_drop_o   (act_drop),
        .line_fill_o   (act_fill),
        .line_write_o  (act_write),
        .line_clean_o  (act_clean),
        .line_hold_o   (act_hold),
        .line_use_o    (act_use),
        .entry_act_o   (act_entry),
        .entry_pass_o  (act_pass),
        .entry_needs_o (act_needs),
        .entry_fetch_o (act_fetch),
        .entry_here_o  (act_here),
        .has_write_o   (new_write),
        .has_o         (new_has),
        .move_o        (moves),
        .move_back_o   (move_back),
        .move_sectors_o(move_sectors),
        .move_reads_o  (move_reads),
        .move_writes_o (move_writes),
        .move_parts_o  (move_parts)
    );

    cw_l2_slice_masks #(
        .WAYS  (WAYS),
        .SET_W (SET_W),
        .MASK_W(MASK_W)
    ) u_masks (
        .clk_i    (clk_i),
        .rd_en_i  (tag_q),
        .rd_set_i (tag_set),
        .keep_i   (get_q),
        .way_i    (tags_way),
        .has_o    (has),
        .wr_en_i  (new_write),
        .wr_set_i (ans_set),
        .wr_data_i(new_has)
    );

    cw_l2_slice_bytes #(
        .ROW_W  (SET_W + WAY_W),
        .SECTORS(SECTORS)
    ) u_bytes (
        .clk_i       (clk_i),
        .rst_i       (rst_i),
        .ready_o     (bytes_ready),
        .valid_i     (moves),
        .row_i       ({ans_set, tags_way[WAY_W-1:0]}),
        .back_i      (move_back),
        .has_i       (has),
        .sectors_i   (move_sectors),
        .reads_i     (move_reads),
        .writes_i    (move_writes),
        .parts_i     (move_parts),
        .out_valid_o (out_valid_o),
        .out_back_o  (out_back_o),
        .out_sector_o(out_sector_o),
        .out_data_o  (out_data_o),
        .out_mask_o  (out_mask_o),
        .in_ready_o  (in_ready_o),
        .in_sector_o (in_sector_o),
        .in_valid_i  (in_valid_i),
        .in_data_i   (in_data_i),
        .idle_o      (bytes_idle)
    );

    always @(posedge clk_i) begin
        if (rst_i) begin
            ready_q <= 1'b0;
            tag_q   <= 1'b0;
            get_q   <= 1'b0;
            ans_q   <= 1'b0;
        end else begin
            ready_q <= ready_q || tags_ready;
            tag_q   <= take;
            get_q   <= tag_q;
            ans_q   <= get_q;
        end
        if (take) begin
            tag_op_q  <= op;
            tag_tag_q <= op_line_i[LINE_W-1:SET_W];
        end
        if (tag_q)
            get_op_q <= tag_op_q;
        if (get_q)
            ans_op_q <= get_op_q;
    end

    assign op_ready_o  = ready_q && !(tag_q && tag_set == op_line_i[SET_W-1:0]);
    assign ans_valid_o = ans_q;
    assign ans_way_o   = tags_way & {4{ans_named}};
    assign ans_entry_o = mshr_entry & {8{act_entry}};
    assign ans_line_o  = {tags_tag, ans_set} & {LINE_W{|ans_back_o}};
    assign idle_o      = ready_q && !tag_q && !get_q && !ans_q && mshr_idle && tags_idle && bytes_idle;

`ifdef CW_PROPERTIES
    cw_nonsynth_l2_slice #(
        .SET_W  (SET_W),
        .LINE_W (LINE_W),
        .SECTORS(SECTORS)
    ) u_properties (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .op_i   ({op_valid_i, op_ready_o, op_kind_i, op_head_i, op_pass_i, op_pm_i, op_line_i, op_sectors_i}),
        .mask_i (op_mask_i),
        .ans_i  ({ans_valid_o, ans_result_o, ans_way_o, ans_entry_o, ans_fetch_o, ans_back_o, ans_line_o}),
        .moves_i(moves),
        .out_i  ({out_valid_o, out_back_o, out_sector_o, out_mask_o}),
        .data_i (out_data_o),
        .in_i   ({in_ready_o, in_sector_o, in_valid_i}),
        .given_i(in_data_i),
        .swept_i(ready_q),
        .idle_i (idle_o)
    );
`endif

    generate
        if (WAYS < 1 || WAYS > 16) begin : g_bad_ways
            cw_error_l2_slice_ways_must_be_1_to_16 u_error ();
        end
        if (SET_W < 1 || SET_W > 10) begin : g_bad_set_w
            cw_error_l2_slice_set_w_must_be_1_to_10 u_error ();
        end
        if (TAG_W < 1 || TAG_W > 22) begin : g_bad_tag_w
            cw_error_l2_slice_tag_w_must_be_1_to_22 u_error ();
        end
        if (SECTORS < 1 || SECTORS > 8) begin : g_bad_sectors
            cw_error_l2_slice_sectors_must_be_1_to_8 u_error ();
        end
        if (ENTRIES < 1 || ENTRIES > 256) begin : g_bad_entries
            cw_error_l2_slice_entries_must_be_1_to_256 u_error ();
        end
        if (MERGE < 1 || MERGE > 64) begin : g_bad_merge
            cw_error_l2_slice_merge_must_be_1_to_64 u_error ();
        end
        if (REQ_W < 1 || REQ_W > 16) begin : g_bad_req_w
            cw_error_l2_slice_req_w_must_be_1_to_16 u_error ();
        end
        if (BURST < 1 || BURST > 8) begin : g_bad_burst
            cw_error_l2_slice_burst_must_be_1_to_8 u_error ();
        end
        if (WHOLE < 0 || WHOLE > 1) begin : g_bad_whole
            cw_error_l2_slice_whole_must_be_0_or_1 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
