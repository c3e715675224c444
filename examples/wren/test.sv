// A hundred clocks for top.sv.
module test;
    logic clock = 0;
    logic [7:0] leds;
    top top (.clock(clock), .leds(leds));
    initial begin
        repeat (200) #5 clock = !clock;
        $display("leds: %0d", leds);
        $finish;
    end
endmodule
