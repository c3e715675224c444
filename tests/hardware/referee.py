#!/usr/bin/env python3
"""Decoders against what they are to be, as other programs see it.

    referee.py --isaforge FILE [--all] [--only NAME]

Yosys proves the decoder in SystemVerilog equal to the codec's own tables for every word, and the one in VHDL, as GHDL
synthesises it. GHDL and Verilator compare decoders with the codec's answers, word by word. Decoders with one defect have to
be found out by all of them. Without --all this is done for small sets; with it also for every other built-in set, and Verilator
sees a million words of each. Sets with words of more than 48 bits are not proved. The widths of registers of FabRISC have one
decoder. --only takes those whose name has NAME.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SMALL = [("odd", str(HERE / "odd.isa"), []), ("behind", str(HERE / "behind.isa"), []), ("wishbone_gpu", "wishbone-gpu", [])]
LARGE = [("msp430", "msp430", []), ("mos6502", "mos6502", []), ("rv64gc", "rv64gc", []), ("rv32gc", "rv32gc", [])] + [(f"fabrisc_{date.replace('-', '_')}", f"fabrisc-{date}", ["-P", "WLEN=32"])
         for date in ("2022-03-18", "2022-05-02", "2022-05-15")]
LONG_WORDS = [(name.replace(".", "_"), name, []) for name in ("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4")]

failures = 0


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def claim(what, good, seen):
    """Says what was found; a claim that does not hold fails the whole."""
    global failures
    print(f"{'good' if good else 'WRONG'}: {what}", flush=True)
    if not good:
        failures += 1
        print(seen)


def proof(folder, name, files):
    """What Yosys says of the decoder in these files; its status is 0 where it differs for no word."""
    script = (f"read_verilog -sv {' '.join(files)}; prep -flatten -top {name}_proof; memory_map; opt -full; "
              f"sat -verify -prove differs 0 {name}_proof")
    return run(["yosys", "-q", "-p", script], folder)


def with_defect(text):
    """The text of a decoder in SystemVerilog with another opcode for one row."""
    row = re.search(r"'b([01])[01?_]*: rows_", text)
    return text[:row.start(1)] + "10"[int(row.group(1))] + text[row.end(1):]


def bits_of_vhdl(folder, name, width, count):
    """The decoder in VHDL as Verilog, under the name and with the ports that the proof expects."""
    (folder / "bits.vhd").write_text(f"""library ieee;
use ieee.std_logic_1164.all;
use work.{name}_pkg.all;
entity {name}_bits is
    port (word : in std_logic_vector({width - 1} downto 0); bits : out std_logic_vector({count - 1} downto 0));
end entity;
architecture rtl of {name}_bits is
    signal decoded : decoded_t;
begin
    decoder : entity work.{name}_vhdl port map (word => word, decoded => decoded);
    bits <= to_bits(decoded);
end architecture;
""")
    (folder / "renamed.vhd").write_text((folder / "decoder.vhd").read_text().replace(f"{name}_decoder", f"{name}_vhdl"))
    work = folder / "synthesis"
    work.mkdir()
    made = run(["ghdl", "-a", "--std=08", f"--workdir={work}", "renamed.vhd", "bits.vhd"], folder)
    if made.returncode == 0:
        command = ["ghdl", "--synth", "--std=08", f"--workdir={work}", "--out=verilog", f"{name}_bits"]
        made = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    (folder / "synthesised.v").write_text(f"""{made.stdout}
module {name}_decoder (input [{width - 1}:0] word, output [{count - 1}:0] decoded);
    {name}_bits bits (.word(word), .bits(decoded));
