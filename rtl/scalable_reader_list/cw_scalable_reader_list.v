// SPDX-License-Identifier: Apache-2.0
//
// cw_scalable_reader_list: who reads each word of a memory partition under snapshot isolation.
//
// Why         : a writer has to meet all readers of its word, which may be all transactions; most words have few.
// How         : WAYS ways, each with a hash of its own, and entries of four types: unused, up to three numbers, root, leaf. An operation looks
//               up the word's plain entry or root, and a cycle behind it the leaf: hash, read, compare, decide. What an ADD has left stays
//               at hand, because the lanes of a warp often read one word. The sweep walks the rows.
// Latency     : ADD, REMOVE 2 to 6 cycles, 32 at most; LIST 4, and 4 per leaf.
// Throughput  : one operation at a time; readers of a list one per cycle.
// Comb. paths : none from input to output. No path leads from a RAM to a RAM.
// Storage     : of each way 2^k rows of 2 + content + WORD_W bits (69 by default), and a bit for each transaction; single-port RAMs.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), sections 4.2, 4.3, Figure 10. Contract: include/cowarp/unit/scalable_reader_list.h.
// C model: csim/unit/scalable_reader_list.c. Datasheet: docs/units/scalable_reader_list.md.

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

    localparam [2:0] ADD = 3'd0, REMOVE = 3'd1, LIST = 3'd2, RUN = 3'd3, ROW = 3'd7;  // ROW: of the sweep
    localparam [1:0] DONE = 2'd0, SAME = 2'd1, FULL = 2'd2;
    localparam [1:0] UNUSED = 2'd0, PLAIN = 2'd1, ROOT = 2'd2, LEAF = 2'd3;  // an entry
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
    localparam HASHES   = WAYS < 4 ? WAYS : 4;
    localparam CLEARS   = ROWS > ROOTS ? ROWS : ROOTS;
    localparam CLEAR_W  = index_w(CLEARS);
    localparam [31:0]        LAST_CLEAR_N = CLEARS - 1;
    localparam [31:0]        LAST_ROW_N   = ROWS - 1;
    localparam [CLEAR_W-1:0] LAST_CLEAR   = LAST_CLEAR_N[CLEAR_W-1:0];
    localparam [ROW_W-1:0]   LAST_ROW     = LAST_ROW_N[ROW_W-1:0];
    localparam [CLEAR_W-1:0] CLEAR_ONE    = 1;
    localparam [ROW_W-1:0]   ROW_ONE      = 1;
    localparam [ROOTS-1:0]   ROOT_BIT     = 1;
    localparam [LEAVES-1:0]  LEAF_BIT     = 1;

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
    reg               open_q;      // body_q and place_q are what an ADD has left
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
    wire [WAYS*16-1:0]    hash;
    reg  [WAYS*16-1:0]    hash_q;        // of the cycle before: hashing and scaling to the rows do not fit into one cycle
    wire [WAYS*ROW_W-1:0] row;           // of hash_q
    reg  [WAYS*ROW_W-1:0] row_q;
    reg  [WAYS*ROW_W-1:0] leaf_row_q;

    always @*
        case (which_q)
            2'd0:    who = ids_q[0 +: ID_W];
            2'd1:    who = ids_q[ID_W +: ID_W];
            2'd2:    who = ids_q[2*ID_W +: ID_W];
            default: who = id_q;
        endcase

    // ---- Compare

    wire [WAYS*ENTRY_W-1:0] entry;
    reg  [WAYS-1:0]         match;
    reg  [WAYS-1:0]         vacant;     // the lowest unused place
    reg                     vacant_any;
    reg  [ENTRY_W-1:0]      matched;
    reg  [ENTRY_W-1:0]      at;
    reg                     hit_q;
    reg                     room_q;
    reg  [WAYS-1:0]         place_q;    // the entry's, else a new one's
    reg  [1:0]              type_q;
    reg  [BODY_W-1:0]       body_q;
    wire                    seeks_leaf = for_leaf || state_q == DECIDE;
    reg  [WAYS-1:0]         left_q;     // PICK: ways of the row that have not been looked at
    reg  [WAYS-1:0]         pick;
    reg                     pick_any;
    reg  [ENTRY_W-1:0]      picked;
    integer                 w;

    always @* begin
        vacant_any = 1'b0;
        pick_any   = 1'b0;
        matched    = {ENTRY_W{1'b0}};
        picked     = {ENTRY_W{1'b0}};
        for (w = 0; w < WAYS; w = w + 1) begin
            at         = entry[w*ENTRY_W +: ENTRY_W];
            match[w]   = at[0 +: WORD_W] == word_q
                         && (seeks_leaf ? at[ENTRY_W-1 -: 2] == LEAF && at[WORD_W+LEAVES +: ROOT_W] == leaf_no
                                        : at[ENTRY_W-1 -: 2] == PLAIN || at[ENTRY_W-1 -: 2] == ROOT);
            matched    = matched | (at & {ENTRY_W{match[w]}});
            vacant[w]  = at[ENTRY_W-1 -: 2] == UNUSED && !vacant_any;
            vacant_any = vacant_any || at[ENTRY_W-1 -: 2] == UNUSED;
            pick[w]    = left_q[w] && at[ENTRY_W-2] && !pick_any;  // PLAIN or LEAF
            pick_any   = pick_any || pick[w];
            picked     = picked | (at & {ENTRY_W{pick[w]}});
        end
    end

    // ---- Decide

    wire              is_plain = hit_q && type_q == PLAIN;
    wire              is_root  = hit_q && type_q == ROOT;
    wire [1:0]        cnt      = body_q[3*ID_W +: 2];
    wire [ID_W-1:0]   id0      = body_q[0 +: ID_W];
    wire [ID_W-1:0]   id1      = body_q[ID_W +: ID_W];
    wire [ID_W-1:0]   id2      = body_q[2*ID_W +: ID_W];
    wire [2:0]        is_id    = {cnt == 2'd3 && id2 == id_q, cnt >= 2'd2 && id1 == id_q, id0 == id_q};
    wire              has_id   = is_plain && is_id != 3'd0;
    wire [ROOTS-1:0]  root     = body_q[ROOTS-1:0];
    wire [ROOTS-1:0]  root_bit = ROOT_BIT << id_q[ID_W-1:LEAF_W];
    wire              has_leaf = is_root && (root & root_bit) != {ROOTS{1'b0}};
    wire [LEAVES-1:0] leaf     = hit_q ? body_q[LEAVES-1:0] : {LEAVES{1'b0}};
    wire [LEAVES-1:0] leaf_bit = LEAF_BIT << who[LEAF_W-1:0];
    wire              has_bit  = (leaf & leaf_bit) != {LEAVES{1'b0}};
    wire [LEAVES-1:0] leaf_d   = kind_q == ADD ? leaf | leaf_bit : leaf & ~leaf_bit;
    wire              no_leaf  = leaf_d == {LEAVES{1'b0}};
    wire [ROOTS-1:0]  roots    = root_bit | (ROOT_BIT << ids_q[LEAF_W +: ROOT_W]) | (ROOT_BIT << ids_q[ID_W+LEAF_W +: ROOT_W])
                                 | (ROOT_BIT << ids_q[2*ID_W+LEAF_W +: ROOT_W]);
    wire [ROOTS-1:0]  root_now = writes_root ? root_q : root;
    wire [ROOTS-1:0]  root_d   = convert_q ? roots : kind_q == ADD ? root_now | root_bit : root_now & ~root_bit;
    wire              no_root  = root_d == {ROOTS{1'b0}};

    reg  [2:0]         keep_q;          // ROW_WRITE: whose numbers stay
    reg  [LEAVES-1:0]  left_leaf_q;     // ... what stays of a leaf
    reg  [1:0]         new_cnt;
    reg  [3*ID_W-1:0]  new_ids;
    wire [2:0]         has  = {cnt == 2'd3, cnt >= 2'd2, 1'b1};
    wire [2:0]         keep = state_q == ROW_WRITE ? keep_q & has : has & ~is_id;
    wire               changed = type_q == PLAIN ? keep != has : left_leaf_q != body_q[LEAVES-1:0];

    // What is left of a plain entry.
    always @* begin
        new_cnt = {1'b0, keep[0]} + {1'b0, keep[1]} + {1'b0, keep[2]};
        new_ids = {3*ID_W{1'b0}};
        new_ids[0 +: ID_W]      = keep[0] ? id0 : keep[1] ? id1 : id2 & {ID_W{keep[2]}};
        new_ids[ID_W +: ID_W]   = keep[0] && keep[1] ? id1 : id2 & {ID_W{keep[2] && (keep[0] || keep[1])}};
        new_ids[2*ID_W +: ID_W] = id2 & {ID_W{keep == 3'd7}};
    end

    // The readers that are given, and whether the next may come.
    reg  [1:0]         give_cnt_q;      // plain ones
    reg  [3*ID_W-1:0]  give_ids_q;
    reg  [LEAVES-1:0]  give_bits_q;     // or those of a leaf
    reg  [ROOT_W-1:0]  give_leaf_q;
    wire [LEAF_W-1:0]  give_bit;
    wire               give_any  = give_cnt_q != 2'd0 || give_bits_q != {LEAVES{1'b0}};
    wire               give_last = give_cnt_q == 2'd1 || (give_cnt_q == 2'd0 && (give_bits_q & (give_bits_q - LEAF_BIT)) == {LEAVES{1'b0}});
    wire               give_over = !give_any || (give_last && rdr_ready_i);

    reg                writes;
    reg                fills;           // a place that was unused
    reg                frees;
    reg  [1:0]         new_type;
    reg  [BODY_W-1:0]  new_body;
    reg                over;
    reg  [1:0]         result;
    reg  [1:0]         task_d;
    wire               decide = state_q == DECIDE && !(kind_q == LIST && !give_over);
    wire [BODY_W-1:0]  none   = {BODY_W{1'b0}};

    always @* begin
        writes   = 1'b0;
        fills    = 1'b0;
        frees    = 1'b0;
        new_type = PLAIN;
        new_body = none;
        over     = 1'b0;
        result   = DONE;
        task_d   = MEMBER;
        if (state_q == ROW_WRITE) begin
            writes = changed;
            if (type_q == PLAIN) begin
                frees = new_cnt == 2'd0;
                new_body[0 +: PLAIN_W] = {new_cnt, new_ids};
            end else begin
                new_type = LEAF;
                frees    = left_leaf_q == {LEAVES{1'b0}};
                new_body[0 +: MEMBER_W] = {body_q[LEAVES +: ROOT_W], left_leaf_q};
            end
        end else if (task_q == FIRST && kind_q == ADD) begin
            over   = !is_root && !(is_plain && cnt == 2'd3 && !has_id);
            result = has_id ? SAME : !hit_q && !room_q ? FULL : DONE;
            writes = over && result == DONE;
            fills  = !hit_q;
            new_body[3*ID_W +: 2] = hit_q ? cnt + 2'd1 : 2'd1;
            new_body[0 +: 3*ID_W] = !hit_q ? {{(2*ID_W){1'b0}}, id_q} : cnt == 2'd1 ? {{ID_W{1'b0}}, id_q, id0} : {id_q, id1, id0};
        end else if (task_q == FIRST && kind_q == REMOVE) begin
            over   = !has_leaf;
            result = has_id ? DONE : SAME;
            writes = has_id;
            frees  = new_cnt == 2'd0;
            new_body[0 +: PLAIN_W] = {new_cnt, new_ids};
        end else if (task_q == FIRST) begin
            over = !hit_q;
        end else if (task_q == MEMBER && kind_q != LIST) begin
            result   = kind_q == ADD && !hit_q && !room_q ? FULL : has_bit == (kind_q == ADD) ? SAME : DONE;
            writes   = result == DONE;
            fills    = !hit_q;
            frees    = no_leaf;
            new_type = LEAF;
            new_body[0 +: MEMBER_W] = {leaf_no, leaf_d};
            over     = convert_q ? result == FULL && which_q == 2'd0
                                 : result != DONE || (kind_q == ADD ? hit_q : !no_leaf);
            task_d   = convert_q && result == FULL ? UNDO : convert_q && which_q != 2'd3 ? MEMBER : LAST;
        end else if (task_q == UNDO) begin
            writes = hit_q;
            frees  = 1'b1;
            result = FULL;
            over   = which_q + 2'd1 == tried_q;
            task_d = UNDO;
        end else if (task_q == LAST) begin
            writes   = 1'b1;
            frees    = no_root;
            new_type = ROOT;
            new_body[0 +: ROOTS] = root_d;
            over     = 1'b1;
            task_d   = LAST;
        end
        if (frees) begin
            new_type = UNUSED;
            new_body = none;
        end
    end

    wire              write  = writes && (decide || writes_root || state_q == ROW_WRITE);
    wire [16:0]       change = !write ? 17'd0 : frees ? 17'h1ffff : {16'd0, fills};
    wire              lists  = decide && kind_q == LIST;
    wire [ROOTS-1:0]  leaves = task_q == FIRST ? (is_root ? root : {ROOTS{1'b0}}) : root_q & (root_q - ROOT_BIT);  // to come
    wire              drains = state_q == DRAIN && give_over;
    wire              ends   = (decide && over && kind_q != ROW) || writes_root || drains;
    wire              found  = state_q == COMPARE || state_q == PICK || (decide && task_q == FIRST && kind_q != LIST && !over);  // a look-up ends

    // ---- The transactions that run

    wire [3*LEAVES-1:0] live;      // of the leaves of the three numbers of a plain entry, or of a leaf's own
    wire [ROOT_W-1:0]   clear_root;
    genvar              n;

    generate
        for (n = 0; n < 3; n = n + 1) begin : g_live
            cw_ram_1rw #(
                .ADDR_W(ROOT_W),
                .PART_W(1),
                .PARTS (LEAVES)
            ) u_live (
                .clk_i     (clk_i),
                .rd_en_i   (state_q == LIVE),
                .wr_en_i   (state_q == CLEAR || sets),
                .wr_parts_i(state_q == CLEAR ? {LEAVES{1'b1}} : LEAF_BIT << op_id_i[LEAF_W-1:0]),
                .addr_i    (state_q == CLEAR ? clear_root : sets ? op_id_i[ID_W-1:LEAF_W]
                            : type_q == LEAF ? body_q[LEAVES +: ROOT_W] : body_q[n*ID_W+LEAF_W +: ROOT_W]),
                .wr_data_i ({LEAVES{state_q != CLEAR && op_kind_i == RUN}}),
                .rd_data_o (live[n*LEAVES +: LEAVES])
`ifdef CW_PROPERTIES
                , .f_addr_i({ROOT_W{1'b0}})
                , .f_data_o()
`endif
            );
        end
    endgenerate

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
                    state_d = over ? IDLE : task_d == LAST ? ROOT_WRITE : task_q == FIRST && kind_q != LIST && !is_plain ? DECIDE : HASH;
            ROOT_WRITE: state_d = IDLE;
            DRAIN:    if (give_over) state_d = IDLE;
            ROW_READ: state_d = PICK;
            PICK:     state_d = pick_any ? LIVE : IDLE;
            LIVE:     state_d = LOOK;
            LOOK:     state_d = ROW_WRITE;
            default:  state_d = !changed ? PICK : type_q == LEAF && frees ? HASH : ROW_READ;
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
            give_cnt_q   <= 2'd0;
            give_bits_q  <= {LEAVES{1'b0}};
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
            if (lists) begin
                give_cnt_q  <= task_q == FIRST && is_plain ? cnt : 2'd0;
                give_bits_q <= task_q == MEMBER ? leaf : {LEAVES{1'b0}};
            end else if (give_any && rdr_ready_i) begin
                give_cnt_q  <= give_cnt_q == 2'd0 ? 2'd0 : give_cnt_q - 2'd1;
                give_bits_q <= give_bits_q & (give_bits_q - LEAF_BIT);
            end
        end
        if (lists) begin
            give_ids_q  <= body_q[0 +: 3*ID_W];
            give_leaf_q <= leaf_no;
            root_q      <= leaves;
        end else if (rdr_ready_i) begin
            give_ids_q <= {{ID_W{1'b0}}, give_ids_q[ID_W +: 2*ID_W]};
        end
        if (decide && task_q == FIRST && kind_q != LIST) begin
            root_q       <= root;
            root_place_q <= place_q;
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
            word_q <= picked[0 +: WORD_W];
        end else if (state_q == ROW_WRITE) begin
            id_q <= {body_q[LEAVES +: ROOT_W], {LEAF_W{1'b0}}};  // for the bit of the root
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
                ids_q     <= body_q[0 +: 3*ID_W];
            end else if (task_q == MEMBER) begin
                tried_q <= which_q;
                which_q <= task_d == UNDO ? 2'd0 : which_q + 2'd1;
            end else begin
                which_q <= which_q + 2'd1;
            end
        end
        if (state_q == IDLE || state_q == HASH || state_q == READ)
            hash_q <= hash;
        if (state_q == READ && !for_leaf)
            row_q <= row;
        else if (take_row)
            row_q <= {WAYS{sweep_row_q}};
        else if (state_q == DECIDE && kind_q == ROW)
            row_q <= {WAYS{at_row_q}};
        if (for_leaf ? state_q == READ : state_q == COMPARE)
            leaf_row_q <= row;
        if (take_row) begin
            at_row_q <= sweep_row_q;
            left_q   <= {WAYS{1'b1}};
        end else if (state_q == PICK) begin
            left_q <= left_q & ~pick;
        end
        if (found) begin
            hit_q   <= |match;
            room_q  <= vacant_any;
            place_q <= state_q == PICK ? pick : |match ? match : vacant;
            type_q  <= state_q == PICK ? picked[ENTRY_W-1 -: 2] : matched[ENTRY_W-1 -: 2];
            body_q  <= state_q == PICK ? picked[WORD_W +: BODY_W] : matched[WORD_W +: BODY_W];
        end else if (decide && write) begin
            hit_q   <= 1'b1;
            type_q  <= new_type;
            body_q  <= new_body;
        end
        if (state_q == LOOK) begin
            keep_q      <= {live[{2'd2, id2[LEAF_W-1:0]}], live[{2'd1, id1[LEAF_W-1:0]}], live[{2'd0, id0[LEAF_W-1:0]}]};
            left_leaf_q <= body_q[LEAVES-1:0] & live[LEAVES-1:0];
        end
        sweep_row_q <= sweep_i ? {ROW_W{1'b0}} : take_row ? sweep_row_q + ROW_ONE : sweep_row_q;
        last_row_q  <= !sweep_i && (take_row ? sweep_row_q == LAST_ROW : last_row_q);
    end

    assign fast = open_q && op_kind_i == ADD && op_word_i == word_q
                  && (open_leaf_q ? op_id_i[ID_W-1:LEAF_W] == id_q[ID_W-1:LEAF_W] : cnt != 2'd3);

    assign rdr_valid_o  = give_any;
    assign rdr_id_o     = give_cnt_q != 2'd0 ? give_ids_q[0 +: ID_W] : {give_leaf_q, give_bit} & {ID_W{give_any}};
    assign ans_valid_o  = ans_valid_q;
    assign ans_result_o = ans_result_q;
    assign sweep_busy_o = sweep_q;
    assign used_o       = shown_q;
    assign idle_o       = state_q == IDLE && !sweep_q && !ans_valid_q;

    reg  [ROOT_W-1:0] lowest_root;
    reg  [LEAF_W-1:0] lowest_bit;
    integer           b;

    always @* begin
        lowest_root = {ROOT_W{1'b0}};
        for (b = ROOTS - 1; b >= 0; b = b - 1)
            if (root_q[b])
                lowest_root = b[ROOT_W-1:0];
        lowest_bit = {LEAF_W{1'b0}};
        for (b = LEAVES - 1; b >= 0; b = b - 1)
            if (give_bits_q[b])
                lowest_bit = b[LEAF_W-1:0];
    end

    assign next_leaf = lowest_root;
    assign give_bit  = lowest_bit;

`ifdef CW_PROPERTIES
    // A word and a transaction of the prover's choice, and what the ports have shown of them.
    wire [WORD_W-1:0] f_word;
    wire [ID_W-1:0]   f_a;
    reg               f_past_q = 1'b0;
    reg               f_here_q;        // the operation under way is of the word
    reg               f_mine_q;        // and of the transaction
    reg  [2:0]        f_kind_q;
    reg               f_runs_q;
    reg               f_in_q;          // was added, and nothing can have taken it out since
    reg               f_may_q;         // was added, and nothing is sure to have taken it out since
    reg               f_swept_q;       // the sweep began after it was free, and it was not added since
    reg               f_busy_q;
    reg               f_seen_q;        // was given
    reg               f_many_q;        // the list has made a root

    wire f_op    = take && op_id_i == f_a;
    wire f_ended = ans_valid_o && f_here_q;
    wire f_given = rdr_valid_o && rdr_ready_i && f_here_q && rdr_id_o == f_a;
    wire f_adds  = f_ended && f_mine_q && f_kind_q == ADD;
    wire f_outs  = f_ended && f_mine_q && f_kind_q == REMOVE;

    cw_nonsynth_choice #(
        .W(WORD_W)
    ) u_f_word (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (begins),
        .value_i (op_word_i),
        .choice_o(f_word)
    );

    cw_nonsynth_choice #(
        .W(ID_W)
    ) u_f_a (
        .clk_i   (clk_i),
        .rst_i   (rst_i),
        .valid_i (take),
        .value_i (op_id_i),
        .choice_o(f_a)
    );

    always @(posedge clk_i) begin
        f_past_q <= 1'b1;
        if (rst_i) begin
            f_here_q  <= 1'b0;
            f_mine_q  <= 1'b0;
            f_runs_q  <= 1'b0;
            f_in_q    <= 1'b0;
            f_may_q   <= 1'b0;
            f_swept_q <= 1'b0;
            f_busy_q  <= 1'b0;
            f_seen_q  <= 1'b0;
            f_many_q  <= 1'b0;
            f_kind_q  <= ADD;
        end else begin
            f_busy_q <= sweep_busy_o;
            f_many_q <= f_many_q || (write && new_type == ROOT);
            if (begins) begin
                f_here_q <= op_word_i == f_word;
                f_mine_q <= op_id_i == f_a;
                f_kind_q <= op_kind_i;
                f_seen_q <= 1'b0;
            end else if (f_given) begin
                f_seen_q <= 1'b1;
            end
            if (f_op && op_kind_i >= RUN)
                f_runs_q <= op_kind_i == RUN;
            f_in_q    <= (f_adds ? ans_result_o != FULL || f_in_q : f_in_q && !f_outs) && !(sweep_busy_o && !f_runs_q);
            f_may_q   <= f_adds ? ans_result_o != FULL || f_may_q : f_may_q && !f_outs && !(f_busy_q && !sweep_busy_o && f_swept_q);
            f_swept_q <= sweep_i ? !f_runs_q && !f_op && state_q == IDLE && !ans_valid_o
                                 : f_swept_q && !(f_op && (op_kind_i == ADD || op_kind_i == RUN));
        end
    end

    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. Who has been added, and cannot have been taken out, is listed.
            assert (!(f_ended && f_kind_q == LIST && f_in_q) || f_seen_q);
            cover (f_ended && f_kind_q == LIST && f_in_q && f_many_q);
            // 2. Nobody is listed twice, or who has not been added since it was last taken out.
            assert (!f_given || (f_may_q && !f_seen_q));
            cover (f_ended && f_kind_q == LIST && !f_may_q && f_swept_q);
            // 3. The answer says what was there before.
            assert (!(f_adds && f_in_q) || ans_result_o == SAME);
            assert (!(f_adds && !f_may_q) || ans_result_o != SAME);
            assert (!(f_outs && f_in_q) || ans_result_o == DONE);
            assert (!(f_outs && !f_may_q) || ans_result_o == SAME);
            cover (f_outs && f_in_q && f_many_q);
            cover (f_adds && ans_result_o == FULL);
            // 4. What is not valid is 0, and there is one operation at a time.
            assert (ans_valid_o || ans_result_o == DONE);
            assert (rdr_valid_o || rdr_id_o == {ID_W{1'b0}});
            assert (!rdr_valid_o || !op_ready_o);
            cover (rdr_valid_o && !rdr_ready_i);
            // 5. No RAM is read and written in one cycle.
            assert (!(write && (state_q == READ || state_q == COMPARE || state_q == ROW_READ || take_row)) && !(sets && state_q == LIVE));
            cover (write && state_q == ROW_WRITE);
        end
`endif
`ifdef FORMAL
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
`endif

    // ---- The ways

    wire [ROW_W-1:0]  clear_row;
    genvar            g;

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

        for (g = 0; g < HASHES; g = g + 1) begin : g_hash
            localparam OUT_W = g + 4 < WAYS ? 32 : 16;
            localparam [31:0] SEED = g == 0 ? 32'h10203040 : g == 1 ? 32'h20304010 : g == 2 ? 32'h30401020 : 32'h40102030;
            wire [OUT_W-1:0] out;

            cw_h3_hash #(
                .KEY_W(KEY_W),
                .OUT_W(OUT_W),
                .SEED (SEED)
            ) u_hash (
                .en_i  (1'b1),
                .key_i (key),
                .hash_o(out)
            );
            assign hash[g*16 +: 16] = out[15:0];
            if (g + 4 < WAYS) begin : g_high
                assign hash[(g+4)*16 +: 16] = out[31:16];
            end
        end

        for (g = 0; g < WAYS; g = g + 1) begin : g_way
            localparam [31:0] WAY_ROWS = (ENTRIES + WAYS - 1 - g) / WAYS;
            /* verilator lint_off UNUSED */  // the bits below the row
            wire [32:0] scaled = {17'd0, hash_q[g*16 +: 16]} * {1'b0, WAY_ROWS};
            /* verilator lint_on UNUSED */

            assign row[g*ROW_W +: ROW_W] = scaled[16 +: ROW_W];

            cw_ram_1rw #(
                .ADDR_W(ROW_W),
                .PART_W(ENTRY_W),
                .PARTS (1)
            ) u_entries (
                .clk_i     (clk_i),
                .rd_en_i   (state_q == READ || state_q == ROW_READ || take_row || (state_q == COMPARE && task_q == FIRST && kind_q != LIST)),
                .wr_en_i   (state_q == CLEAR || (write && (writes_root ? root_place_q[g] : place_q[g]))),
                .wr_parts_i(1'b1),
                .addr_i    (state_q == CLEAR ? clear_row : state_q == IDLE ? sweep_row_q
                            : state_q == READ || state_q == COMPARE ? row[g*ROW_W +: ROW_W]
                            : for_leaf ? leaf_row_q[g*ROW_W +: ROW_W] : row_q[g*ROW_W +: ROW_W]),
                .wr_data_i (state_q == CLEAR ? {ENTRY_W{1'b0}} : {new_type, new_body, word_q}),
                .rd_data_o (entry[g*ENTRY_W +: ENTRY_W])
`ifdef FORMAL
                , .f_addr_i({ROW_W{1'b0}})
                , .f_data_o()
`endif
            );
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
