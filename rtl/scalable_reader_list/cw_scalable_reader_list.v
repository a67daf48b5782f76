// SPDX-License-Identifier: Apache-2.0
//
// cw_scalable_reader_list: who reads each word of a memory partition under snapshot isolation.
//
// Why         : a writer has to meet all readers of its word, which may be all transactions; most words have few.
// How         : WAYS ways, each with a hash of its own, and entries of four types: unused, up to three numbers, root,
//               leaf. An operation looks up the word's plain entry or root, and a cycle behind it the leaf: hash, read,
//               compare, decide. What an ADD has left stays at hand, because the lanes of a warp often read one word.
//               The sweep walks the rows. cw_reader_list_find has the entry that is at work, cw_reader_list_decide what
//               becomes of it, cw_reader_list_give the readers that go out, and cw_reader_list_live who runs.
// Latency     : ADD, REMOVE 2 to 6 cycles, 32 at most; LIST 4, and 4 per leaf.
// Throughput  : one operation at a time; readers of a list one per cycle.
// Comb. paths : none from input to output. No path leads from a RAM to a RAM.
// Storage     : of each way 2^k rows of 2 + content + WORD_W bits (69 by default), and a bit for each transaction;
//               single-port RAMs.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), sections 4.2, 4.3, Figure 10. Contract:
// include/cowarp/unit/scalable_reader_list.h. C model: csim/unit/scalable_reader_list.c. Datasheet:
// docs/units/scalable_reader_list.md.

