#!/usr/bin/env python3
"""The Python module, where docs/python.md does not show it: errors, lifetimes, threads, arrays of all kinds.

    module_test.py FOLDER-OF-THE-PACKAGE [unittest's arguments]
"""
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.abspath(sys.argv.pop(1)))

import numpy as np  # noqa: E402

import isaforge  # noqa: E402

LOOP = "again: jump again;\n nop;\n"


class Descriptions(unittest.TestCase):
    def test_unknown_name(self):
        with self.assertRaisesRegex(isaforge.Error, "did you mean 'wishbone-gpu'"):
            isaforge.load("wishbone-gp")

    def test_broken_text(self):
        with self.assertRaises(isaforge.Error) as caught:
            isaforge.load_text('isa x "x"\ncode unit 16 little\nformat A | 17 |\n', name="broken.isa")
        first = caught.exception.diagnostics[0]
        self.assertEqual((first.severity, first.file, first.line), ("error", "broken.isa", 3))
        self.assertIn("broken.isa:3:", str(caught.exception))
        self.assertGreater(first.column, 0)
        self.assertGreater(first.length, 0)

    def test_variants_and_dialects(self):
        isa = isaforge.load("gcn1.2")
        self.assertEqual(isa.variant, "gcn1.2")
        self.assertIn("gcn1.4", isa.variants)
        names = [row.name for row in isa.instructions]
        self.assertIn("v_add_f32", " ".join(names))

    def test_parameters(self):
        with self.assertRaises(isaforge.Error):
            isaforge.load("wishbone-gpu", nothing=1)
        with self.assertRaises(TypeError):
            isaforge.load("wishbone-gpu", variant=3)

    def test_versions(self):
        self.assertRegex(isaforge.__version__, r"^\d+\.\d+\.\d+$")
        self.assertEqual(sorted(isaforge.__all__), sorted(set(isaforge.__all__)))
        for name in isaforge.__all__:
            self.assertTrue(hasattr(isaforge, name))


class Instructions(unittest.TestCase):
    def setUp(self):
        self.isa = isaforge.load("wishbone-gpu")

    def test_all_sampled_statements_come_back(self):
        for text in self.isa.sample(300, seed=7):
            decoded = self.isa.decode(self.isa.encode(text))
            self.assertEqual(decoded.text + ";", text)

    def test_decode_wants_enough_bytes(self):
        for data in (b"", b"\x00", b"\xff\xff\xff\xff"):
            with self.assertRaises(isaforge.Error):
                self.isa.decode(data)

    def test_buffers(self):
        code = self.isa.encode("nop")
        words = np.frombuffer(code, dtype="<u4")
        for data in (code, bytearray(code), memoryview(code), words):
            self.assertEqual(self.isa.decode(data).mnemonic, "nop")
        with self.assertRaises(TypeError):
            self.isa.decode("nop")

    def test_lengths_that_differ(self):
        isa = isaforge.load("gcn1.2")
        code = b"".join(isa.encode(text) for text in ("s_nop 0", "v_add_f32 v5, |v1|, -s2 mul:2", "s_endpgm"))
        self.assertEqual([len(each) for each in isa.decode_all(code)], [4, 8, 4])
        self.assertEqual([each.address for each in isa.decode_all(code, address=0x100)], [0x100, 0x104, 0x10c])

    def test_program_errors_have_places(self):
        with self.assertRaises(isaforge.Error) as caught:
            self.isa.assemble("nop;\nfrob;\nfadd r1;\n", name="two.s")
        self.assertEqual([(found.file, found.line) for found in caught.exception.diagnostics], [("two.s", 2), ("two.s", 3)])

    def test_a_pseudo_instruction_without_an_operand_says_its_form(self):
        with self.assertRaises(isaforge.Error) as caught:  # what it is made of stands in the description, not in the program
            isaforge.load("rv64gc").assemble("li , nowhere\n", name="pseudo.s")
        self.assertIn("'li' needs a value for 'x'; the form is `li x, number`", str(caught.exception))

    def test_objects(self):
        program = self.isa.assemble(LOOP)
        again = self.isa.read_program(program.to_bytes())
        self.assertEqual(again.bytes, program.bytes)
        self.assertEqual(again.symbols, {"again": 0})
        self.assertEqual(self.isa.assemble(program.disassemble()).bytes, program.bytes)
        with self.assertRaises(isaforge.Error):
            isaforge.load("gcn1.2").read_program(program.to_bytes())
        with self.assertRaises(ValueError):
            program.to_bytes("coff")

    def test_undefined_symbols_matter_when_bytes_are_wanted(self):
        program = self.isa.assemble("jump elsewhere;\nnop;\n")
        self.assertEqual(program.to_bytes()[:4], b"\x7fELF")
        with self.assertRaisesRegex(isaforge.Error, "elsewhere"):
            program.bytes  # noqa: B018
        with self.assertRaisesRegex(isaforge.Error, "elsewhere"):
            self.isa.machine(program)