endmodule
""")
    return made


def ghdl_run(folder, name):
    work = folder / "simulation"
    work.mkdir(exist_ok=True)
    options = ["--std=08", f"--workdir={work}"]
    made = run(["ghdl", "-a", *options, "decoder.vhd", "tb.vhd"], folder)
    made = run(["ghdl", "-e", *options, f"{name}_testbench"], folder) if made.returncode == 0 else made
    return run(["ghdl", "-r", *options, f"{name}_testbench"], folder) if made.returncode == 0 else made


def verilator_run(folder, name):
    made = run(["verilator", "--binary", "-j", "1", "-Wno-fatal", "--top-module", f"{name}_testbench", "--Mdir", "verilated",
                "decoder.sv", "tb.sv"], folder)
    return run([f"verilated/V{name}_testbench"], folder) if made.returncode == 0 else made


def judge(isaforge, name, isa, options, million, proved):
    what = " ".join([pathlib.Path(isa).name.removesuffix(".isa"), *options[1:]])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        count = 1000000 if million else 2000
        for language, ending in (("systemverilog", "sv"), ("vhdl", "vhd")):
            command = [isaforge, "hardware", isa, *options, "-o", f"decoder.{ending}", "--testbench", f"tb.{ending}",
                       "--count", str(count if ending == "sv" else 2000), "--reference", "reference.v"]
            made = run(command, folder)
            claim(f"{what}: a decoder in {language}", made.returncode == 0, made.stdout)
            if ending == "sv" and million:
                begin = time.monotonic()
                seen = verilator_run(folder, name)
                good = seen.returncode == 0 and "1000000 words, 0 wrong" in seen.stdout
                claim(f"{what}: a million words in Verilator ({time.monotonic() - begin:.1f} s)", good, seen.stdout)
        if not proved:
            seen = ghdl_run(folder, name)
            claim(f"{what}: 2000 words in GHDL", seen.returncode == 0 and "2000 words, 0 wrong" in seen.stdout, seen.stdout)
            return
        if options:
            wide = run([isaforge, "hardware", isa, "-P", "WLEN=64"], folder)
            claim(f"{what}: the decoder is that of WLEN=64", wide.stdout == (folder / "decoder.sv").read_text(), "")
        begin = time.monotonic()
        seen = proof(folder, name, ["decoder.sv", "reference.v"])
        claim(f"{what}: Yosys proves SystemVerilog right for every word ({time.monotonic() - begin:.1f} s)",
              seen.returncode == 0, seen.stdout)
        seen = run(["verilator", "--lint-only", "--timing", "-Wno-fatal", "--top-module", f"{name}_testbench", "decoder.sv",
                    "tb.sv"], folder)
        claim(f"{what}: Verilator reads it", seen.returncode == 0, seen.stdout)

        seen = ghdl_run(folder, name)
        claim(f"{what}: 2000 words in GHDL", seen.returncode == 0 and "2000 words, 0 wrong" in seen.stdout, seen.stdout)
        reference = (folder / "reference.v").read_text()
        sizes = re.search(r"input \[(\d+):0\] word,\s*output reg \[(\d+):0\] expected", reference)
        seen = bits_of_vhdl(folder, name, int(sizes.group(1)) + 1, int(sizes.group(2)) + 1)
        claim(f"{what}: GHDL synthesises it", seen.returncode == 0, seen.stderr or seen.stdout)
        begin = time.monotonic()
        seen = proof(folder, name, ["synthesised.v", "reference.v"])
        claim(f"{what}: Yosys proves VHDL right for every word ({time.monotonic() - begin:.1f} s)", seen.returncode == 0,
              seen.stdout)

        (folder / "defect.sv").write_text(with_defect((folder / "decoder.sv").read_text()))
        seen = proof(folder, name, ["defect.sv", "reference.v"])
        claim(f"{what}: a defect is found by the proof", seen.returncode != 0 and "proof did fail" in seen.stdout, seen.stdout)
        text = (folder / "decoder.vhd").read_text()
        row = re.search(r'if std_match\(bits, "[01-]*([01])[01-]*"\) then', text)
        (folder / "decoder.vhd").write_text(text[:row.start(1)] + "10"[int(row.group(1))] + text[row.end(1):])
        seen = ghdl_run(folder, name)
        claim(f"{what}: a defect is found in GHDL", seen.returncode != 0 and "wrong" in seen.stdout, seen.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    isaforge = str(pathlib.Path(arguments.isaforge).resolve())
    for name, isa, options in SMALL + (LARGE + LONG_WORDS if arguments.all else []):
        if arguments.only in name:
            judge(isaforge, name, isa, options, arguments.all, (name, isa, options) not in LONG_WORDS)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
