// SPDX-License-Identifier: Apache-2.0
//
// cw_reader_list_decide: what an operation makes of the entry that it has found.
//
// Why         : an ADD or a REMOVE meets an unused place, a plain entry, a root or a leaf, and changes one at a time.
// How         : the type of the entry and the step decide what is written, whether the operation is over, with which
//               result, and what the next step is for.
// Stages      : decide, root write, and row write of the sweep.
// Latency     : none, there is no register.
// Throughput  : an entry per cycle.
// Illegal use : none.
//
// Paper: Chen et al., ISCA 2017 (SI-TM), section 4.3, Figure 10. It is a part of cw_scalable_reader_list. C model: part
// of csim/unit/scalable_reader_list.c.

`default_nettype none

module cw_reader_list_decide #(
    parameter ID_W   = 10,
    parameter LEAF_W = 5,
    parameter ROOT_W = 5,   // of the number of a leaf
    parameter ROOTS  = 32,  // leaves of a root
    parameter LEAVES = 32,  // bits of a leaf
    parameter BODY_W = 37   // of an entry without its type and word
) (
    // the operation, and what the step is for
    input  wire [2:0]        kind_i,
    input  wire [ID_W-1:0]   id_i,
    input  wire [1:0]        task_i,
    input  wire              convert_i,      // a plain entry becomes a root
    /* verilator lint_off UNUSED */  // bits of numbers beside the leaf, or in it
    input  wire [3*ID_W-1:0] ids_i,          // of the plain entry
    input  wire [ID_W-1:0]   who_i,          // whose leaf it is
    /* verilator lint_on UNUSED */
    input  wire [1:0]        which_i,        // that is of ids_i, or 3, id_i
    input  wire [ROOT_W-1:0] leaf_no_i,
    input  wire [1:0]        tried_i,        // whose leaf found no room
    input  wire              writes_root_i,
    input  wire [ROOTS-1:0]  root_i,         // its bits before
    // the entry
    input  wire              hit_i,          // it is there
    input  wire              room_i,         // else there is a place
    input  wire [1:0]        type_i,
    input  wire [BODY_W-1:0] body_i,
    output wire              is_plain_o,
    output wire              is_root_o,
    output wire [1:0]        cnt_o,          // numbers of a plain one
    output wire [ROOTS-1:0]  root_o,
    output wire [LEAVES-1:0] leaf_o,
    // the sweep: what stays of it
    input  wire              row_write_i,
    input  wire [2:0]        keep_i,
    input  wire [LEAVES-1:0] left_leaf_i,
    output wire              changed_o,
    // what is written
    output wire              writes_o,
    output wire              fills_o,        // a place that was unused
    output wire              frees_o,
    output wire [1:0]        type_o,
    output wire [BODY_W-1:0] body_o,
    // whether the operation is over, how, and what the next step is for
    output wire              over_o,
    output wire [1:0]        result_o,
    output wire [1:0]        task_o
);

    localparam [2:0] ADD = 3'd0, REMOVE = 3'd1, LIST = 3'd2;
    localparam [1:0] DONE = 2'd0, SAME = 2'd1, FULL = 2'd2;
    localparam [1:0] UNUSED = 2'd0, PLAIN = 2'd1, ROOT = 2'd2, LEAF = 2'd3;  // an entry
    localparam [1:0] FIRST = 2'd0, MEMBER = 2'd1, UNDO = 2'd2, LAST = 2'd3;  // what a step is for

    localparam PLAIN_W  = 2 + 3*ID_W;
    localparam MEMBER_W = ROOT_W + LEAVES;
    localparam [ROOTS-1:0]  ROOT_BIT = 1;
    localparam [LEAVES-1:0] LEAF_BIT = 1;

    wire              is_plain = hit_i && type_i == PLAIN;
    wire              is_root  = hit_i && type_i == ROOT;
    wire [1:0]        cnt      = body_i[3*ID_W +: 2];
    wire [ID_W-1:0]   id0      = body_i[0 +: ID_W];
    wire [ID_W-1:0]   id1      = body_i[ID_W +: ID_W];
    wire [ID_W-1:0]   id2      = body_i[2*ID_W +: ID_W];
    wire [2:0]        is_id    = {cnt == 2'd3 && id2 == id_i, cnt >= 2'd2 && id1 == id_i, id0 == id_i};
    wire              has_id   = is_plain && is_id != 3'd0;
    wire [ROOTS-1:0]  root     = body_i[ROOTS-1:0];
    wire [ROOTS-1:0]  root_bit = ROOT_BIT << id_i[ID_W-1:LEAF_W];
    wire              has_leaf = is_root && (root & root_bit) != {ROOTS{1'b0}};
    wire [LEAVES-1:0] leaf     = hit_i ? body_i[LEAVES-1:0] : {LEAVES{1'b0}};
    wire [LEAVES-1:0] leaf_bit = LEAF_BIT << who_i[LEAF_W-1:0];
    wire              has_bit  = (leaf & leaf_bit) != {LEAVES{1'b0}};
    wire [LEAVES-1:0] leaf_d   = kind_i == ADD ? leaf | leaf_bit : leaf & ~leaf_bit;
    wire              no_leaf  = leaf_d == {LEAVES{1'b0}};
    wire [ROOTS-1:0]  roots    = root_bit | (ROOT_BIT << ids_i[LEAF_W +: ROOT_W])
                                 | (ROOT_BIT << ids_i[ID_W+LEAF_W +: ROOT_W])
                                 | (ROOT_BIT << ids_i[2*ID_W+LEAF_W +: ROOT_W]);
    wire [ROOTS-1:0]  root_now = writes_root_i ? root_i : root;
    wire [ROOTS-1:0]  root_d   = convert_i ? roots : kind_i == ADD ? root_now | root_bit : root_now & ~root_bit;
    wire              no_root  = root_d == {ROOTS{1'b0}};

    reg  [1:0]         new_cnt;
    reg  [3*ID_W-1:0]  new_ids;
    wire [2:0]         has  = {cnt == 2'd3, cnt >= 2'd2, 1'b1};
    wire [2:0]         keep = row_write_i ? keep_i & has : has & ~is_id;
    wire               changed = type_i == PLAIN ? keep != has : left_leaf_i != body_i[LEAVES-1:0];

    // What is left of a plain entry.
    always @* begin
        new_cnt = {1'b0, keep[0]} + {1'b0, keep[1]} + {1'b0, keep[2]};
        new_ids = {3*ID_W{1'b0}};
        new_ids[0 +: ID_W]      = keep[0] ? id0 : keep[1] ? id1 : id2 & {ID_W{keep[2]}};
        new_ids[ID_W +: ID_W]   = keep[0] && keep[1] ? id1 : id2 & {ID_W{keep[2] && (keep[0] || keep[1])}};
        new_ids[2*ID_W +: ID_W] = id2 & {ID_W{keep == 3'd7}};
    end

    reg                writes;
    reg                fills;           // a place that was unused
    reg                frees;
    reg  [1:0]         new_type;
    reg  [BODY_W-1:0]  new_body;
    reg                over;
    reg  [1:0]         result;
    reg  [1:0]         task_d;
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
        if (row_write_i) begin
            writes = changed;
            if (type_i == PLAIN) begin
                frees = new_cnt == 2'd0;
                new_body[0 +: PLAIN_W] = {new_cnt, new_ids};
            end else begin
                new_type = LEAF;
                frees    = left_leaf_i == {LEAVES{1'b0}};
                new_body[0 +: MEMBER_W] = {body_i[LEAVES +: ROOT_W], left_leaf_i};
            end
        end else if (task_i == FIRST && kind_i == ADD) begin
            over   = !is_root && !(is_plain && cnt == 2'd3 && !has_id);
            result = has_id ? SAME : !hit_i && !room_i ? FULL : DONE;
            writes = over && result == DONE;
            fills  = !hit_i;
            new_body[3*ID_W +: 2] = hit_i ? cnt + 2'd1 : 2'd1;
            new_body[0 +: 3*ID_W] = !hit_i ? {{(2*ID_W){1'b0}}, id_i}
                                    : cnt == 2'd1 ? {{ID_W{1'b0}}, id_i, id0} : {id_i, id1, id0};
        end else if (task_i == FIRST && kind_i == REMOVE) begin
            over   = !has_leaf;
            result = has_id ? DONE : SAME;
            writes = has_id;
            frees  = new_cnt == 2'd0;
            new_body[0 +: PLAIN_W] = {new_cnt, new_ids};
        end else if (task_i == FIRST) begin
            over = !hit_i;
        end else if (task_i == MEMBER && kind_i != LIST) begin
            result   = kind_i == ADD && !hit_i && !room_i ? FULL : has_bit == (kind_i == ADD) ? SAME : DONE;
            writes   = result == DONE;
            fills    = !hit_i;
            frees    = no_leaf;
            new_type = LEAF;
            new_body[0 +: MEMBER_W] = {leaf_no_i, leaf_d};
            over     = convert_i ? result == FULL && which_i == 2'd0
                                 : result != DONE || (kind_i == ADD ? hit_i : !no_leaf);
            task_d   = convert_i && result == FULL ? UNDO : convert_i && which_i != 2'd3 ? MEMBER : LAST;
        end else if (task_i == UNDO) begin
            writes = hit_i;
            frees  = 1'b1;
            result = FULL;
            over   = which_i + 2'd1 == tried_i;
            task_d = UNDO;
        end else if (task_i == LAST) begin
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

    assign is_plain_o = is_plain;
    assign is_root_o  = is_root;
    assign cnt_o      = cnt;
    assign root_o     = root;
    assign leaf_o     = leaf;
    assign changed_o  = changed;
    assign writes_o   = writes;
    assign fills_o    = fills;
    assign frees_o    = frees;
    assign type_o     = new_type;
    assign body_o     = new_body;
    assign over_o     = over;
    assign result_o   = result;
    assign task_o     = task_d;

endmodule

`default_nettype wire
