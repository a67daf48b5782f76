// SPDX-License-Identifier: Apache-2.0
//
// cw_nonsynth_persist_buffer: what must hold of the persist buffer, as two places of its ring show it.
//
// Why         : a buffer of persists is right if no line overtakes an ordering entry that holds it back, and none is lost.
// How         : it watches two places, of the prover's choice, and keeps what the ports have shown of the entries that are there.
// Illegal use : synthesis. Only blocks of properties have it (CW_PROPERTIES).
//
// Contract: include/cowarp/unit/persist_buffer.h. docs/proofs.md has the form of properties.

`default_nettype none

module cw_nonsynth_persist_buffer #(
    parameter ENTRIES = 256,
    parameter WARPS   = 32,
    parameter LINE_W  = 9,
    parameter WARP_W  = 5,  // of a warp's number
    parameter IDX_W   = 8,  // of a place in the ring
    parameter CNT_W   = 9   // of a number of entries
) (
    input  wire                                clk_i,
    input  wire                                rst_i,
    // the insert that is carried out, and its answer; it appends, and is of a line; the place of its warp's last ordering entry
    input  wire [10+WARP_W+LINE_W+3*IDX_W-1:0] ins_i,
    // an eviction is asked for; one is answered
    input  wire [4+IDX_W-1:0]                  evict_i,
    // a line on offer
    input  wire [2+LINE_W+IDX_W-1:0]           flush_i,
    // an ordering entry on offer
    input  wire [5+WARPS-1:0]                  order_i,
    // what may leave; the head vanishes
    input  wire [3+WARPS-1:0]                  leave_i,
    // status
    input  wire [3+CNT_W-1:0]                  status_i,
    // the ring: entries, those that have been asked for, the next place; the row that is read, is there, has not been kept
    input  wire [3+2*CNT_W+2*IDX_W-1:0]        ring_i
);

`ifdef CW_PROPERTIES
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

    localparam [CNT_W-1:0] ALL    = ENTRIES[CNT_W-1:0];
    localparam [IDX_W-1:0] LAST   = ALL[IDX_W-1:0] - 1'b1;
    localparam [WARPS-1:0] WARP_0 = 1;

    wire              ins_valid;
    wire [2:0]        ins_kind;
    wire [WARP_W-1:0] ins_warp;
    wire [LINE_W-1:0] ins_line;
    wire              ins_held;
    wire [IDX_W-1:0]  ins_entry;
    wire [2:0]        ins_answer;
    wire [IDX_W-1:0]  ins_at;
    wire              appends;
    wire              is_line;
    wire [IDX_W-1:0]  order_at;
    wire              evict_valid;
    wire              evict;
    wire [IDX_W-1:0]  evict_at;
    wire              evict_done;
    wire              evict_go;
    wire              flush_valid;
    wire [LINE_W-1:0] flush_line;
    wire [IDX_W-1:0]  flush_entry;
    wire              flush_ready;
    wire              order_valid;
    wire [2:0]        order_kind;
    wire [WARPS-1:0]  order_warps;
    wire              order_ready;
    wire [WARPS-1:0]  fsm;
    wire              hold;
    wire              drain;
    wire              vanish;
    wire [CNT_W-1:0]  count;
    wire              full;
    wire              empty;
    wire              demand;
    wire [CNT_W-1:0]  entries;
    wire [CNT_W-1:0]  asked;
    wire [IDX_W-1:0]  tail;
    wire              rd_en;
    wire [IDX_W-1:0]  rd_at;
    wire              sight;
    wire              fresh;

    assign {ins_valid, ins_kind, ins_warp, ins_line, ins_held, ins_entry, ins_answer, ins_at, appends, is_line,
            order_at} = ins_i;
    assign {evict_valid, evict, evict_at, evict_done, evict_go} = evict_i;
    assign {flush_valid, flush_line, flush_entry, flush_ready} = flush_i;
    assign {order_valid, order_kind, order_warps, order_ready} = order_i;
    assign {fsm, hold, drain, vanish} = leave_i;
    assign {count, full, empty, demand} = status_i;
    assign {entries, asked, tail, rd_en, rd_at, sight, fresh} = ring_i;

    // Two places of the ring, of the prover's choice, and what the ports have shown of the entries that are there: whether one is, how many are
    // older, its kind, line and mask, and whether it has gone by eviction.
    (* anyconst *) reg [IDX_W-1:0] f_i;
    (* anyconst *) reg [IDX_W-1:0] f_j;
    reg                 f_past_q = 1'b0;
    reg  [CNT_W:0]      f_count_q;
    reg  [IDX_W-1:0]    f_next_q;      // what is appended next
    reg                 f_i_in_q;
    reg  [CNT_W-1:0]    f_i_ahead_q;
    reg  [2:0]          f_i_kind_q;
    reg  [LINE_W-1:0]   f_i_line_q;
    reg  [WARPS-1:0]    f_i_mask_q;
    reg                 f_i_gone_q;
    reg                 f_i_asked_q;
    reg                 f_j_in_q;
    reg  [CNT_W-1:0]    f_j_ahead_q;
    reg  [2:0]          f_j_kind_q;
    reg  [WARPS-1:0]    f_j_mask_q;
    reg                 f_offer_q;     // something was on offer in the cycle before, and was not taken
    reg  [WARPS-1:0]    f_fsm_q;       // of the cycle before
    reg                 f_hold_q;
    reg                 f_may_q;       // drain or demand
    reg                 f_was_q;       // on offer in the cycle before
    reg  [5+LINE_W+IDX_W+WARPS-1:0] f_shown_q;
    reg                 f_asks_q;      // an eviction was asked for
    reg  [1:0]          f_idle_q;      // cycles in which the entry is the head, and nothing holds it back
    reg                 f_read_new_q;  // a row was read while it was appended
    wire                f_append = ins_valid && ins_answer == APPENDED;
    wire                f_merge  = ins_valid && ins_answer == MERGED;
    wire                f_grow   = ins_valid && ins_answer == COALESCED;
    wire                f_taken  = (flush_valid && flush_ready) || (order_valid && order_ready);
    wire                f_i_line = f_i_in_q && f_i_kind_q == LINE;
    wire                f_i_head = f_i_in_q && f_i_ahead_q == 0;
    wire                f_j_head = f_j_in_q && f_j_ahead_q == 0;
    wire                f_i_offer = f_i_head && (flush_valid || order_valid);
    // The head vanishes: it has gone. This says it of the entries that are looked at; the count, of all.
    wire                f_leave  = f_taken || vanish;
    wire                f_j_older = f_j_in_q && f_j_ahead_q < f_i_ahead_q;
    wire                f_both   = f_i_in_q && f_j_in_q && f_i != f_j;
    wire                f_j_order = f_j_in_q && f_j_kind_q != LINE;
    wire [WARPS-1:0]    f_warp   = WARP_0 << ins_warp;
    wire                f_ask    = (f_append && ins_kind >= ACQ_DEV) || (ins_valid && (ins_answer == CONFLICT || ins_answer == FULL))
                                   || (evict_done && !evict_go);
    wire                f_free   = drain && !hold && fsm == 0 && !evict_done;

    always @(posedge clk_i) begin
        f_past_q  <= 1'b1;
        f_fsm_q   <= fsm;
        f_hold_q  <= hold;
        f_may_q   <= drain || demand;
        f_shown_q <= {flush_valid, flush_line, flush_entry, order_valid, order_kind, order_warps};
        if (rst_i) begin
            f_count_q    <= 0;
            f_next_q     <= 0;
            f_i_in_q     <= 1'b0;
            f_j_in_q     <= 1'b0;
            f_offer_q    <= 1'b0;
            f_was_q      <= 1'b0;
            f_asks_q     <= 1'b0;
            f_idle_q     <= 2'd0;
            f_read_new_q <= 1'b0;
        end else begin
            f_count_q    <= f_count_q + {{CNT_W{1'b0}}, f_append} - {{CNT_W{1'b0}}, f_leave};
            f_offer_q    <= (flush_valid || order_valid) && !f_taken;
            f_was_q      <= flush_valid || order_valid;
            f_asks_q     <= evict_valid;
            f_read_new_q <= rd_en && appends && rd_at == tail;
            f_idle_q     <= !f_i_head || f_leave || !f_free ? 2'd0 : &f_idle_q ? 2'd3 : f_idle_q + 2'd1;
            if (f_append)
                f_next_q <= f_next_q == LAST ? 0 : f_next_q + 1;
            if (f_append && ins_at == f_i) begin
                f_i_in_q    <= 1'b1;
                f_i_ahead_q <= count - {{(CNT_W-1){1'b0}}, f_leave};
                f_i_kind_q  <= ins_kind;
                f_i_line_q  <= ins_line;
                f_i_mask_q  <= f_warp;
                f_i_gone_q  <= 1'b0;
                f_i_asked_q <= f_ask;
            end else begin
                if (f_leave && f_i_ahead_q == 0)
                    f_i_in_q <= 1'b0;
                else if (f_leave)
                    f_i_ahead_q <= f_i_ahead_q - 1;
                if ((f_merge && ins_at == f_i) || (f_grow && ins_entry == f_i))
                    f_i_mask_q <= f_i_mask_q | f_warp;
                if (evict_go && evict_at == f_i)
                    f_i_gone_q <= 1'b1;
                f_i_asked_q <= f_i_asked_q || f_ask;
            end
            if (f_append && ins_at == f_j) begin
                f_j_in_q    <= 1'b1;
                f_j_ahead_q <= count - {{(CNT_W-1){1'b0}}, f_leave};
                f_j_kind_q  <= ins_kind;
                f_j_mask_q  <= f_warp;
            end else begin
                if (f_leave && f_j_ahead_q == 0)
                    f_j_in_q <= 1'b0;
                else if (f_leave)
                    f_j_ahead_q <= f_j_ahead_q - 1;
                if ((f_merge && ins_at == f_j) || (f_grow && ins_entry == f_j))
                    f_j_mask_q <= f_j_mask_q | f_warp;
            end
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The count is that of the entries that were appended and have not left, and they are appended around the ring.
            assert ({1'b0, count} == f_count_q && f_count_q <= ENTRIES);
            assert (empty == (f_count_q == 0) && full == (f_count_q == ENTRIES));
            if (f_append)
                assert (ins_at == f_next_q && !full && !(f_i_in_q && ins_at == f_i));
            cover (full && f_next_q != 0);
            // 2. What is on offer is the oldest entry, as it was appended, with all warps that have joined it since.
            if (f_i_offer && f_i_kind_q == LINE)
                assert (flush_valid && flush_line == f_i_line_q && flush_entry == f_i && !f_i_gone_q);
            if (f_i_offer && f_i_kind_q != LINE)
                assert (order_valid && order_kind == f_i_kind_q && order_warps == f_i_mask_q);
            if (flush_valid && flush_entry == f_i)
                assert (f_i_head);
            assert (!(flush_valid && order_valid));
            cover (f_i_offer && order_valid && &f_i_mask_q && f_i != 0);
            cover (f_i_offer && flush_valid && &f_i_mask_q && f_i != 0);
            // 3. No line leaves while an older ordering entry that names one of its warps is in the buffer, by the head or by eviction.
            if (f_both && f_j_order && f_j_older && (f_i_mask_q & f_j_mask_q) != 0)
                assert (!(flush_valid && flush_entry == f_i) && !(evict_go && evict_at == f_i));
            cover (f_both && f_j_order && f_j_older && f_i_line && evict_done && evict_at == f_i);
            cover (f_both && f_j_order && !f_j_older && evict_go && evict_at == f_i);
            // 4. No line is put on offer, or goes by eviction, one of whose warps is in fsm, or while hold is 1, or unasked for.
            if (f_i_offer && flush_valid && !f_was_q)
                assert ((f_i_mask_q & f_fsm_q) == 0 && !f_hold_q && f_may_q);
            if (evict_go && evict_at == f_i)
                assert (f_i_line && !f_i_gone_q && (f_i_mask_q & fsm) == 0 && !hold && !(flush_valid && flush_entry == f_i));
            cover (f_i_offer && flush_valid && !f_was_q && f_fsm_q != 0);
            cover (evict_go && evict_at == f_i && fsm != 0);
            // 5. A warp writes a line again exactly if the line is there and no ordering entry of the warp is younger.
            if (f_grow && ins_entry == f_i)
                assert (f_i_line && !f_i_gone_q && !f_i_offer && !(f_both && f_j_order && !f_j_older && (f_j_mask_q & f_warp) != 0));
            if (ins_valid && ins_answer == CONFLICT && ins_entry == f_i)
                assert (f_i_line && !f_i_gone_q && (f_j != order_at || (f_j_order && !f_j_older && (f_j_mask_q & f_warp) != 0)));
            if (ins_valid && is_line && ins_held && ins_entry == f_i && f_i_line && !f_i_gone_q && !f_i_offer)
                assert (ins_answer != BUSY || (evict_done && evict_at == f_i));
            cover (f_grow && ins_entry == f_i && f_both && f_j_order && !f_j_older);
            cover (ins_valid && ins_answer == CONFLICT && ins_entry == f_i && f_j == order_at && f_i > f_j);
            // 6. A warp joins an ordering entry of its kind only if no younger entry names the warp, and no acquire one that is older than a release.
            if (f_merge && ins_at == f_j)
                assert (f_j_order && f_j_kind_q == ins_kind && !(f_j_head && order_valid));
            if (f_merge && ins_at == f_j && f_both && f_j_older)
                assert ((f_i_mask_q & f_warp) == 0 && f_i_kind_q != ins_kind);
            if (f_merge && ins_at == f_j && f_both && f_j_older && (ins_kind == ACQ_BLOCK || ins_kind == ACQ_DEV))
                assert (f_i_kind_q != REL_BLOCK && f_i_kind_q != REL_DEV);
            cover (f_merge && ins_at == f_j && f_both && f_j_older && f_i_kind_q == LINE && ins_kind == ACQ_BLOCK);
            // 7. An offer stays as it is until it is taken, and what is not on offer is 0.
            if (f_offer_q)
                assert ({flush_valid, flush_line, flush_entry, order_valid, order_kind, order_warps} == f_shown_q);
            if (!flush_valid)
                assert (flush_line == 0 && flush_entry == 0);
            if (!order_valid)
                assert (order_kind == 0 && order_warps == 0);
            cover (f_offer_q && flush_valid && hold && f_grow);
            // 8. An eviction is answered in the next cycle or not at all, and goes only when it is answered, and not while a head in sight waits for fsm.
            assert (!evict_done || f_asks_q);
            assert (!evict_go || evict_done);
            if (evict_go && sight && f_i_head && f_i_kind_q == LINE && !f_i_gone_q && f_i != evict_at)
                assert ((f_i_mask_q & fsm) == 0);
            cover (evict_done && sight && f_i_head && (f_i_mask_q & fsm) != 0 && f_i != evict_at);
            // 9. The head is on offer, or has left, two cycles after it became the head or what held it back ended.
            assert (f_idle_q != 2'd3 || f_i_offer);
            if (f_idle_q == 2'd2)
                assert (f_i_offer || !f_i_in_q);
            cover (f_idle_q == 2'd2 && flush_valid && f_i != 0 && f_j_in_q);
            // 10. What has been asked for is demanded until it has left.
            assert (!(f_i_in_q && f_i_asked_q) || demand);
            assert (asked <= entries);
            cover (f_i_in_q && f_i_asked_q && f_j_in_q && !f_j_older && f_i != f_j && !drain);
            // 11. No row is used that was read while it was appended.
            assert (!(f_read_new_q && (fresh || evict)));
            cover (f_asks_q && f_read_new_q);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

endmodule

`default_nettype wire
