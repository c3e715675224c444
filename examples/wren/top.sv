// A small core around the decoder of wren.tsv: two clocks an instruction, without memory for data. What is stored is shown.
module top (
    input  logic       clock,
    output logic [7:0] leds
);
    logic [15:0] program_words [0:255];
    initial $readmemh("sum.mem", program_words);

    logic [15:0] word, pc = 0;
    logic        fetched = 0;
    wren_pkg::decoded_t decoded;
    wren_decoder decoder (.word(word), .decoded(decoded));

    logic [15:0] registers [0:7];
    logic [15:0] a, b, result;
    logic        writes, jumps;
    always_comb begin
        a = registers[decoded.ra];
        b = registers[decoded.rb];
        result = a + b;
        writes = 1'b0;
        jumps = 1'b0;
        case (decoded.form)
            wren_pkg::FORM_add: writes = 1'b1;
            wren_pkg::FORM_sub: begin writes = 1'b1; result = a - b; end
            wren_pkg::FORM_addi: begin writes = 1'b1; result = a + {{7{decoded.imm[8]}}, decoded.imm}; end
            wren_pkg::FORM_li: begin writes = 1'b1; result = {{7{decoded.imm[8]}}, decoded.imm}; end
            wren_pkg::FORM_beq: jumps = a == b;
            wren_pkg::FORM_bne: jumps = a != b;
            default: ;
        endcase
    end

    always_ff @(posedge clock) begin
        fetched <= !fetched;
        if (!fetched) begin
            word <= program_words[pc[8:1]];
        end else if (!decoded.illegal && decoded.form != wren_pkg::FORM_halt) begin
            if (writes) registers[decoded.rd] <= result;
            if (decoded.form == wren_pkg::FORM_store) leds <= b[7:0];
            pc <= pc + (jumps ? {{10{decoded.to_field[4]}}, decoded.to_field, 1'b0} : 16'd2);
        end
    end
endmodule
