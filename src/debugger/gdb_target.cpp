#include "debugger/gdb_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace isaforge::debugger {

namespace {

constexpr unsigned stand_ins = 32, elf_riscv = 243;

unsigned container_bytes(unsigned bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

std::string lower(std::string_view text) {
    std::string out;
    for (char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

// What may stand in an XML attribute and in the names of registers of a debugger.
std::string plain_name(std::string_view text) {
    std::string out;
    for (char c : text) {
        const bool good =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        if (good) out += c;
        if (!good && !out.empty() && c != ']') out += '_';
    }
    return out.empty() ? "reg" : out;
}

// To a debugger `$3` is the third value of its history, and not a register: `$3` of the file `r` becomes r3.
std::string register_name(const std::string& file, const std::string& name) {
    const bool number = name.find_first_not_of("0123456789") == std::string::npos;
    return number ? plain_name(file) + name : name;
}

bool is_stack_pointer(const RemoteRegister& reg) { return lower(reg.name) == "sp"; }

std::string type_name(const RemoteRegister& reg) {
    if (reg.is_pc) return "code_ptr";
    if (reg.lanes == 1) return fmt::format("uint{}", reg.lane_bytes * 8);
    return fmt::format("v{}u{}", reg.lanes, reg.lane_bytes * 8);
}

}  // namespace

RemoteTarget::RemoteTarget(const Machine& machine, bool for_gdb) : variant_(machine.isa().variant), for_gdb_(for_gdb) {
    const Isa& isa = machine.isa();
    big_endian_ = isa.memories.empty() ? isa.big_endian : isa.memories[0].big_endian;
    code_bytes_ = std::max(1u, isa.address_bits / 8);
    std::set<std::string> taken = {"pc"};
    for (Index file = 0; for_gdb && isa.elf.machine == elf_riscv && file < isa.register_files.size(); ++file) {
        const RegisterFile& registers = isa.register_files[file];
        if (registers.name == "x" && registers.count == stand_ins) integers_ = file;
        if (registers.name == "f" && registers.count == stand_ins) floats_ = file;
    }
    const bool stands_in = for_gdb && integers_ == no_index;
    if (stands_in) {
        for (unsigned i = 0; i < stand_ins; ++i) taken.insert(fmt::format("x{}", i));
    }
    for (Index file = 0; file < isa.register_files.size(); ++file) {
        const RegisterFile& registers = isa.register_files[file];
        if (registers.lanes == 1 && registers.bits > 32) address_bytes_ = 8;
        for (std::uint64_t number = 0; number < registers.count; ++number) {
            std::string name = riscv_name(file, number);
            if (name.empty()) name = register_name(registers.name, plain_name(machine.register_name(file, number)));
            if (taken.contains(lower(name))) name = fmt::format("{}_{}", plain_name(registers.name), number);
            while (taken.contains(lower(name))) name += "_";
            taken.insert(lower(name));
            registers_.push_back({name, false, false, file, number, registers.lanes, container_bytes(registers.bits), 0,
                                  plain_name(registers.name)});
        }
    }
    pc_number_ = registers_.size();
    registers_.push_back({"pc", true, false, no_index, 0, 1, address_bytes_, 0, "general"});
    for (unsigned i = 0; stands_in && i < stand_ins; ++i) {
        registers_.push_back({fmt::format("x{}", i), false, true, no_index, 0, 1, address_bytes_, 0, "system"});
    }
    std::uint64_t offset = 0;
    for (RemoteRegister& each : registers_) {
        each.offset = offset;
        offset += each.bytes();
    }
}

std::string RemoteTarget::read(const Machine& machine, const RemoteRegister& reg) const {
    if (reg.is_stand_in) return std::string(reg.bytes(), '\0');
    std::string bytes;
    for (unsigned lane = 0; lane < reg.lanes; ++lane) {
        const std::uint64_t value = reg.is_pc ? machine.pc() * code_bytes_ : machine.get(reg.file, reg.number, lane);
        bytes += number_as_bytes(value, reg);
    }
    return bytes;
}

// A number as one lane of a register.
std::string RemoteTarget::number_as_bytes(std::uint64_t value, const RemoteRegister& reg) const {
    std::string bytes;
    for (unsigned i = 0; i < reg.lane_bytes; ++i) {
        bytes += static_cast<char>(value >> 8 * (big_endian_ ? reg.lane_bytes - 1 - i : i));
    }
    return bytes;
}

bool RemoteTarget::write(Machine& machine, const RemoteRegister& reg, std::string_view bytes) const {
    if (bytes.size() != reg.bytes()) return false;
    if (reg.is_stand_in) return true;
    for (unsigned lane = 0; lane < reg.lanes; ++lane) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < reg.lane_bytes; ++i) {
            const auto byte = static_cast<unsigned char>(bytes[lane * reg.lane_bytes + i]);
            value |= std::uint64_t{byte} << 8 * (big_endian_ ? reg.lane_bytes - 1 - i : i);
        }
        if (!reg.is_pc) machine.set(reg.file, reg.number, value, lane);
        if (reg.is_pc && value / code_bytes_ != machine.pc()) machine.set_pc(value / code_bytes_);
    }
    return true;
}

void RemoteTarget::write_register(std::string& text, std::size_t number) const {
    const RemoteRegister& each = registers_[number];
    const bool is_vector = each.lanes > 1, is_float = floats_ != no_index && each.file == floats_;
    text += fmt::format(
        "    <reg name=\"{}\" bitsize=\"{}\" regnum=\"{}\" offset=\"{}\" type=\"{}\" group=\"{}\" encoding=\"{}\" "
        "format=\"{}\"{}/>\n",
        each.name, each.bytes() * 8, number, each.offset, is_float ? "ieee_double" : type_name(each),
        is_vector ? "vector" : each.group, is_vector ? "vector" : "uint",
        is_vector ? fmt::format("vector-uint{}", each.lane_bytes * 8) : "hex",
        each.is_pc               ? " generic=\"pc\""
        : is_stack_pointer(each) ? " generic=\"sp\""
                                 : "");
}

// gdb knows the registers by these names; empty where it is none of them.
std::string RemoteTarget::riscv_name(Index file, std::uint64_t number) const {
    if (file == integers_) return fmt::format("x{}", number);
    return file == floats_ ? fmt::format("f{}", number) : std::string();
}

// The features that gdb looks for in a RISC-V: of its integers, and of its floats where there are any.
void RemoteTarget::write_riscv(std::string& text) const {
    text += "  <feature name=\"org.gnu.gdb.riscv.cpu\">\n";
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        const RemoteRegister& each = registers_[number];
        if (each.is_stand_in || each.is_pc || (integers_ != no_index && each.file == integers_))
            write_register(text, number);
    }
    text += "  </feature>\n";
    if (floats_ == no_index) return;
    text += "  <feature name=\"org.gnu.gdb.riscv.fpu\">\n";
    for (std::size_t number = 0; number < registers_.size(); ++number)
        if (registers_[number].file == floats_) write_register(text, number);
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        const std::string& name = registers_[number].name;
        if (name == "fflags" || name == "frm") write_register(text, number);
    }
    text += "  </feature>\n";
}