`default_nettype none

module cw_scalable_reader_list #(
    parameter WORD_W  = 30,     // 1 .. 40
    parameter ID_W    = 10,     // 2 .. 10
    parameter LEAF_W  = 5,      // 1 .. 5, ID_W - 5 .. ID_W - 1
    parameter ENTRIES = 14642,  // WAYS .. 65536
    parameter WAYS    = 8       // 1 .. 8
) (
    input  wire              clk_i,
    input  wire              rst_i,
    // operations
    input  wire              op_valid_i,
    output wire              op_ready_o,
    input  wire [2:0]        op_kind_i,
    input  wire [WORD_W-1:0] op_word_i,
    input  wire [ID_W-1:0]   op_id_i,
    // readers, of a LIST
    output wire              rdr_valid_o,
    input  wire              rdr_ready_i,
    output wire [ID_W-1:0]   rdr_id_o,
    // the end of an ADD, REMOVE or LIST
    output wire              ans_valid_o,
    output wire [1:0]        ans_result_o,
    // takes out who is free
    input  wire              sweep_i,
    output wire              sweep_busy_o,
    // status
    output wire [16:0]       used_o,
    output wire              idle_o
);

    // Bits for the numbers 0 .. n-1, 1 at least.
    function integer index_w (input integer n);
        begin
            index_w = 1;
            while ((1 << index_w) < n)
                index_w = index_w + 1;
        end
    endfunction

    localparam [2:0] ADD = 3'd0, LIST = 3'd2, RUN = 3'd3, ROW = 3'd7;  // ROW: of the sweep
    localparam [1:0] DONE = 2'd0, FULL = 2'd2;
    localparam [1:0] LEAF = 2'd3;  // an entry
    localparam [3:0] CLEAR = 4'd0, IDLE = 4'd1, HASH = 4'd2, READ = 4'd3, COMPARE = 4'd4, DECIDE = 4'd5, DRAIN = 4'd6,
                     ROW_READ = 4'd7, PICK = 4'd8, LIVE = 4'd9, LOOK = 4'd10, ROW_WRITE = 4'd11, ROOT_WRITE = 4'd12;
    localparam [1:0] FIRST = 2'd0, MEMBER = 2'd1, UNDO = 2'd2, LAST = 2'd3;  // what a step is for

    localparam ROOT_W   = ID_W - LEAF_W;
    localparam ROOTS    = 1 << ROOT_W;
    localparam LEAVES   = 1 << LEAF_W;
    localparam PLAIN_W  = 2 + 3*ID_W;
    localparam MEMBER_W = ROOT_W + LEAVES;
    localparam WIDER    = PLAIN_W > MEMBER_W ? PLAIN_W : MEMBER_W;
    localparam BODY_W   = WIDER > ROOTS ? WIDER : ROOTS;
    localparam ENTRY_W  = 2 + BODY_W + WORD_W;
    localparam KEY_W    = 1 + ROOT_W + WORD_W;
    localparam ROWS     = (ENTRIES + WAYS - 1) / WAYS;  // of way 0, which has most
    localparam ROW_W    = index_w(ROWS);
    localparam CLEARS   = ROWS > ROOTS ? ROWS : ROOTS;
    localparam CLEAR_W  = index_w(CLEARS);
    localparam [31:0]        LAST_CLEAR_N = CLEARS - 1;
    localparam [31:0]        LAST_ROW_N   = ROWS - 1;
    localparam [CLEAR_W-1:0] LAST_CLEAR   = LAST_CLEAR_N[CLEAR_W-1:0];
    localparam [ROW_W-1:0]   LAST_ROW     = LAST_ROW_N[ROW_W-1:0];
    localparam [CLEAR_W-1:0] CLEAR_ONE    = 1;
    localparam [ROW_W-1:0]   ROW_ONE      = 1;
    localparam [ROOTS-1:0]   ROOT_BIT     = 1;

    reg [3:0]         state_q;
    reg [1:0]         task_q;
    reg [2:0]         kind_q;
    reg [WORD_W-1:0]  word_q;
    reg [ID_W-1:0]    id_q;
    reg [3*ID_W-1:0]  ids_q;       // of the plain entry that becomes a root
    reg [1:0]         which_q;     // whose leaf the step is for: of ids_q, or 3, id_q
    reg [1:0]         tried_q;     // UNDO: whose leaf found no room
    reg               convert_q;   // a plain entry becomes a root
    reg [ROOTS-1:0]   root_q;      // the root's bits; LIST: leaves to be looked up
    reg [WAYS-1:0]    root_place_q;
    reg [CLEAR_W-1:0] clear_row_q;
    reg               sweep_q;
    reg [ROW_W-1:0]   sweep_row_q; // next
    reg [ROW_W-1:0]   at_row_q;    // that is being looked at
    reg               last_row_q;  // that is being looked at was the last one
    reg [3:0]         turns_q;     // operations since the last row, 8 at most
    reg               open_q;      // body and place are what an ADD has left
    reg               open_leaf_q; // a leaf, else a plain entry
    reg [16:0]        used_q;
    reg [16:0]        shown_q;
    reg               ans_valid_q;
    reg [1:0]         ans_result_q;

    wire take     = op_valid_i && op_ready_o;
    wire take_row = state_q == IDLE && sweep_q && !take;
    wire begins   = take && op_kind_i < RUN;
    wire sets     = take && op_kind_i >= RUN;

    wire              fast;          // the entry is at hand
    wire              writes_root = state_q == ROOT_WRITE;

    assign op_ready_o = state_q == IDLE && !(sweep_q && turns_q[3]);

    // ---- Where: the row of each way

    reg  [ID_W-1:0]   who;           // whose leaf it is
    wire [ROOT_W-1:0] next_leaf;     // LIST: the lowest of root_q
    wire [ROOT_W-1:0] leaf_no  = kind_q == LIST ? next_leaf : who[ID_W-1:LEAF_W];
    wire              for_leaf = task_q == MEMBER || task_q == UNDO;
    wire              key_leaf = for_leaf || state_q == READ;  // a cycle behind the root's
    wire [KEY_W-1:0]  key      = state_q == IDLE ? {1'b0, {ROOT_W{1'b0}}, op_word_i}
                                                 : {key_leaf, leaf_no & {ROOT_W{key_leaf}}, word_q};

    always @*
        case (which_q)
            2'd0:    who = ids_q[0 +: ID_W];
            2'd1:    who = ids_q[ID_W +: ID_W];
            2'd2:    who = ids_q[2*ID_W +: ID_W];
            default: who = id_q;
        endcase

    // ---- The entry that is at work

    wire              found;
    wire              hit;
    wire              room;
    wire [WAYS-1:0]   place;    // the entry's, else a new one's
    wire [1:0]        kind;     // of entry
    wire [BODY_W-1:0] body;
    reg  [WAYS-1:0]   left_q;   // PICK: ways of the row that have not been looked at
    wire [WAYS-1:0]   pick;
    wire              pick_any;
    wire [WORD_W-1:0] pick_word;
    wire [ROW_W-1:0]  clear_row;

    cw_reader_list_find #(
        .WORD_W (WORD_W),
        .LEAVES (LEAVES),
        .ROOT_W (ROOT_W),
        .ENTRIES(ENTRIES),
        .WAYS   (WAYS),
        .KEY_W  (KEY_W),
        .ROW_W  (ROW_W),
        .BODY_W (BODY_W),
        .ENTRY_W(ENTRY_W)
    ) u_find (
        .clk_i        (clk_i),
        .state_i      (state_q),
        .key_i        (key),
        .word_i       (word_q),
        .for_leaf_i   (for_leaf),
        .leaf_no_i    (leaf_no),
        .behind_i     (task_q == FIRST && kind_q != LIST),
        .found_i      (found),
        .clear_row_i  (clear_row),
        .take_row_i   (take_row),
        .sweep_row_i  (sweep_row_q),
        .again_i      (state_q == DECIDE && kind_q == ROW),
        .at_row_i     (at_row_q),
        .left_i       (left_q),
        .pick_o       (pick),
        .pick_any_o   (pick_any),
        .word_o       (pick_word),
        .write_i      (write),
        .writes_root_i(writes_root),
        .root_place_i (root_place_q),
        .type_i       (new_type),
        .body_i       (new_body),
        .changes_i    (decide && write),
        .hit_o        (hit),
        .room_o       (room),
        .place_o      (place),
        .type_o       (kind),
        .body_o       (body)
    );

    // ---- Decide

    reg  [2:0]         keep_q;       // ROW_WRITE: whose numbers stay
    reg  [LEAVES-1:0]  left_leaf_q;  // ... what stays of a leaf
    wire               is_plain;
    wire               is_root;
    wire [1:0]         cnt;
    wire [ROOTS-1:0]   root;
    wire [LEAVES-1:0]  leaf;
    wire               changed;
    wire               writes;
    wire               fills;        // a place that was unused
    wire               frees;
    wire [1:0]         new_type;
    wire [BODY_W-1:0]  new_body;
    wire               over;
    wire [1:0]         result;
    wire [1:0]         task_d;
    wire               give_over;    // the next readers may come
    wire               decide = state_q == DECIDE && !(kind_q == LIST && !give_over);

    cw_reader_list_decide #(
        .ID_W  (ID_W),
        .LEAF_W(LEAF_W),
        .ROOT_W(ROOT_W),
        .ROOTS (ROOTS),
        .LEAVES(LEAVES),
        .BODY_W(BODY_W)
    ) u_decide (
        .kind_i       (kind_q),
        .id_i         (id_q),
        .task_i       (task_q),
        .convert_i    (convert_q),
        .ids_i        (ids_q),
        .who_i        (who),
        .which_i      (which_q),
        .leaf_no_i    (leaf_no),
        .tried_i      (tried_q),
        .writes_root_i(writes_root),
        .root_i       (root_q),
        .hit_i        (hit),
        .room_i       (room),
        .type_i       (kind),
        .body_i       (body),
        .is_plain_o   (is_plain),
        .is_root_o    (is_root),
        .cnt_o        (cnt),
        .root_o       (root),
        .leaf_o       (leaf),
        .row_write_i  (state_q == ROW_WRITE),
        .keep_i       (keep_q),
        .left_leaf_i  (left_leaf_q),
        .changed_o    (changed),
        .writes_o     (writes),
        .fills_o      (fills),
        .frees_o      (frees),
        .type_o       (new_type),
        .body_o       (new_body),
        .over_o       (over),
        .result_o     (result),
        .task_o       (task_d)
    );

    wire              write  = writes && (decide || writes_root || state_q == ROW_WRITE);
    wire [16:0]       change = !write ? 17'd0 : frees ? 17'h1ffff : {16'd0, fills};
    wire              lists  = decide && kind_q == LIST;
    // Those to come.
    wire [ROOTS-1:0]  leaves = task_q == FIRST ? (is_root ? root : {ROOTS{1'b0}}) : root_q & (root_q - ROOT_BIT);
    wire              drains = state_q == DRAIN && give_over;
    wire              ends   = (decide && over && kind_q != ROW) || writes_root || drains;
    // A look-up ends.
    assign            found  = state_q == COMPARE || state_q == PICK
                               || (decide && task_q == FIRST && kind_q != LIST && !over);

    // ---- The transactions that run

    wire [3*LEAVES-1:0] live;      // of the leaves of the three numbers of a plain entry, or of a leaf's own
    wire [ROOT_W-1:0]   clear_root;

    cw_reader_list_live #(
        .ID_W  (ID_W),
        .LEAF_W(LEAF_W),
        .ROOT_W(ROOT_W),
        .LEAVES(LEAVES),
        .BODY_W(BODY_W)
    ) u_live (
        .clk_i       (clk_i),
        .sets_i      (sets),
        .op_kind_i   (op_kind_i),
        .op_id_i     (op_id_i),
        .clear_i     (state_q == CLEAR),
        .clear_leaf_i(clear_root),
        .read_i      (state_q == LIVE),
        .type_i      (kind),
        .body_i      (body),
        .live_o      (live)
    );

    // ---- The readers that are given

    cw_reader_list_give #(
        .ID_W  (ID_W),
        .LEAF_W(LEAF_W),
        .ROOT_W(ROOT_W),
        .LEAVES(LEAVES)
    ) u_give (
        .clk_i    (clk_i),
        .rst_i    (rst_i),
        .lists_i  (lists),
        .cnt_i    (task_q == FIRST && is_plain ? cnt : 2'd0),
        .ids_i    (body[0 +: 3*ID_W]),
        .bits_i   (task_q == MEMBER ? leaf : {LEAVES{1'b0}}),
        .leaf_no_i(leaf_no),
        .valid_o  (rdr_valid_o),
        .ready_i  (rdr_ready_i),
        .id_o     (rdr_id_o),
        .over_o   (give_over)
    );

    // ---- Steps

    reg  [3:0] state_d;

    always @* begin
        state_d = state_q;
        case (state_q)
            CLEAR:    if (clear_row_q == LAST_CLEAR) state_d = IDLE;
            IDLE:     state_d = begins ? (fast ? DECIDE : READ) : take_row ? PICK : IDLE;
            HASH:     state_d = READ;
            READ:     state_d = COMPARE;
            COMPARE:  state_d = DECIDE;
            DECIDE:
                if (kind_q == ROW)
                    state_d = ROW_READ;
                else if (lists && !over && leaves == {ROOTS{1'b0}})
                    state_d = DRAIN;
                else if (decide)
                    state_d = over ? IDLE : task_d == LAST ? ROOT_WRITE
                              : task_q == FIRST && kind_q != LIST && !is_plain ? DECIDE : HASH;
            ROOT_WRITE: state_d = IDLE;
            DRAIN:    if (give_over) state_d = IDLE;
            ROW_READ: state_d = PICK;
            PICK:     state_d = pick_any ? LIVE : IDLE;
            LIVE:     state_d = LOOK;
            LOOK:     state_d = ROW_WRITE;
            default:  state_d = !changed ? PICK : kind == LEAF && frees ? HASH : ROW_READ;
        endcase
    end

    always @(posedge clk_i) begin
        if (rst_i) begin
            state_q      <= CLEAR;
            clear_row_q  <= {CLEAR_W{1'b0}};
            sweep_q      <= 1'b0;
            turns_q      <= 4'd0;
            open_q       <= 1'b0;
            used_q       <= 17'd0;
            shown_q      <= 17'd0;
            ans_valid_q  <= 1'b0;
            ans_result_q <= DONE;
        end else begin
            state_q      <= state_d;
            clear_row_q  <= clear_row_q + CLEAR_ONE;
            sweep_q      <= sweep_i || (sweep_q && !(state_q == PICK && !pick_any && last_row_q));
            if (take_row)
                turns_q <= 4'd0;
            else if (begins && !turns_q[3])
                turns_q <= turns_q + 4'd1;
            if (begins || take_row || ends)
                open_q <= ends && kind_q == ADD && !(decide && result == FULL);
            used_q <= used_q + change;
            if (ends || (state_q == PICK && !pick_any))
                shown_q <= used_q + change;
            ans_valid_q  <= ends;
            ans_result_q <= decide && ends ? result : DONE;
        end
        if (lists)
            root_q <= leaves;
        if (decide && task_q == FIRST && kind_q != LIST) begin
            root_q       <= root;
            root_place_q <= place;
        end
        if (ends)
            open_leaf_q <= task_q != FIRST;
        if (begins) begin
            kind_q <= op_kind_i;
            word_q <= op_word_i;
            id_q   <= op_id_i;
        end else if (take_row) begin
            kind_q <= ROW;
        end else if (state_q == PICK) begin
            word_q <= pick_word;
        end else if (state_q == ROW_WRITE) begin
            id_q <= {body[LEAVES +: ROOT_W], {LEAF_W{1'b0}}};  // for the bit of the root
        end
        if (state_q == IDLE) begin
            task_q    <= begins && fast && open_leaf_q ? MEMBER : FIRST;
            which_q   <= 2'd3;
            convert_q <= 1'b0;
        end else if (state_q == ROW_WRITE) begin
            task_q    <= LAST;
        end else if (decide) begin
            task_q <= task_d;
            if (task_q == FIRST) begin
                convert_q <= kind_q == ADD && is_plain;
                which_q   <= kind_q == ADD && is_plain ? 2'd0 : 2'd3;
                ids_q     <= body[0 +: 3*ID_W];
            end else if (task_q == MEMBER) begin
                tried_q <= which_q;
                which_q <= task_d == UNDO ? 2'd0 : which_q + 2'd1;
            end else begin
                which_q <= which_q + 2'd1;
            end
        end
        if (take_row) begin
            at_row_q <= sweep_row_q;
            left_q   <= {WAYS{1'b1}};
        end else if (state_q == PICK) begin
            left_q <= left_q & ~pick;
        end
        if (state_q == LOOK) begin
            keep_q      <= {live[{2'd2, body[2*ID_W +: LEAF_W]}], live[{2'd1, body[ID_W +: LEAF_W]}],
                            live[{2'd0, body[0 +: LEAF_W]}]};
            left_leaf_q <= body[LEAVES-1:0] & live[LEAVES-1:0];
        end
        sweep_row_q <= sweep_i ? {ROW_W{1'b0}} : take_row ? sweep_row_q + ROW_ONE : sweep_row_q;
        last_row_q  <= !sweep_i && (take_row ? sweep_row_q == LAST_ROW : last_row_q);
    end

    assign fast = open_q && op_kind_i == ADD && op_word_i == word_q
                  && (open_leaf_q ? op_id_i[ID_W-1:LEAF_W] == id_q[ID_W-1:LEAF_W] : cnt != 2'd3);

    assign ans_valid_o  = ans_valid_q;
    assign ans_result_o = ans_result_q;
    assign sweep_busy_o = sweep_q;
    assign used_o       = shown_q;
    assign idle_o       = state_q == IDLE && !sweep_q && !ans_valid_q;

    reg  [ROOT_W-1:0] lowest_root;
    integer           b;

    always @* begin
        lowest_root = {ROOT_W{1'b0}};
        for (b = ROOTS - 1; b >= 0; b = b - 1)
            if (root_q[b])
                lowest_root = b[ROOT_W-1:0];
    end

    assign next_leaf = lowest_root;

`ifdef CW_PROPERTIES
    cw_nonsynth_scalable_reader_list #(
        .WORD_W(WORD_W),
        .ID_W  (ID_W)
    ) u_properties (
        .clk_i  (clk_i),
        .rst_i  (rst_i),
        .op_i   ({take, begins, sets, op_ready_o, op_kind_i, op_word_i, op_id_i}),
        .out_i  ({rdr_valid_o, rdr_ready_i, rdr_id_o, ans_valid_o, ans_result_o}),
        .steps_i({sweep_i, sweep_busy_o, state_q, take_row, write, new_type})
    );
