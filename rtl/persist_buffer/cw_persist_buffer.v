// SPDX-License-Identifier: Apache-2.0
//
// cw_persist_buffer: a FIFO of dirty lines of persistent memory and of the ordering entries between them, for one core.
//
// Why         : a line may stay in the L1 and take more writes until an ordering entry of the same warp lies behind it. What has to be known
//               for this, before the write is done, is whether one lies there, anywhere in the FIFO.
// How         : a ring in RAM, with a mask of warps per entry, each bit of which can be written. Nothing is searched in parallel. Kept in
//               flip-flops are the place of each warp's last ordering entry, the place of the youngest entry of each kind with the warps
//               that have a younger entry, and for each place whether a line is there that has not left and is not on offer. Two places are
//               compared by three comparisons: with each other, and each with the head, to know which has wrapped. A line knows how many
//               ordering entries were appended before it; so an eviction needs one comparison with those that have left.
// Stages      : insert: decode the warp and the kind; judge, and carry out. Evict: read, answer. Head: read; judge, from the RAM or, later, from
//               a register; offer.
// Latency     : insert 1 cycle, evict 1; an entry that is appended to an empty buffer is on offer three cycles later.
// Throughput  : one insert per cycle; one entry leaves in three cycles; an eviction has to be asked for again when the head is read.
// Comb. paths : fsm_i, hold_i -> evict_go_o, busy_o. drain_i -> busy_o. Nothing leads from a RAM to a RAM.
// Storage     : RAMs of ENTRIES x (3 + LINE_W + log2 ENTRIES) and ENTRIES x WARPS bits. Flip-flops: ENTRIES + WARPS * (log2 ENTRIES + 9), the
//               head's entry, and the insert.
// Illegal use : none.
//
// Paper: Pandey 2023, section 6, Figure 5. Contract: include/cowarp/unit/persist_buffer.h. C model: csim/unit/persist_buffer.c.
// Datasheet: docs/units/persist_buffer.md.