class Machines(unittest.TestCase):
    def setUp(self):
        self.isa = isaforge.load("wishbone-gpu")

    def test_views_keep_their_machine(self):
        machine = self.isa.machine(memory=4096)
        view = machine.memory
        view[0] = 1
        same = machine.memory
        self.assertTrue(np.shares_memory(view, same))
        del machine, same
        gc.collect()
        view[:] = 2
        self.assertEqual(int(view.astype(np.uint64).sum()), 2 * len(view))

    def test_views_are_what_programs_see(self):
        isa = isaforge.load("fabrisc-2022-05-15")
        machine = isa.machine(isa.assemble("    IAND.32: $S0, $S0, #0;\n    MST.32: $S1, $S0, #1024;\n    SYSCL: #0;\n"))
        machine.registers["$S1"] = 0x12345678
        machine.run()
        self.assertEqual(bytes(machine.memory[1024:1028]), machine.read(1024, 4))
        self.assertEqual(int.from_bytes(machine.read(1024, 4), "little"), 0x12345678)

    def test_code_is_written(self):
        isa = isaforge.load("fabrisc-2022-05-15")
        program = isa.assemble("    IAND.32: $P0, $P0, #0;\n    IADD.32: $P0, $P0, #3;\n    SYSCL: #0;\n")
        for engine in ("interpreter", "jit"):
            machine = isa.machine(program, engine=engine)
            self.assertEqual(machine.run().exit_status, 3)
            machine.reset()
            machine.run(1)
            machine.write(4, isa.encode("IADD.32: $P0, $P0, #5;"))
            self.assertEqual(machine.run().exit_status, 5)

    def test_registers(self):
        machine = self.isa.machine()
        machine.registers["r1"] = -1
        self.assertEqual(machine.registers["r1"], 0xffffffff)
        self.assertIn("r31", machine.registers)
        self.assertNotIn("r32", machine.registers)
        self.assertEqual(len(machine.registers), len(list(machine.registers)))
        self.assertEqual(dict(machine.registers)["r1"], 0xffffffff)
        with self.assertRaises(KeyError):
            machine.registers["r32"]  # noqa: B018

    def test_lanes(self):
        machine = isaforge.load("gcn1.2").machine()
        machine.registers["v3"] = np.arange(64)
        self.assertEqual(machine.registers["v3"].tolist(), list(range(64)))
        machine.registers["v3"] = 7
        self.assertEqual(set(machine.registers["v3"].tolist()), {7})
        with self.assertRaises(ValueError):
            machine.registers["v3"] = [1, 2, 3]

    def test_cycles(self):
        isa = isaforge.load("mos6502")
        program = isa.assemble("lda #1\nsta $10\njam\n")
        machine = isa.machine(program, cycles=True)
        self.assertEqual(machine.run().cycles, 5)
        self.assertEqual(machine.cycles, 5)
        machine.reset()
        self.assertEqual(machine.cycles, 0)
        self.assertEqual(isa.machine(program).run().cycles, 0)

    def test_limit_and_faults(self):
        machine = self.isa.machine(self.isa.assemble(LOOP))
        result = machine.run(1000)
        self.assertEqual((result.reason, result.instructions, bool(result)), ("limit", 1000, False))
        self.assertIn("line ", result.message)
        machine = self.isa.machine(self.isa.read_program(b"\xff" * 8))
        self.assertEqual(machine.run().reason, "illegal")
        self.assertEqual(machine.step().reason, "illegal")

    def test_arguments(self):
        for wrong in ({"engine": "fast"}, {"checks": "everything"}, {"harts": 0}, {"memory": 1 << 60}):
            with self.assertRaises(ValueError):
                self.isa.machine(**wrong)
        machine = self.isa.machine(memory=4096)
        with self.assertRaises(IndexError):
            machine.read(4090, 100)
        with self.assertRaises(IndexError):
            machine.write(4090, bytes(100))
        with self.assertRaises(KeyError):
            machine.memory_of("nothing")
        with self.assertRaises(KeyError):
            machine.add_breakpoint("nowhere")

    def test_other_threads_run_beside(self):
        isa = isaforge.load("fabrisc-2022-05-15")
        program = isa.assemble("    IAND.32: $S0, $S0, #0;\n.again:\n    MLD.32: $S2, $S0, #1024;\n"
                               "    BTST.32NEZ: $S2, @again;\n    SYSCL: #0;\n")
        machine = isa.machine(program, harts=2)
        memory = machine.memory
        memory[1024] = 1
        reasons = []
        thread = threading.Thread(target=lambda: reasons.append(machine.run().reason))
        thread.start()
        # It runs until this thread, which has to come to its turn, writes what it waits for.
        memory[1024] = 0
        thread.join()
        self.assertEqual(reasons, ["stopped"])

    def test_signals_end_a_run(self):
        code = ("import isaforge\nisa = isaforge.load('wishbone-gpu')\n"
                f"machine = isa.machine(isa.assemble({LOOP!r}))\n"
                "try:\n    print('ready', flush=True)\n    machine.run()\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                              env=os.environ | {"PYTHONPATH": sys.path[0]}) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate(timeout=60)[0], "interrupted\n")


KERNELS = """
__kernel void add(__global const int *a, __global int *b, int n) {
    int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    if (i < n) b[i] += a[i];
}
__kernel void wide(__global double *out, double x, long y, char z) { out[0] = x; out[1] = y; out[2] = z; }
"""


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            source, code = os.path.join(folder, "k.cl"), os.path.join(folder, "k.co")
            with open(source, "w", encoding="utf-8") as file:
                file.write(KERNELS)
            subprocess.run(["clang-14", "-x", "cl", "-target", "amdgcn--amdhsa", "-mcpu=gfx900", "-nogpulib", "-O1", source,
                            "-o", code], check=True)
            with open(code, "rb") as file:
                cls.code = file.read()

    def setUp(self):
        self.device = isaforge.Device("gfx900", threads=1)
        self.kernels = self.device.load(self.code).kernels

    def test_arrays_in_place(self):
        a, b = np.arange(100, dtype=np.int32), np.full(100, 5, dtype=np.int32)
        result = self.kernels["add"].launch(a, b, 100, grid=128, group=64)
        self.assertEqual(b.tolist(), list(range(5, 105)))
        self.assertGreater(result.instructions, 0)

    def test_one_array_twice(self):
        a = np.arange(64, dtype=np.int32)
        self.kernels["add"].launch(a, a, 64, grid=64)
        self.assertEqual(a.tolist(), list(range(0, 128, 2)))

    def test_arrays_are_given_back(self):
        a = np.arange(64, dtype=np.int32)
        for _ in range(3):
            self.kernels["add"].launch(a, a, 64, grid=64)
        with self.assertRaises(isaforge.LaunchError) as caught:
            self.kernels["add"].launch(None, a, 64, grid=64)
        self.assertEqual(caught.exception.fault["reason"], "bad_read")
        self.assertIsInstance(caught.exception, isaforge.Error)

    def test_numbers(self):
        out = np.zeros(3)
        self.kernels["wide"].launch(out, 2, -(1 << 40), np.int8(-3), grid=1, group=1)
        self.assertEqual(out.tolist(), [2.0, -float(1 << 40), -3.0])

    def test_wrong_arguments(self):
        a = np.arange(64, dtype=np.int32)
        add = self.kernels["add"]
        with self.assertRaises(TypeError):
            add.launch(a, a, grid=64)
        with self.assertRaises(TypeError):
            add.launch(a, a, 64, 64, grid=64)
        with self.assertRaises(TypeError):
            add.launch(a, a, 64)
        with self.assertRaises(ValueError):
            add.launch(a[::2], a, 64, grid=64)
        with self.assertRaises((BufferError, ValueError, TypeError)):
            add.launch(a, b"only for reading", 4, grid=64)
        with self.assertRaises(isaforge.Error):
            add.launch(a, a, 64, grid=64, group=4096)
        with self.assertRaises(isaforge.Error):
            isaforge.Device("gfx9999")
        with self.assertRaises(isaforge.Error):
            self.device.load(b"no code object")
        with self.assertRaises(isaforge.Error):
            self.device.load("/nowhere/to/be/found.co")


if __name__ == "__main__":
    unittest.main()