std::string RemoteTarget::xml() const {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n";
    if (for_gdb_) {
        text += fmt::format("  <architecture>riscv:rv{}</architecture>\n  <osabi>none</osabi>\n", address_bytes_ * 8);
        write_riscv(text);
    }
    text += fmt::format("  <feature name=\"org.isaforge.{}\">\n", plain_name(variant_));
    std::set<std::string> vectors;
    for (const RemoteRegister& each : registers_) {
        if (each.lanes == 1 || !vectors.insert(type_name(each)).second) continue;
        text += fmt::format("    <vector id=\"{}\" type=\"uint{}\" count=\"{}\"/>\n", type_name(each),
                            each.lane_bytes * 8, each.lanes);
    }
    for (std::size_t number = 0; number < pc_number_; ++number) {
        const RemoteRegister& each = registers_[number];
        const bool written = integers_ != no_index && (each.file == integers_ || each.file == floats_ ||
                                                       each.name == "fflags" || each.name == "frm");
        if (!written) write_register(text, number);
    }
    if (!for_gdb_) write_register(text, pc_number_);
    return text + "  </feature>\n</target>\n";
}

std::string RemoteTarget::register_info(std::uint64_t number) const {
    if (number >= registers_.size()) return {};
    const RemoteRegister& each = registers_[number];
    const bool is_vector = each.lanes > 1;
    std::string text = fmt::format("name:{};bitsize:{};offset:{};encoding:{};format:{};set:{};", each.name,
                                   each.bytes() * 8, each.offset, is_vector ? "vector" : "uint",
                                   is_vector ? fmt::format("vector-uint{}", each.lane_bytes * 8) : "hex", each.group);
    if (each.is_pc) text += "generic:pc;";
    if (is_stack_pointer(each)) text += "generic:sp;";
    return text;
}

}  // namespace isaforge::debugger