`endif

    generate
        if (CLEAR_W > ROOT_W) begin : g_clear_root_cut
            assign clear_root = clear_row_q[ROOT_W-1:0];
        end else begin : g_clear_root
            assign clear_root = {{(ROOT_W-CLEAR_W){1'b0}}, clear_row_q};
        end
        if (CLEAR_W > ROW_W) begin : g_clear_row_cut
            assign clear_row = clear_row_q[ROW_W-1:0];
        end else begin : g_clear_row
            assign clear_row = {{(ROW_W-CLEAR_W){1'b0}}, clear_row_q};
        end

        if (WORD_W < 1 || WORD_W > 40) begin : g_bad_word_w
            cw_error_scalable_reader_list_word_w_must_be_1_to_40 u_error ();
        end
        if (ID_W < 2 || ID_W > 10) begin : g_bad_id_w
            cw_error_scalable_reader_list_id_w_must_be_2_to_10 u_error ();
        end
        if (LEAF_W < 1 || LEAF_W > 5 || ROOT_W < 1 || ROOT_W > 5) begin : g_bad_leaf_w
            cw_error_scalable_reader_list_leaf_w_must_be_1_to_5_and_id_w_less_1_to_5 u_error ();
        end
        if (ENTRIES < 1 || ENTRIES > 65536) begin : g_bad_entries
            cw_error_scalable_reader_list_entries_must_be_1_to_65536 u_error ();
        end
        if (ENTRIES < WAYS) begin : g_fewer_than_ways
            cw_error_scalable_reader_list_entries_must_not_be_below_ways u_error ();
        end
        if (WAYS < 1 || WAYS > 8) begin : g_bad_ways
            cw_error_scalable_reader_list_ways_must_be_1_to_8 u_error ();
        end
    endgenerate

endmodule

`default_nettype wire
