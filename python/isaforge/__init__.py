"""Instruction sets from their descriptions: check, encode, decode, assemble, disassemble and run.

>>> import isaforge
>>> isa = isaforge.load("wishbone-gpu")
>>> isa.decode(isa.encode("fadd r1, r2, r3")).text
'fadd r1, r2, r3'

docs/python.md shows all of it. Errors are isaforge.Error, with what is wrong and where in `diagnostics`.
"""
from ._isaforge import (
    CodeObject,
    Device,
    Diagnostic,
    Error,
    Finding,
    Instruction,
    InstructionInfo,
    Isa,
    Kernel,
    KernelArgument,
    LaunchError,
    LaunchResult,
    Line,
    Machine,
    Program,
    RegisterFile,
    Registers,
    RunResult,
    Step,
    __version__,
    builtin_isas,
    load,
    load_text,
)

__all__ = [
    "CodeObject",
    "Device",
    "Diagnostic",
    "Error",
    "Finding",
    "Instruction",
    "InstructionInfo",
    "Isa",
    "Kernel",
    "KernelArgument",
    "LaunchError",
    "LaunchResult",
    "Line",
    "Machine",
    "Program",
    "RegisterFile",
    "Registers",
    "RunResult",
    "Step",
    "__version__",
    "builtin_isas",
    "load",
    "load_text",
]
