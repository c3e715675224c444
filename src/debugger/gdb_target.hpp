// A machine's registers as a remote debugger sees them: numbered, with places in one block of bytes, described in XML as
// the GDB manual's "Target Descriptions" has it. All of it comes from the description's register files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge::debugger {

struct RemoteRegister {
    std::string name;
    bool is_pc = false;
    bool is_stand_in = false;  // not of the machine: reads as 0
    Index file = no_index;
    std::uint64_t number = 0;  // in its file
    unsigned lanes = 1;
    unsigned lane_bytes = 4;
    std::uint64_t offset = 0;  // in the block of all
    std::string group;         // the file's name

    unsigned bytes() const { return lanes * lane_bytes; }
};

class RemoteTarget {
public:
    // gdb shows registers only of architectures that it knows; `for_gdb` makes the machine look like one with additions:
    // RISC-V, whose own registers are stand-ins unless the description is RISC-V's. Other debuggers take any machine.
    explicit RemoteTarget(const Machine& machine, bool for_gdb = false);

    // By their numbers in the protocol.
    const std::vector<RemoteRegister>& registers() const { return registers_; }
    std::size_t pc_number() const { return pc_number_; }
    bool for_gdb() const { return for_gdb_; }
    bool big_endian() const { return big_endian_; }
    unsigned address_bytes() const { return address_bytes_; }  // of pc, and of an address

    // A register's bytes in the target's order; pc counts bytes of code, as object files and debuggers do.
    std::string read(const Machine& machine, const RemoteRegister& reg) const;
    std::string number_as_bytes(std::uint64_t address, const RemoteRegister& reg) const;
    // False where the size is another one.
    bool write(Machine& machine, const RemoteRegister& reg, std::string_view bytes) const;

    // The target description, and what lldb asks about each register; empty where there is no such number.
    std::string xml() const;
    std::string register_info(std::uint64_t number) const;

private:
    void write_register(std::string& text, std::size_t number) const;
    std::string riscv_name(Index file, std::uint64_t number) const;
    void write_riscv(std::string& text) const;

    std::string variant_;
    bool for_gdb_;
    Index integers_ = no_index, floats_ = no_index;  // the files x and f of RISC-V's own description, for gdb
    std::vector<RemoteRegister> registers_;
    std::size_t pc_number_ = 0;
    bool big_endian_ = false;
    unsigned address_bytes_ = 4;
    unsigned code_bytes_ = 1;  // bytes that one step of pc covers
};

}  // namespace isaforge::debugger