`default_nettype none

module cw_persist_buffer #(
    parameter ENTRIES = 256,  // 1 .. 512
    parameter WARPS   = 32,   // 1 .. 64
    parameter LINE_W  = 9     // 1 .. 12
) (
    input  wire                                           clk_i,
    input  wire                                           rst_i,
    // a warp writes a line, or orders
    input  wire                                           ins_valid_i,
    input  wire [2:0]                                     ins_kind_i,
    input  wire [(WARPS > 2 ? $clog2(WARPS) : 1)-1:0]     ins_warp_i,
    input  wire [LINE_W-1:0]                              ins_line_i,
    input  wire                                           ins_held_i,
    input  wire [(ENTRIES > 2 ? $clog2(ENTRIES) : 1)-1:0] ins_entry_i,
    output wire [2:0]                                     ins_answer_o,
    output wire [(ENTRIES > 2 ? $clog2(ENTRIES) : 1)-1:0] ins_at_o,
    // the L1 would evict a line
    input  wire                                           evict_valid_i,
    input  wire [(ENTRIES > 2 ? $clog2(ENTRIES) : 1)-1:0] evict_entry_i,
    output wire                                           evict_done_o,
    output wire                                           evict_go_o,
    // the line at the head leaves
    output wire                                           flush_valid_o,
    output wire [LINE_W-1:0]                              flush_line_o,
    output wire [(ENTRIES > 2 ? $clog2(ENTRIES) : 1)-1:0] flush_entry_o,
    input  wire                                           flush_ready_i,
    // the ordering entry at the head leaves
    output wire                                           order_valid_o,
    output wire [2:0]                                     order_kind_o,
    output wire [WARPS-1:0]                               order_warps_o,
    input  wire                                           order_ready_i,
    // what may leave
    input  wire [WARPS-1:0]                               fsm_i,
    input  wire                                           hold_i,
    input  wire                                           drain_i,
    // status
    output wire [(ENTRIES > 1 ? $clog2(ENTRIES+1) : 1)-1:0] count_o,
    output wire                                           full_o,
    output wire                                           empty_o,
    output wire                                           demand_o,
    output wire                                           busy_o
);

    localparam IDX_W  = ENTRIES > 2 ? $clog2(ENTRIES) : 1;
    localparam CNT_W  = ENTRIES > 1 ? $clog2(ENTRIES+1) : 1;
    localparam ROWS   = 1 << IDX_W;              // of the RAMs; those from ENTRIES on are never written
    localparam INFO_W = 3 + LINE_W + IDX_W;      // {kind, line, ordering entries that were appended before}

    // enum cw_persist_kind and enum cw_persist_answer
    localparam [2:0] LINE      = 3'd0;
    localparam [2:0] ACQ_BLOCK = 3'd2;
    localparam [2:0] REL_BLOCK = 3'd3;
    localparam [2:0] ACQ_DEV   = 3'd4;
    localparam [2:0] REL_DEV   = 3'd5;
    localparam [2:0] APPENDED  = 3'd0;
    localparam [2:0] COALESCED = 3'd1;
    localparam [2:0] MERGED    = 3'd2;
    localparam [2:0] CONFLICT  = 3'd3;
    localparam [2:0] FULL      = 3'd4;
    localparam [2:0] BUSY      = 3'd5;

    localparam [CNT_W-1:0] ALL     = ENTRIES[CNT_W-1:0];
    localparam [IDX_W-1:0] LAST    = ALL[IDX_W-1:0] - 1'b1;
    localparam [CNT_W-1:0] ONE     = 1;
    localparam [IDX_W-1:0] STEP    = 1;
    localparam [WARPS-1:0] WARP_0  = 1;
    localparam [6:0]       KIND_0  = 1;

    // ---- State

    // The insert of the cycle before, which is judged and carried out in this one.
    reg                    ins_valid_q;
    reg  [2:0]             ins_kind_q;
    reg  [6:0]             kind_oh;          // 0 of kind 7
    reg  [(WARPS > 2 ? $clog2(WARPS) : 1)-1:0] ins_warp_q;
    reg  [WARPS-1:0]       warp_oh;
    reg  [LINE_W-1:0]      ins_line_q;
    reg                    ins_held_q;
    reg  [IDX_W-1:0]       ins_entry_q;

    reg  [IDX_W-1:0]       head_q;
    reg  [IDX_W-1:0]       tail_q;
    reg  [CNT_W-1:0]       count_q;
    reg  [CNT_W-1:0]       asked_q;          // of the oldest entries
    reg  [IDX_W-1:0]       orders_in_q;      // ordering entries appended, and left, modulo the rows
    reg  [IDX_W-1:0]       orders_out_q;
    reg  [ROWS-1:0]        live_q;           // a line is there that has not gone and is not on offer, as of the cycle before

    // The last ordering entry of each warp, while it is in the buffer.
    reg  [WARPS-1:0]       ordered_q;
    reg  [WARPS*IDX_W-1:0] order_ats_q;

    // The youngest entry of each kind of ordering entries, and whether ins_warp_q could join it.
    wire [6:1]             merge;
    wire [7*IDX_W-1:IDX_W] kind_ats;

    // The head.
    reg                    sight_q;          // it has been read, and is not on offer
    reg                    fresh_q;          // it was read in the cycle before, and is not yet in the registers
    reg  [2:0]             kind_q;
    reg  [LINE_W-1:0]      line_q;
    reg  [WARPS-1:0]       mask_q;
    reg                    flush_q;          // it is on offer as a line, as an ordering entry
    reg                    order_q;

    // The eviction that is answered.
    reg                    evict_q;
    reg  [IDX_W-1:0]       evict_at_q;
    reg                    evict_live_q;     // live_q of it, which was looked up when it was asked for: it is too much for the cycle of the answer
    reg                    went_q;           // it went in the cycle before
    reg  [IDX_W-1:0]       went_at_q;

    // What joined the row that was read, while it was read.
    reg  [WARPS-1:0]       joined_q;

    wire [INFO_W-1:0]      rd_info;
    wire [WARPS-1:0]       rd_mask;

    // Entry a is younger than entry b, both in the ring from `head` on.
    function younger (
        input [IDX_W-1:0] a,
        input [IDX_W-1:0] b,
        input [IDX_W-1:0] head
    );
        younger = (a >= head) == (b >= head) ? a > b : a < head;
    endfunction

    // ---- Insert

    always @(posedge clk_i) begin
        ins_valid_q <= ins_valid_i && !rst_i;
        if (ins_valid_i) begin
            ins_kind_q  <= ins_kind_i;
            kind_oh     <= KIND_0 << ins_kind_i;
            ins_warp_q  <= ins_warp_i;
            warp_oh     <= WARP_0 << ins_warp_i;
            ins_line_q  <= ins_line_i;
            ins_held_q  <= ins_held_i;
            ins_entry_q <= ins_entry_i;
        end
    end

    wire                   is_line  = kind_oh[LINE];
    wire                   no_room  = count_q == ALL;
    wire [IDX_W-1:0]       order_at = order_ats_q[ins_warp_q*IDX_W +: IDX_W];  // the warp's last ordering entry
    reg                    merges;           // the kind's youngest entry is open, and not passed by the warp
    reg  [IDX_W-1:0]       kind_at;
    integer                k;

    always @* begin
        merges  = 1'b0;
        kind_at = {IDX_W{1'b0}};
        for (k = 1; k < 7; k = k + 1) begin
            merges  = merges || (kind_oh[k] && merge[k]);
            kind_at = kind_at | (kind_ats[k*IDX_W +: IDX_W] & {IDX_W{kind_oh[k]}});
        end
    end

    wire                   there    = live_q[ins_entry_q] && !(flush_q && head_q == ins_entry_q) && !(went_q && went_at_q == ins_entry_q)
                                      && !(evict_q && evict_at_q == ins_entry_q);
    wire                   conflict = (ordered_q & warp_oh) != {WARPS{1'b0}} && younger(order_at, ins_entry_q, head_q);
    wire                   wants    = ins_valid_q && (is_line ? !ins_held_q : !merges && kind_oh != 7'd0);  // an entry
    wire                   appends  = wants && !no_room;
    wire                   held     = ins_valid_q && is_line && ins_held_q && there;
    wire                   merged   = ins_valid_q && merges;
    wire                   joins    = merged || (held && !conflict);
    wire                   orders   = merged || (appends && !is_line);
    wire                   refused  = (wants && no_room) || (held && conflict);
    wire [IDX_W-1:0]       join_at  = is_line ? ins_entry_q : kind_at;
    wire [IDX_W-1:0]       at       = appends ? tail_q : join_at;  // where the warp is named

    assign ins_answer_o = !ins_valid_q ? 3'd0 : wants ? (no_room ? FULL : APPENDED) : merged ? MERGED : !held ? BUSY : conflict ? CONFLICT : COALESCED;
    assign ins_at_o     = merged ? kind_at : tail_q & {IDX_W{appends}};

    // ---- The head

    wire                   read     = count_q != {CNT_W{1'b0}} && !sight_q && !flush_q && !order_q;
    wire [WARPS-1:0]       seen     = rd_mask | joined_q;                    // of the row that was read
    wire [2:0]             kind     = fresh_q ? rd_info[INFO_W-1 -: 3] : kind_q;
    wire [LINE_W-1:0]      line     = fresh_q ? rd_info[IDX_W +: LINE_W] : line_q;
    wire [WARPS-1:0]       mask     = fresh_q ? seen : mask_q;
    wire                   joins_head = joins && join_at == head_q;
    wire                   hot      = (mask & fsm_i) != {WARPS{1'b0}};       // it meets fsm
    // A warp of fsm joins it. Any ordering entry of a warp is younger than the head.
    wire                   heats    = ins_valid_q && is_line && ins_held_q && ins_entry_q == head_q && (warp_oh & fsm_i & ~ordered_q) != {WARPS{1'b0}};
    wire                   free     = sight_q && !(evict_q && evict_at_q == head_q);
    wire                   may      = !hold_i && (drain_i || asked_q != {CNT_W{1'b0}});
    wire                   head_live = live_q[head_q] && !(went_q && went_at_q == head_q);
    wire                   vanish   = free && kind == LINE && !head_live;
    wire                   line_may = free && kind == LINE && head_live && may && !hot;
    wire                   offer_line  = line_may && !heats;
    wire                   offer_order = free && kind != LINE;
    wire                   order_out = order_q && order_ready_i;
    wire                   leave    = vanish || (flush_q && flush_ready_i) || order_out;
    wire [IDX_W-1:0]       head_up  = head_q == LAST ? {IDX_W{1'b0}} : head_q + STEP;
    wire [IDX_W-1:0]       tail_up  = tail_q == LAST ? {IDX_W{1'b0}} : tail_q + STEP;

    // ---- Evict: its row and the head's are never fresh in one cycle, so the head is judged from its registers.

    wire                   blocked  = sight_q && kind_q == LINE && head_live && (mask_q & fsm_i) != {WARPS{1'b0}};
    wire                   may_go   = evict_live_q && !(flush_q && head_q == evict_at_q) && !(went_q && went_at_q == evict_at_q);
    wire                   go       = evict_q && may_go && rd_info[IDX_W-1:0] == orders_out_q && (seen & fsm_i) == {WARPS{1'b0}}
                                      && !hold_i && !blocked;

    assign evict_done_o = evict_q;
    assign evict_go_o   = go;

    // ---- Counts

    wire [CNT_W-1:0]       count_d  = appends == leave ? count_q : appends ? count_q + ONE : count_q - ONE;
    wire                   ask      = (appends && kind_oh[6:ACQ_DEV] != 3'd0) || refused || (evict_q && !go);
    wire [CNT_W-1:0]       asked_less = leave && asked_q != {CNT_W{1'b0}} ? asked_q - ONE : asked_q;

    always @(posedge clk_i)
        if (rst_i) begin
            head_q       <= {IDX_W{1'b0}};
            tail_q       <= {IDX_W{1'b0}};
            count_q      <= {CNT_W{1'b0}};
            asked_q      <= {CNT_W{1'b0}};
            orders_in_q  <= {IDX_W{1'b0}};
            orders_out_q <= {IDX_W{1'b0}};
            sight_q      <= 1'b0;
            fresh_q      <= 1'b0;
            flush_q      <= 1'b0;
            order_q      <= 1'b0;
            evict_q      <= 1'b0;
            went_q       <= 1'b0;
        end else begin
            if (leave)
                head_q <= head_up;
            if (appends)
                tail_q <= tail_up;
            count_q      <= count_d;
            asked_q      <= ask ? count_d : asked_less;
            if (appends && !is_line)
                orders_in_q <= orders_in_q + STEP;
            if (order_out)
                orders_out_q <= orders_out_q + STEP;
            sight_q      <= read || (sight_q && !vanish && !offer_line && !offer_order);
            fresh_q      <= read;
            flush_q      <= offer_line || (flush_q && !flush_ready_i);
            order_q      <= offer_order || (order_q && !order_ready_i);
            went_q       <= go;
            evict_q      <= evict_valid_i && !read && !(appends && evict_entry_i == tail_q);
        end

    always @(posedge clk_i) begin
        if (sight_q) begin
            kind_q <= kind;
            line_q <= line;
            mask_q <= mask | (warp_oh & {WARPS{joins_head}});
        end
        if (evict_valid_i) begin
            evict_at_q   <= evict_entry_i;
            evict_live_q <= live_q[evict_entry_i] && !(flush_q && head_q == evict_entry_i) && !(went_q && went_at_q == evict_entry_i);
        end
        if (evict_q)
            went_at_q <= evict_at_q;
        if (read || evict_valid_i)
            joined_q <= warp_oh & {WARPS{joins && join_at == (read ? head_q : evict_entry_i)}};
    end

    // ---- Lines that are there

    always @(posedge clk_i)
        if (rst_i)
            live_q <= {ROWS{1'b0}};
        else begin
            if (flush_q)
                live_q[head_q] <= 1'b0;
            if (went_q)
                live_q[went_at_q] <= 1'b0;
            if (appends && is_line)
                live_q[tail_q] <= 1'b1;
        end

    // ---- The last ordering entry of each warp

    always @(posedge clk_i)
        if (rst_i)
            ordered_q <= {WARPS{1'b0}};
        else if (orders || order_out) begin : ordering
            reg [WARPS-1:0] still;
            integer         w;

            still = ordered_q;
            if (order_out)
                for (w = 0; w < WARPS; w = w + 1)
                    if (order_ats_q[w*IDX_W +: IDX_W] == head_q)
                        still[w] = 1'b0;
            ordered_q <= orders ? still | warp_oh : still;
        end

    always @(posedge clk_i)
        if (orders)
            order_ats_q[ins_warp_q*IDX_W +: IDX_W] <= at;

    // ---- The youngest entry of each kind: open while a warp may join it that no younger entry names

    wire                   releases = appends && (kind_oh[REL_BLOCK] || kind_oh[REL_DEV]);
    genvar                 c;
    generate
        for (c = 1; c < 7; c = c + 1) begin : g_kind
            reg             open_q;
            reg [IDX_W-1:0] at_q;
            reg [WARPS-1:0] passed_q;  // warps that a younger entry names

            always @(posedge clk_i)
                if (rst_i)
                    open_q <= 1'b0;
                else if (appends && kind_oh[c])
                    open_q <= 1'b1;
                else if ((offer_order && kind == c[2:0] && at_q == head_q) || (releases && (c == ACQ_BLOCK || c == ACQ_DEV)))
                    open_q <= 1'b0;

            always @(posedge clk_i)
                if (appends && kind_oh[c]) begin
                    at_q     <= tail_q;
                    passed_q <= {WARPS{1'b0}};
                end else if (appends || (joins && younger(join_at, at_q, head_q)))
                    passed_q <= passed_q | warp_oh;

            assign merge[c]                    = open_q && (passed_q & warp_oh) == {WARPS{1'b0}};
            assign kind_ats[c*IDX_W +: IDX_W]  = at_q;
        end
    endgenerate

    // ---- RAMs

    wire                   rd_en    = read || evict_valid_i;
    wire [IDX_W-1:0]       rd_at    = read ? head_q : evict_entry_i;

    cw_ram_1r1w #(
        .ADDR_W(IDX_W),
        .DATA_W(INFO_W)
    ) u_info (
        .clk_i    (clk_i),
        .rd_en_i  (rd_en),
        .rd_addr_i(rd_at),
        .rd_data_o(rd_info),
        .wr_en_i  (appends),
        .wr_addr_i(tail_q),
        .wr_data_i({ins_kind_q, ins_line_q, orders_in_q})
    );

    cw_ram_1r1w_parts #(
        .ADDR_W(IDX_W),
        .PART_W(1),
        .PARTS (WARPS)
    ) u_masks (
        .clk_i     (clk_i),
        .rd_en_i   (rd_en),
        .rd_addr_i (rd_at),
        .rd_data_o (rd_mask),
        .wr_en_i   (appends || joins),
        .wr_addr_i (at),
        .wr_parts_i(warp_oh | {WARPS{appends}}),
        .wr_data_i (warp_oh)
    );

    assign flush_valid_o = flush_q;
    assign flush_line_o  = line_q & {LINE_W{flush_q}};
    assign flush_entry_o = head_q & {IDX_W{flush_q}};
    assign order_valid_o = order_q;
    assign order_kind_o  = kind_q & {3{order_q}};
    assign order_warps_o = mask_q & {WARPS{order_q}};
    assign count_o       = count_q;
    assign full_o        = no_room;
    assign empty_o       = count_q == {CNT_W{1'b0}};
    assign demand_o      = asked_q != {CNT_W{1'b0}};
    // Of a head that has just been read it is not known yet: the RAM is too slow for a port.
    assign busy_o        = ins_valid_q || evict_q || read || fresh_q
                           || (free && (kind_q != LINE || !head_live || (may && (mask_q & fsm_i) == {WARPS{1'b0}})));

`ifdef CW_PROPERTIES
    cw_nonsynth_persist_buffer #(
        .ENTRIES(ENTRIES),
        .WARPS  (WARPS),
        .LINE_W (LINE_W),
        .WARP_W (WARPS > 2 ? $clog2(WARPS) : 1),
        .IDX_W  (IDX_W),
        .CNT_W  (CNT_W)
    ) u_properties (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .ins_i   ({ins_valid_q, ins_kind_q, ins_warp_q, ins_line_q, ins_held_q, ins_entry_q, ins_answer_o, ins_at_o,
                   appends, is_line, order_at}),
        .evict_i ({evict_valid_i, evict_q, evict_at_q, evict_done_o, evict_go_o}),
        .flush_i ({flush_valid_o, flush_line_o, flush_entry_o, flush_ready_i}),
        .order_i ({order_valid_o, order_kind_o, order_warps_o, order_ready_i}),
        .leave_i ({fsm_i, hold_i, drain_i, vanish}),
        .status_i({count_o, full_o, empty_o, demand_o}),
        .ring_i  ({count_q, asked_q, tail_q, rd_en, rd_at, sight_q, fresh_q})
    );
`endif

    generate
        if (ENTRIES < 1 || ENTRIES > 512) begin : g_bad_entries
            cw_error_persist_buffer_entries_must_be_1_to_512 u_error ();
        end
        if (WARPS < 1 || WARPS > 64) begin : g_bad_warps
            cw_error_persist_buffer_warps_must_be_1_to_64 u_error ();
        end
        if (LINE_W < 1 || LINE_W > 12) begin : g_bad_line_w
            cw_error_persist_buffer_line_w_must_be_1_to_12 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
