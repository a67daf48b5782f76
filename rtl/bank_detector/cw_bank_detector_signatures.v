// SPDX-License-Identifier: Apache-2.0
//
// cw_bank_detector_signatures: who has accessed a word, as the signatures of work-items say.
//
// Why         : a word may have any number of readers, and a bank has no room to name them.
// How         : a RAM per bit of a signature, a row per group, a column per work-item; beside them who is live, and the
//               write signatures of wavefronts, which are flip-flops. The rows of the word's bits, ANDed, are who hits
//               it. The row that the request before the one before has written is corrected; what the request before
//               has written is told apart.
// Stages      : 1, a request's rows are read; 2, who hits; 3, the request is judged, and its column is written.
// Latency     : a request of cycle t is judged in t + 2.
// Throughput  : a request, a clear of work-items and one of a write signature per cycle.
// Illegal use : none.
//
// Paper: Villegas et al., GPU-LocalTM improvements, sections 2.1, 3.1 and 4. It is a part of cw_bank_detector. C model:
// part of csim/unit/bank_detector.c.

`default_nettype none

module cw_bank_detector_signatures #(
    parameter WORK_ITEMS = 256,
    parameter GROUP_W    = 4,    // of a group
    parameter ITEM_W     = 8,    // of a work-item
    parameter WAVES      = 4,    // wavefronts of a group
    parameter WAVE_W     = 2,    // of a wavefront
    parameter WORD_W     = 9,
    parameter SIG_W      = 8,
    parameter WSIG_W     = 32,
    parameter HASHES     = 2
) (
    input  wire                    clk_i,
    input  wire                    rst_i,
    // stage 1: the request
    input  wire                    req_valid_i,
    input  wire                    sig_i,           // by signatures
    input  wire [GROUP_W-1:0]      req_group_i,
    input  wire [WORD_W-1:0]       req_word_i,
    // stage 2: the request before it, and the one in stage 3
    input  wire                    valid_2_i,
    input  wire [GROUP_W-1:0]      group_2_i,
    input  wire [ITEM_W-1:0]       item_2_i,
    input  wire [WAVE_W-1:0]       wave_2_i,
    input  wire                    valid_3_i,
    input  wire [GROUP_W-1:0]      group_3_i,
    input  wire [ITEM_W-1:0]       item_3_i,
    input  wire [WAVE_W-1:0]       wave_3_i,
    input  wire                    prev_group_i,    // both are of one group
    // stage 3: who hits the word, but for the request before
    output wire                    live_3_o,        // the work-item is
    output wire                    others_3_o,      // a work-item hits, but this one and that of the request before
    output wire [HASHES-1:0]       prev_bits_3_o,   // bits of the word in the signature of that one
    output wire [HASHES-1:0]       prev_hash_3_o,   // that one has the same bit of a signature
    output wire [HASHES-1:0]       prev_whash_3_o,  // of a write signature
    output wire [WAVES*HASHES-1:0] wbits_3_o,       // bits of the word in the write signatures
    output wire                    clean_3_o,       // the wavefront has written nothing
    // stage 3: what becomes of it
    input  wire                    ins_i,           // into its signature
    input  wire                    wins_i,          // and into its write signature
    input  wire                    alive_i,         // its work-item is live
    input  wire                    live_3_i,        // and was before
    input  wire                    drop_i,          // its signature is emptied
    // work-items commit or abort; two cycles later, whether nobody of the group is live
    input  wire                    clr_valid_i,
    input  wire [GROUP_W-1:0]      clr_group_i,
    input  wire [WORK_ITEMS-1:0]   clr_items_i,
    input  wire                    clr_2_i,
    input  wire [GROUP_W-1:0]      clr_group_2_i,
    output wire                    none_3_o,
    // a wavefront begins transactions
    input  wire                    wclr_valid_i,
    input  wire [GROUP_W-1:0]      wclr_group_i,
    input  wire [WAVE_W-1:0]       wclr_wave_i
);

    localparam PART    = SIG_W / HASHES;   // bits of a part of a signature
    localparam WPART   = WSIG_W / HASHES;  // of a write signature
    localparam HASH_W  = $clog2(PART);
    localparam WHASH_W = $clog2(WPART);
    localparam ITEMS   = 1 << ITEM_W;      // places of a group's work-items

    localparam [WORK_ITEMS-1:0] ONE = {{(WORK_ITEMS-1){1'b0}}, 1'b1};

    // Seeds of the H3 hashes, of ways 0 to 3 (rtl/README.md): signatures have the first two, write signatures the last
    // two.
    localparam [127:0] SEEDS = {32'h40102030, 32'h30401020, 32'h20304010, 32'h10203040};

    wire [HASHES*PART-1:0]              sel_1;      // of each part, the bit of the word, one-hot
    wire [HASHES*WHASH_W-1:0]           whash_1;    // of each part of a write signature, the number of the bit
    wire [HASHES*PART*WORK_ITEMS-1:0]   rows;       // of each bit of a signature
    reg  [HASHES*PART-1:0]              sel_2_q;
    reg  [HASHES*WHASH_W-1:0]           whash_2_q;
    reg  [HASHES*PART-1:0]              sel_3_q;
    reg  [HASHES*WHASH_W-1:0]           whash_3_q;
    reg                                 live_3_q;
    reg                                 others_3_q;
    reg  [HASHES-1:0]                   prev_bits_3_q;
    reg  [HASHES-1:0]                   prev_hash_3_q;
    reg  [HASHES-1:0]                   prev_whash_3_q;
    reg  [WAVES*HASHES-1:0]             wbits_3_q;
    reg                                 clean_3_q;
    reg                                 none_3_q;

    // The write of the request before the one before, in case the row was read before it.
    reg  [HASHES*PART-1:0]              fwd_en_q;
    reg  [HASHES*PART-1:0]              fwd_bit_q;
    reg  [GROUP_W-1:0]                  fwd_group_q;
    reg  [ITEM_W-1:0]                   fwd_item_q;

    reg  [(ITEMS<<GROUP_W)-1:0]             live_q;     // work-item lowest, then group
    reg  [((WSIG_W<<WAVE_W)<<GROUP_W)-1:0]  written_q;  // bit lowest, then wavefront, then group

    wire [HASHES*PART-1:0] put_en  = (sel_3_q & {(HASHES*PART){ins_i}})
                                     | {(HASHES*PART){(alive_i && !live_3_i) || drop_i}};
    wire [HASHES*PART-1:0] put_bit = sel_3_q & {(HASHES*PART){ins_i}};
    integer                i;
    integer                v;
    integer                n;
    integer                h;

    // ---- Who is live, and who has written

    // Each group's flip-flops, and each wavefront's of a group, have an enable of their own: a clock gate can stand
    // before them.
    reg  [WORK_ITEMS-1:0]  put_mask;
    reg  [WSIG_W-1:0]      put_written;
    integer                g;
    integer                k;

    always @(posedge clk_i)
        if (rst_i)
            live_q <= {(ITEMS<<GROUP_W){1'b0}};
        else if (clr_valid_i || alive_i)
            for (g = 0; g < 1 << GROUP_W; g = g + 1)
                if ((clr_valid_i && clr_group_i == g[GROUP_W-1:0]) || (alive_i && group_3_i == g[GROUP_W-1:0]))
                    live_q[g*ITEMS +: WORK_ITEMS] <=
                        (live_q[g*ITEMS +: WORK_ITEMS] & ~(clr_items_i
                                                           & {WORK_ITEMS{clr_valid_i
                                                                         && clr_group_i == g[GROUP_W-1:0]}}))
                        | (put_mask & {WORK_ITEMS{alive_i && group_3_i == g[GROUP_W-1:0]}});

    always @* begin
        put_mask = {WORK_ITEMS{1'b0}};
        if (valid_3_i)
            put_mask = ONE << item_3_i;
    end

    always @* begin
        put_written = {WSIG_W{1'b0}};
        for (k = 0; k < HASHES; k = k + 1)
            put_written[k*WPART + {{(32-WHASH_W){1'b0}}, whash_3_q[k*WHASH_W +: WHASH_W]}] = wins_i;
    end

    integer                s;
    wire [31:0]            wclr_place = {{(32-GROUP_W-WAVE_W){1'b0}}, wclr_group_i, wclr_wave_i};
    wire [31:0]            wins_place = {{(32-GROUP_W-WAVE_W){1'b0}}, group_3_i, wave_3_i};

    always @(posedge clk_i)
        if (rst_i)
            written_q <= {((WSIG_W<<WAVE_W)<<GROUP_W){1'b0}};
        else if (wclr_valid_i || wins_i)
            for (s = 0; s < 1 << (GROUP_W + WAVE_W); s = s + 1)
                if ((wclr_valid_i && wclr_place == s) || (wins_i && wins_place == s))
                    written_q[s*WSIG_W +: WSIG_W] <= (written_q[s*WSIG_W +: WSIG_W]
                                                      & ~{WSIG_W{wclr_valid_i && wclr_place == s}})
                                                     | (put_written & {WSIG_W{wins_place == s}});

    // ---- Stage 2: the work-items that hit

    always @(posedge clk_i)
        if (req_valid_i) begin
            sel_2_q   <= sel_1;
            whash_2_q <= whash_1;
        end

    always @(posedge clk_i) begin
        if (valid_2_i) begin : hit
            reg [WORK_ITEMS-1:0]       live_2;
            reg [WORK_ITEMS-1:0]       self_2;
            reg [WORK_ITEMS-1:0]       prev_2;
            reg [WORK_ITEMS-1:0]       fwd_2;
            reg [WORK_ITEMS-1:0]       row_2;
            reg [WORK_ITEMS-1:0]       hits_2;
            reg [(WSIG_W<<WAVE_W)-1:0] written_2;

            live_2    = live_q[{group_2_i, {ITEM_W{1'b0}}} +: WORK_ITEMS];
            self_2    = ONE << item_2_i;
            prev_2    = ONE << item_3_i;
            fwd_2     = ONE << fwd_item_q;
            hits_2    = live_2;
            written_2 = written_q[group_2_i*(WSIG_W<<WAVE_W) +: (WSIG_W<<WAVE_W)];
            for (i = 0; i < HASHES; i = i + 1) begin
                row_2 = {WORK_ITEMS{1'b0}};
                for (v = i*PART; v < (i+1)*PART; v = v + 1)
                    if (sel_2_q[v])
                        row_2 = row_2 | (fwd_en_q[v] && fwd_group_q == group_2_i
                                         ? (rows[v*WORK_ITEMS +: WORK_ITEMS] & ~fwd_2)
                                         | (fwd_2 & {WORK_ITEMS{fwd_bit_q[v]}})
                                         : rows[v*WORK_ITEMS +: WORK_ITEMS]);
                hits_2 = hits_2 & row_2;
                prev_bits_3_q[i]  <= |(row_2 & live_2 & prev_2);
                prev_hash_3_q[i]  <= sel_2_q[i*PART +: PART] == sel_3_q[i*PART +: PART];
                prev_whash_3_q[i] <= whash_2_q[i*WHASH_W +: WHASH_W] == whash_3_q[i*WHASH_W +: WHASH_W];
            end
            hits_2 = hits_2 & ~self_2 & ~(prev_2 & {WORK_ITEMS{prev_group_i}});
            for (n = 0; n < WAVES; n = n + 1)
                for (h = 0; h < HASHES; h = h + 1)
                    wbits_3_q[n*HASHES+h] <= written_2[n*WSIG_W + h*WPART
                                                       + {{(32-WHASH_W){1'b0}}, whash_2_q[h*WHASH_W +: WHASH_W]}];
            clean_3_q      <= !(|written_2[wave_2_i*WSIG_W +: WSIG_W]);
            live_3_q       <= |(live_2 & self_2);
            others_3_q     <= |hits_2;
            sel_3_q        <= sel_2_q;
            whash_3_q      <= whash_2_q;
        end
        if (clr_2_i)
            none_3_q <= !(|live_q[{clr_group_2_i, {ITEM_W{1'b0}}} +: WORK_ITEMS]);
    end

    always @(posedge clk_i)
        if (rst_i)
            fwd_en_q <= {(HASHES*PART){1'b0}};
        else
            fwd_en_q <= put_en;

    always @(posedge clk_i)
        if (alive_i || drop_i) begin
            fwd_bit_q   <= put_bit;
            fwd_group_q <= group_3_i;
            fwd_item_q  <= item_3_i;
        end

    // ---- Hashes and RAMs

    generate
        genvar gi;
        genvar gv;
        for (gi = 0; gi < HASHES; gi = gi + 1) begin : g_part
            wire [HASH_W-1:0] hash;

            cw_h3_hash #(
                .KEY_W(WORD_W),
                .OUT_W(HASH_W),
                .SEED (SEEDS[gi*32 +: 32])
            ) u_hash (
                .en_i  (1'b1),
                .key_i (req_word_i),
                .hash_o(hash)
            );

            cw_h3_hash #(
                .KEY_W(WORD_W),
                .OUT_W(WHASH_W),
                .SEED (SEEDS[(2+gi)*32 +: 32])
            ) u_whash (
                .en_i  (1'b1),
                .key_i (req_word_i),
                .hash_o(whash_1[gi*WHASH_W +: WHASH_W])
            );

            for (gv = 0; gv < PART; gv = gv + 1) begin : g_bit
                assign sel_1[gi*PART+gv] = hash == gv;

                cw_ram_1r1w_mask #(
                    .ADDR_W(GROUP_W),
                    .DATA_W(WORK_ITEMS)
                ) u_ram (
                    .clk_i    (clk_i),
                    .rd_en_i  (req_valid_i && sig_i && sel_1[gi*PART+gv]),
                    .rd_addr_i(req_group_i),
                    .rd_data_o(rows[(gi*PART+gv)*WORK_ITEMS +: WORK_ITEMS]),
                    .wr_en_i  (put_en[gi*PART+gv]),
                    .wr_addr_i(group_3_i),
                    .wr_mask_i(put_mask),
                    .wr_bit_i (put_bit[gi*PART+gv])
                );
            end
        end
    endgenerate

    assign live_3_o       = live_3_q;
    assign others_3_o     = others_3_q;
    assign prev_bits_3_o  = prev_bits_3_q;
    assign prev_hash_3_o  = prev_hash_3_q;
    assign prev_whash_3_o = prev_whash_3_q;
    assign wbits_3_o      = wbits_3_q;
    assign clean_3_o      = clean_3_q;
    assign none_3_o       = none_3_q;

endmodule

`default_nettype wire
