// Runs single instructions on the emulator and on the independent model, side by side and from the same state, and
// compares all registers. What the quick test and the sweep have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "fabrisc/revision.hpp"
#include "isaforge/machine.hpp"
#include "reference/fabrisc_model.hpp"
#include "reference/float_operands.hpp"

namespace isaforge::test {

namespace model = fabrisc_reference;

inline model::Revision model_revision(const Revision& revision) {
    return revision.date == std::string("2022-03-18")   ? model::Revision::march
           : revision.date == std::string("2022-05-02") ? model::Revision::may
                                                        : model::Revision::may_last;
}

// Whole numbers that find mistakes: about 0, about the ends of a type, powers of two and their neighbours, runs of bits.
inline std::uint64_t random_integer(unsigned bits, std::mt19937_64& random) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    const std::uint64_t power = std::uint64_t{1} << random() % bits;
    const std::uint64_t choices = random(), second = random(), third = random();
    switch (choices % 16) {
        case 0: return random() % 3;
        case 1: return mask - random() % 3;
        case 2: return top;
        case 3: return (top - 1 + random() % 3) & mask;
        case 4: return power;
        case 5: return (power - 1) & mask;
        case 6: return (0 - power) & mask;
        case 7: return random() % (bits + 2);  // as a shift amount
        case 8: return random() & second & third & mask;
        case 9: return (random() | second | third) & mask;
        case 10: return random() >> random() % 64 & mask;
        default: return random() & mask;
    }
}

// One configuration of the machine: a description with its parameters, and a machine of it.
struct MachineSetup {
    model::Configuration configuration;
    std::shared_ptr<const Isa> isa;
    std::shared_ptr<const Codec> codec;

    MachineSetup(const Revision& revision, unsigned wlen, unsigned mxvl)
        : configuration{model_revision(revision), wlen, mxvl} {
        SourceManager sources;
        Diagnostics diagnostics;
        LoadOptions options;
        options.parameters = {{"WLEN", wlen}, {"MXVL", mxvl}};
        isa = load_isa(revision.name, sources, diagnostics, options);
        if (!isa) {
            std::fputs(to_text(diagnostics, sources).c_str(), stderr);
            std::abort();
        }
        codec = std::make_shared<const Codec>(isa);
    }
};

inline Index find_file(const Isa& isa, const std::string& name) {
    for (Index i = 0; i < isa.register_files.size(); ++i) {
        if (isa.register_files[i].name == name) return i;
    }
    return no_index;
}

// One instruction of the program under test.
struct Variant {
    Index form = no_index;
    Image image;
    std::uint64_t address = 0;
    std::optional<model::Operation> operation;
    std::string text;
    std::vector<unsigned> scalars, vectors;  // registers that its operands name
    unsigned base = 0;                       // RB's place in `scalars`, where it is there

    bool touches_vector(unsigned number) const {
        return std::find(vectors.begin(), vectors.end(), number) != vectors.end();
    }
};

inline std::string hex(std::uint64_t value) {
    std::ostringstream out;
    out << "0x" << std::hex << value;
    return out.str();
}

// Code is at the beginning of memory, data behind it.
// The last of the code are, where they are wanted, handlers.
constexpr std::uint64_t user_handler = 0x3000, supervisor_handler = 0x3800, code_bytes = 0x4000, memory_bytes = 0x14000,
                        data_middle = 0xc000;

inline MachineOptions machine_options(Engine engine) {
    MachineOptions options;
    options.memory_bytes = memory_bytes;
    options.engine = engine;
    return options;
}

// An emulator and a model that are always told the same.
class OperationsBench {
public:
    OperationsBench(const MachineSetup& setup, Engine engine)
        : setup_(setup),
          isa_(*setup.isa),
          layout_(model::layout_of(setup.configuration.revision)),
          machine_(setup.codec, machine_options(engine)) {
        scalar_ = find_file(isa_, "SGPR");
        special_ = find_file(isa_, "SPR");
        helper_ = find_file(isa_, "HLPR");
        vector_ = find_file(isa_, "VGPR");
        scalar_flags_ = find_file(isa_, "FR");
        vector_flags_ = find_file(isa_, "VFLG");
        unsaved_ = find_file(isa_, "UNSAVED");
        vector_bytes_ = setup.configuration.mxvl / 8;
        state_.memory.resize(memory_bytes);
        machine_.reset();
    }
    ~OperationsBench() { EXPECT_EQ(machine_.engine_figures().problem, ""); }

    void restart() {
        machine_.reset();
        state_.reserved_bytes = 0;
        take_over();
    }
    bool compiles() const { return machine_.engine_figures().engine == Engine::compiler; }
    std::uint64_t compiled() const { return machine_.engine_figures().instructions; }

    void fill_memory(std::mt19937_64& random) {
        const auto data = machine_.memory(0);
        for (std::uint64_t i = code_bytes; i < memory_bytes; ++i) data[i] = static_cast<std::uint8_t>(random());
        std::copy(data.begin(), data.end(), state_.memory.begin());
    }

    const Isa& isa() const { return isa_; }
    const MachineSetup& setup() const { return setup_; }
    const model::Layout& layout() const { return layout_; }
    model::State& state() { return state_; }
    std::uint64_t steps() const { return steps_; }

    static const std::string& name_of(const Isa& isa, const Form& form) { return isa.instruction_of(form).names[0]; }

    // `choose` gives the code of a field that is not fixed.
    template <class Choose>
    Variant variant(Index form_index, Choose&& choose) const {
        const Form& form = isa_.forms[form_index];
        Variant out;
        out.form = form_index;
        out.image = form.value;
        model::Instruction instruction;
        instruction.name = name_of(isa_, form);
        instruction.bytes = form.bits / 8;
        for (const Field& field : form.fields) {
            const std::uint64_t code =
                field.fixed ? form.fixed_value(field) : choose(field) & low_bits(field.place.width);
            if (!field.fixed) field.place.insert(out.image, code);
            instruction.fields[field.name] = {code, field.place.width};
            name_register(out, field, code);
        }
        out.operation = model::Operation::of(setup_.configuration, instruction);
        return out;
    }

    // Puts the program's instructions one behind the other at its beginning.
    void load(std::vector<Variant>& variants) {
        std::vector<std::uint8_t> code;
        char text[Codec::max_text];
        for (Variant& variant : variants) {
            variant.address = code.size();
            const unsigned bits = isa_.forms[variant.form].bits;
            std::uint8_t bytes[8] = {};
            setup_.codec->store(variant.image, bits, bytes);
            code.insert(code.end(), bytes, bytes + bits / 8);
            variant.text.assign(text, setup_.codec->print(text, variant.form, variant.image, bits, variant.address));
        }
        if (compiles()) put_handlers(code);
        machine_.load_code(code);
        const auto data = machine_.memory(0);
        std::copy(data.begin(), data.begin() + code_bytes, state_.memory.begin());
    }

    void set_scalar(unsigned number, std::uint64_t value) {
        state_.scalar[number] = value & low_bits(setup_.configuration.wlen);
        machine_.set(scalar_, number, state_.scalar[number]);
    }
    void set_special(unsigned number, std::uint64_t value) {
        state_.special[number] = value & low_bits(layout_.narrow(number) ? 32 : setup_.configuration.wlen);
        write_special(number, state_.special[number]);
    }
    void set_helper(unsigned number, std::uint64_t value) {
        state_.helper[number] = value & low_bits(setup_.configuration.wlen);
        if (helper_ != no_index) machine_.set(helper_, number, state_.helper[number]);
    }
    void set_vector(unsigned number, const model::Vector& value) {
        state_.vector[number] = {};
        for (unsigned i = 0; i < vector_bytes_; ++i)
            machine_.set(vector_, number, state_.vector[number][i] = value[i], i);
    }
    void set_flags(std::uint8_t scalar, const model::Vector& vector) {
        if (has_scalar_flags()) machine_.set(scalar_flags_, 0, state_.flags = scalar & 0x7f);
        for (unsigned i = 0; vector_flags_ != no_index && i < vector_bytes_; ++i)
            machine_.set(vector_flags_, 0, state_.vector_flags[i] = vector[i] & 0x7f, i);
    }

    // Runs one instruction on both sides. What differs then, or nothing. Registers that the instruction does not name,
    // and memory, are looked at only if asked to: what differs there stays different.
    std::string step(const Variant& variant, bool look_at_all) {
        machine_.set_pc(variant.address);
        state_.pc = variant.address;
        const RunResult result = machine_.step();
        // Where it trapped nothing was written, and what is there says nothing.
        const bool written = machine_.pc() == variant.address + isa_.forms[variant.form].bits / 8;
        if (variant.operation->nearly() && written) look_at(witness_);
        variant.operation->run(state_, written ? &witness_ : nullptr);
        ++steps_;
        if (!result.ok()) return "stopped: " + result.message;
        return difference(variant, look_at_all);
    }

    // Runs a program whose last instruction leads back to its first, so many instructions of it: the model one after the
    // other, the emulator in one go. What differs then, or nothing.
    std::string run(const std::vector<Variant>& program, std::uint64_t count) {
        std::map<std::uint64_t, const Variant*> by_address;
        for (const Variant& variant : program) by_address[variant.address] = &variant;
        machine_.set_pc(0);
        state_.pc = 0;
        for (std::uint64_t i = 0; i < count; ++i) by_address.at(state_.pc)->operation->run(state_);
        steps_ += count;
        const RunResult result = machine_.run(count);
        if (result.reason != StopReason::limit) return "stopped: " + result.message;
        return difference(program.back(), true);
    }

    // ---- Compiled code is entered at the head of a loop, by a run that goes on for some time. So an instruction stands in
    //
    //     head:  jump body
    //     body:  the instruction
    //     back:  jump head
    //     land:  jump land       // where it jumps to, if it jumps
    //
    // of which four instructions are run. Handlers jump to themselves.
    static constexpr unsigned jump_bytes = 4, in_loop = 4;

    Variant jump(std::int64_t distance) const {
        Index form = 0;
        while (name_of(isa_, isa_.forms[form]) != "BLE" || isa_.forms[form].bits != 8 * jump_bytes) ++form;
        return variant(form, [&](const Field& field) {  // register 0 is less than or equal to itself
            return field.name == "T" ? static_cast<std::uint64_t>(distance / 2) : 0;
        });
    }
    // The loops of these, one after the other behind `start: jump start`.
    std::vector<Variant> loops(const std::vector<Variant>& variants) const {
        std::vector<Variant> out{jump(0)};
        for (const Variant& variant : variants) {
            const auto bytes = static_cast<std::int64_t>(isa_.forms[variant.form].bits / 8);
            out.push_back(jump(jump_bytes));
            out.push_back(variant);
            out.push_back(jump(-static_cast<std::int64_t>(jump_bytes) - bytes));
            out.push_back(jump(0));
        }
        return out;
    }
    std::uint64_t back_of(const Variant& variant) const { return variant.address + isa_.forms[variant.form].bits / 8; }
    std::uint64_t land_of(const Variant& variant) const { return back_of(variant) + jump_bytes; }

    // Lets a jump to where a register says land there; false where it cannot.
    bool aim(const Variant& variant) {
        if (!variant.operation->leaves()) return true;
        const unsigned number = variant.scalars.at(variant.base);
        for (unsigned tries = 0; tries < 2; ++tries) {
            model::State after = state_;
            after.pc = variant.address;
            variant.operation->run(after);
            if (after.pc == land_of(variant)) return true;
            set_scalar(number, state_.scalar[number] + land_of(variant) - after.pc);
        }
        return false;
    }

    // The same as step(), in its loop. Where an event handler was entered, the next event is not one too many.
    std::string step_in_loop(const Variant& variant, bool look_at_all) {
        if (!aim(variant)) return {};
        machine_.set(unsaved_, 0, 0);
        machine_.set_pc(variant.address - jump_bytes);
        state_.pc = variant.address;
        const RunResult result = machine_.run(in_loop);
        const bool written = machine_.pc() == variant.address;
        if (variant.operation->nearly() && written) look_at(witness_);
        variant.operation->run(state_, written ? &witness_ : nullptr);
        ++steps_;
        if (result.reason != StopReason::limit) return "stopped: " + result.message;
        if (state_.pc == back_of(variant)) state_.pc = variant.address;  // behind `back` and `head`
        return difference(variant, look_at_all);
    }

    // Has them compiled, once all instructions have been run: how many are. Jumps have no effect but to be known then.
    std::uint64_t compile(const std::vector<Variant>& loops) {
        for (std::size_t i = 0; i < loops.size(); ++i) {
            if (is_body(i)) continue;
            machine_.set_pc(loops[i].address);
            machine_.run(1);
        }
        machine_.set_pc(0);
        const std::uint64_t before = compiled();
        for (unsigned tries = 0; tries < 20; ++tries) {
            const std::uint64_t then = compiled();
            machine_.run(1000);
            if (then != before && compiled() == then) break;
        }
        return compiled() - before;
    }
    static bool is_body(std::size_t i) { return i % 4 == 2; }

    // Both sides are to go on from the same state, whatever came before.
    void take_over() {
        look_at(state_);
        const auto data = machine_.memory(0);
        std::copy(data.begin(), data.end(), state_.memory.begin());
        for (unsigned i = 0; i < 32; ++i) {
            state_.special[i] = read_special(i);
            if (helper_ != no_index) state_.helper[i] = machine_.get(helper_, i);
        }
        if (has_scalar_flags()) state_.flags = static_cast<std::uint8_t>(machine_.get(scalar_flags_, 0));
        for (unsigned i = 0; vector_flags_ != no_index && i < vector_bytes_; ++i)
            state_.vector_flags[i] = static_cast<std::uint8_t>(machine_.get(vector_flags_, 0, i));
    }

    // Keeps what the instruction's operands hold, for a report.
    void note(const Variant& variant) {
        noted_.flags = state_.flags;
        noted_.vector_flags = state_.vector_flags;
        noted_.special = state_.special;
        for (unsigned i : variant.scalars) noted_.scalar[i] = state_.scalar[i];
        for (unsigned i : variant.vectors) noted_.vector[i] = state_.vector[i];
    }
    std::string noted(const Variant& variant) const {
        std::string out = "CSR " + hex(noted_.special[layout_.csr]) + " VMSK " + hex(noted_.special[layout_.mask]) +
                          " FR " + hex(noted_.flags);
        for (unsigned i : variant.scalars)
            out += "\n    " + machine_.register_name(scalar_, i) + " = " + hex(noted_.scalar[i]);
        for (unsigned i : variant.vectors)
            out += "\n    " + machine_.register_name(vector_, i) + " = " + bytes(noted_.vector[i]);
        if (!variant.vectors.empty() && vector_flags_ != no_index) out += "\n    VFLG = " + bytes(noted_.vector_flags);
        return out;
    }

private:
    // The flags of March are a part of CSR that the emulator keeps apart.
    bool has_scalar_flags() const { return setup_.configuration.revision == model::Revision::may; }
    bool flags_in_status(unsigned number) const {
        return setup_.configuration.revision == model::Revision::march && number == layout_.csr;
    }
    void write_special(unsigned number, std::uint64_t value) {
        if (flags_in_status(number)) {
            machine_.set(scalar_flags_, 0, value & 0x7f);
            value &= ~std::uint64_t{0x7f};
        }
        machine_.set(special_, number, value);
    }
    std::uint64_t read_special(unsigned number) const {
        const std::uint64_t value = machine_.get(special_, number);
        return flags_in_status(number) ? (value & ~std::uint64_t{0x7f}) | machine_.get(scalar_flags_, 0) : value;
    }

    // Jumps to themselves, for each number of an event that has an entry of its own.
    void put_handlers(std::vector<std::uint8_t>& code) const {
        code.resize(code_bytes);
        for (const std::uint64_t handler : {user_handler, supervisor_handler})
            for (std::uint64_t address = handler; address < handler + 0x800; address += 8)
                setup_.codec->store(jump(0).image, 8 * jump_bytes, &code[address]);
    }

    void name_register(Variant& out, const Field& field, std::uint64_t code) const {
        if (field.name.size() != 2 || field.name[0] != 'R') return;
        const OperandType& type = isa_.operand_types[field.type];
        if (field.name == "RB") out.base = static_cast<unsigned>(out.scalars.size());
        if (type.kind == OperandKind::enumeration) {
            out.scalars.push_back(static_cast<unsigned>(code));  // compressed: the first eight
        } else if (type.kind == OperandKind::registers) {
            if (type.registers == scalar_) out.scalars.push_back(static_cast<unsigned>(code));
            if (type.registers == vector_) out.vectors.push_back(static_cast<unsigned>(code));
        }
    }

    void look_at(model::State& state) const {
        for (unsigned i = 0; i < 32; ++i) {
            state.scalar[i] = machine_.get(scalar_, i);
            for (unsigned k = 0; k < vector_bytes_; ++k)
                state.vector[i][k] = static_cast<std::uint8_t>(machine_.get(vector_, i, k));
        }
    }

    std::string bytes(const model::Vector& vector) const {
        std::string out;
        for (unsigned i = vector_bytes_; i-- > 0;) {
            char digits[4];
            std::snprintf(digits, sizeof digits, i % 8 == 0 ? "%02x " : "%02x", vector[i]);
            out += digits;
        }
        return out;
    }

    // Whether `number` is a register of file usage that says enough and not too much.
    bool usage_holds(unsigned number, std::uint64_t got) const {
        if (number < layout_.file_usage || number >= layout_.file_usage + layout_.files) return false;
        const std::uint64_t least = state_.special[number], most = least | state_.usage[number - layout_.file_usage];
        return (least & ~got) == 0 && (got & ~most) == 0;
    }

    std::string file_difference(Index file, const std::array<std::uint64_t, 32>& expected) const {
        const bool special = file == special_;
        for (unsigned i = 0; i < 32; ++i) {
            // PC is a register of its own, and so is VFLG
            if (special && (i == layout_.pc || i == layout_.vector_flags)) continue;
            const std::uint64_t got = special ? read_special(i) : machine_.get(file, i);
            if (got != expected[i])
                return machine_.register_name(file, i) + " is " + hex(got) + ", expected " + hex(expected[i]);
        }
        return {};
    }

    std::string lanes_difference(Index file, unsigned number, const model::Vector& expected) const {
        model::Vector got{};
        for (unsigned i = 0; i < vector_bytes_; ++i) got[i] = static_cast<std::uint8_t>(machine_.get(file, number, i));
        if (got == expected) return {};
        return machine_.register_name(file, number) + " differs\n    got      " + bytes(got) + "\n    expected " +
               bytes(expected);
    }

    std::string memory_difference() {
        const auto data = machine_.memory(0);
        if (std::memcmp(data.data(), state_.memory.data(), memory_bytes) == 0) return {};
        std::uint64_t i = 0;
        while (data[i] == state_.memory[i]) ++i;
        return "memory at " + hex(i) + " is " + hex(data[i]) + ", expected " + hex(state_.memory[i]);
    }

    std::string difference(const Variant& variant, bool look_at_all) {
        if (machine_.pc() != state_.pc) return "pc is " + hex(machine_.pc()) + ", expected " + hex(state_.pc);
        for (unsigned i = layout_.file_usage; i < layout_.file_usage + layout_.files; ++i) {
            const std::uint64_t got = machine_.get(special_, i);
            if (usage_holds(i, got)) state_.special[i] = got;  // both go on from what the emulator says
        }
        std::string out = scalar_difference(variant, look_at_all);
        for (unsigned i = 0; i < 32 && out.empty(); ++i) {
            if (look_at_all || variant.touches_vector(i)) out = lanes_difference(vector_, i, state_.vector[i]);
        }
        const bool flags = look_at_all || !variant.vectors.empty();
        if (out.empty() && flags && vector_flags_ != no_index)
            out = lanes_difference(vector_flags_, 0, state_.vector_flags);
        if (out.empty() && look_at_all) out = memory_difference();
        return out;
    }

    std::string scalar_difference(const Variant& variant, bool look_at_all) const {
        if (has_scalar_flags() && machine_.get(scalar_flags_, 0) != state_.flags)
            return "FR is " + hex(machine_.get(scalar_flags_, 0)) + ", expected " + hex(state_.flags);
        if (read_special(layout_.csr) != state_.special[layout_.csr])
            return "CSR is " + hex(read_special(layout_.csr)) + ", expected " + hex(state_.special[layout_.csr]);
        for (unsigned i : variant.scalars) {
            if (machine_.get(scalar_, i) != state_.scalar[i])
                return machine_.register_name(scalar_, i) + " is " + hex(machine_.get(scalar_, i)) + ", expected " +
                       hex(state_.scalar[i]);
        }
        if (!look_at_all) return {};
        std::string out = file_difference(scalar_, state_.scalar);
        if (out.empty()) out = file_difference(special_, state_.special);
        if (out.empty() && helper_ != no_index) out = file_difference(helper_, state_.helper);
        return out;
    }

    const MachineSetup& setup_;
    const Isa& isa_;
    const model::Layout& layout_;
    Machine machine_;
    model::State state_, witness_, noted_;
    Index scalar_, special_, helper_, vector_, scalar_flags_, vector_flags_, unsaved_;
    unsigned vector_bytes_;
    std::uint64_t steps_ = 0;
};

// How much of it.
struct Amount {
    unsigned modes = 3;      // settings of CSR, for each encoding
    unsigned variants = 10;  // instructions: sizes, masks, registers, immediates
    unsigned rounds = 170;   // operands for each of them; where they are vectors, an eighth of that
};

// How many instructions were compiled, of all that should have been.
struct Compiled {
    std::uint64_t count = 0, all = 0;

    void add(std::uint64_t more, std::uint64_t of) {
        count += more;
        all += of;
    }
};

// Fills the machine and tries one encoding. Returns a report of what differs, or nothing.
class Trial {
public:
    Trial(OperationsBench& bench, std::uint64_t seed) : bench_(bench), random_(seed) {}
    const Compiled& compiled() const { return compiled_; }

    // At the beginning: every register has something in it.
    void fill() {
        bench_.fill_memory(random_);
        fill_registers();
    }
    void fill_registers() {
        fill_special();
        for (unsigned i = 0; i < 32; ++i) {
            bench_.set_scalar(i, random_());
            bench_.set_vector(i, vector_of(64, false));
            if (i < 16) bench_.set_helper(i, random_());  // modes of debug registers and counters stay 0: off
        }
        bench_.set_flags(0, {});
    }

    void fill_special() {
        const model::Layout& layout = bench_.layout();
        for (unsigned i = 0; i < 32; ++i) {
            if (i != layout.pc && i != layout.vector_flags && !layout.quiet(i)) bench_.set_special(i, random_());
        }
        bench_.set_special(layout.user_handler, 0x4000);
        bench_.set_special(layout.supervisor_handler, 0x8000);
    }

    // One encoding: what differs, or nothing.
    std::string run(Index form, const Amount& amount) {
        std::vector<Variant> variants = variants_of(form, amount.variants, 500, can_be_tried);
        if (variants.empty()) return {};
        fill_special();
        bench_.load(variants);
        for (unsigned i = 0; i < amount.modes; ++i) {
            const std::uint64_t status = status_for(variants[0]);
            for (const Variant& variant : variants) {
                std::string report = rounds(variant, status, amount.rounds);
                if (!report.empty()) return report;
            }
        }
        return {};
    }

    // The same where it ends in a fault: more bits than registers have, registers that are not for users. A second
    // fault would be a double one, so the machine is set up for each anew.
    std::string run_faults(Index form, unsigned count) {
        std::vector<Variant> variants = variants_of(form, count, 30, [](const Variant& variant) {
            return variant.operation->malformed() || (variant.operation->group() == model::Group::move ||
                                                      variant.operation->group() == model::Group::block);
        });
        for (Variant& variant : variants) {
            bench_.restart();
            fill();
            std::vector<Variant> one{variant};
            bench_.load(one);
            std::uint64_t status = random_status() & ~(std::uint64_t{1} << bench_.layout().scalar_mask);
            status = variant.operation->malformed() ? status | supervisor_bit() : status & ~supervisor_bit();
            bench_.set_special(bench_.layout().csr, status);
            set_operands(one[0]);
            if (!one[0].operation->malformed() && !one[0].operation->forbidden(bench_.state())) continue;
            bench_.note(one[0]);
            const std::string what = bench_.step(one[0], true);
            if (!what.empty()) return one[0].text + ": " + what + "\n    before: " + bench_.noted(one[0]);
        }
        return {};
    }

    // One encoding in loops, first interpreted and then compiled: what differs, or nothing.
    std::string run_compiled(Index form, const Amount& amount) {
        return run_in_loops(variants_of(form, amount.variants, 500, can_be_tried), amount.rounds);
    }
    // The same of those that end in a fault.
    std::string run_compiled_faults(Index form, const Amount& amount) {
        return run_in_loops(variants_of(form, amount.variants, 30,
                                        [](const Variant& variant) { return variant.operation->malformed(); }),
                            amount.rounds);
    }

    // Moves to PC and CSR.
    std::string run_status(Index form, unsigned count) {
        std::vector<Variant> variants = variants_of(form, count, 100, [](const Variant& variant) {
            const model::Operation& operation = *variant.operation;
            return operation.group() == model::Group::move && operation.writes_status() && !operation.writes_modes() &&
                   !operation.malformed();
        });
        if (variants.empty()) return {};
        fill_special();
        bench_.load(variants);
        for (const Variant& variant : variants) {
            const model::Layout& layout = bench_.layout();
            bench_.set_special(layout.csr, random_status());
            if (variant.operation->forbidden(bench_.state())) bench_.set_special(layout.csr, supervisor_bit());
            // addresses are even, and the watchdog sleeps
            for (unsigned number : variant.scalars) {
                for (unsigned k = 0; k < 8; ++k)
                    bench_.set_scalar((number + k) % 32, random_integer(64, random_) & ~(std::uint64_t{1} << 30 | 1));
            }
            bench_.note(variant);
            const std::string what = bench_.step(variant, true);
            if (!what.empty()) return variant.text + ": " + what + "\n    before: " + bench_.noted(variant);
        }
        return {};
    }

    // A random program of `length` instructions in a loop, run in one go: what instructions do to each other, and the ways
    // of the emulator that single steps do not show. Branches go forwards; no addresses, no traps, nothing that is not
    // exact. The first time the compiler takes notice of it, then it is run anew.
    std::string run_program(unsigned length) {
        bench_.restart();
        std::vector<Variant> program = random_program(length);
        fill_registers();
        bench_.load(program);
        const std::uint64_t before = bench_.compiled(), status = random_status();
        for (unsigned time = 0; time < (bench_.compiles() ? 3 : 1); ++time) {
            prepare_program(status);
            const std::string what = bench_.run(program, 5 * length);
            if (what.empty()) continue;
            std::string out = what + "\n";
            for (const Variant& variant : program) out += "    " + variant.text + ";\n";
            return out;
        }
        compiled_.add(bench_.compiled() - before, program.size());
        return {};
    }

private:
    std::vector<Variant> random_program(unsigned length) {
        const Isa& isa = bench_.isa();
        std::vector<Index> forms;
        std::vector<std::uint64_t> addresses{0};
        while (forms.size() < length) {
            const auto form = static_cast<Index>(random_() % isa.forms.size());
            if (!isa.forms[form].alias && variants_of(form, 1, 20, is_plain).size() == 1) forms.push_back(form);
            if (addresses.size() < forms.size() + 1)
                addresses.push_back(addresses.back() + isa.forms[forms.back()].bits / 8);
        }
        std::vector<Variant> program;
        for (unsigned i = 0; i < length; ++i) {
            const std::uint64_t target = addresses[i + 1 + random_() % std::min<std::uint64_t>(4, length - i)];
            for (bool found = false; !found;) {
                Variant variant = bench_.variant(forms[i], [&](const Field& field) {
                    return field.name == "T" ? (target - addresses[i]) / 2 : code_for(field);
                });
                found = variant.operation && is_plain(variant);
                if (found) program.push_back(std::move(variant));
            }
        }
        program.push_back(bench_.jump(-static_cast<std::int64_t>(addresses.back())));
        return program;
    }
    void prepare_program(std::uint64_t status) {
        const model::Layout& layout = bench_.layout();
        bench_.set_special(layout.csr, (status | supervisor_bit()) & ~(std::uint64_t{1} << layout.traps));
        for (unsigned i = 0; i < 32; ++i) {
            const unsigned bits = 8u << random_() % 4;
            bench_.set_scalar(i, number_of(bits, random_() % 2 != 0));
            bench_.set_vector(i, vector_of(bits, random_() % 2 != 0));
        }
    }

    // Each in a loop: interpreted once, then compiled, under one setting of CSR.
    std::string run_in_loops(const std::vector<Variant>& variants, unsigned count) {
        if (variants.empty()) return {};
        bench_.restart();
        fill_registers();
        bench_.set_special(bench_.layout().user_handler, user_handler);
        bench_.set_special(bench_.layout().supervisor_handler, supervisor_handler);
        std::vector<Variant> loops = bench_.loops(variants);
        bench_.load(loops);
        const std::uint64_t status = status_for(variants[0]);
        bench_.set_special(bench_.layout().csr, status);
        for (unsigned time = 0; time < 2; ++time) {
            for (std::size_t i = 0; i < loops.size(); ++i) {
                if (!OperationsBench::is_body(i)) continue;
                std::string report = rounds(loops[i], status, time == 0 ? 1 : count);
                if (!report.empty()) return (time == 0 ? "interpreted, " : "compiled, ") + report;
            }
            if (time == 0) bench_.set_special(bench_.layout().csr, status);
            if (time == 0) compiled_.add(bench_.compile(loops), loops.size());
        }
        return {};
    }
    // Users may not see everything.
    std::uint64_t status_for(const Variant& variant) {
        const model::Group group = variant.operation->group();
        const bool in_supervisor =
            group == model::Group::move || group == model::Group::block || variant.operation->privileged();
        return random_status() | (in_supervisor ? supervisor_bit() : 0);
    }

    static bool is_plain(const Variant& variant) {
        const model::Operation& operation = *variant.operation;
        const model::Group group = operation.group();
        return can_be_tried(variant) && !operation.nearly() &&
               (group == model::Group::computing || group == model::Group::move ||
                (group == model::Group::flow && !operation.leaves()));
    }

    std::uint64_t supervisor_bit() const { return std::uint64_t{1} << bench_.layout().supervisor; }

    // Random instructions of one encoding, `count` that are wanted; fewer where they are rare, none where the first
    // `patience` are not.
    template <class Wanted>
    std::vector<Variant> variants_of(Index form, unsigned count, unsigned patience, Wanted&& wanted) {
        std::vector<Variant> variants;
        if (bench_.isa().forms[form].fields.empty()) count = 1;
        for (unsigned tries = 0; variants.size() < count && tries < 40 * count; ++tries) {
            if (tries == patience && variants.empty()) break;
            const std::uint64_t land = bench_.isa().forms[form].bits / 8 + OperationsBench::jump_bytes;
            Variant variant = bench_.variant(form, [&](const Field& field) {
                return field.name == "T" && bench_.compiles() ? land / 2 : code_for(field);
            });
            if (variant.operation && wanted(variant)) variants.push_back(std::move(variant));
        }
        return variants;
    }

    static bool can_be_tried(const Variant& variant) {
        const model::Operation& operation = *variant.operation;
        if (operation.malformed() || operation.writes_status() || operation.writes_modes() ||
            operation.widest_stride() > 256)
            return false;
        if (operation.group() != model::Group::memory) return true;
        // RB is set such that the access is inside of memory: the rest of the address must not depend on it.
        return std::count(variant.scalars.begin() + variant.base, variant.scalars.end(),
                          variant.scalars[variant.base]) == 1;
    }

    // Numbers by their edges; registers that are the same every now and then.
    std::uint64_t code_for(const Field& field) {
        const OperandType& type = bench_.isa().operand_types[field.type];
        if (type.kind == OperandKind::number) return random_integer(field.place.width, random_);
        if (type.kind == OperandKind::enumeration) return type.entries[random_() % type.entries.size()].code;
        if (type.kind == OperandKind::registers) {
            if (random_() % 6 != 0) last_register_ = random_();
            return last_register_;
        }
        return random_();
    }

    std::uint64_t random_status() {
        const model::Layout& layout = bench_.layout();
        const std::uint64_t lengths[] = {63, 0, 1, 2, 3, 6, 7, 15, 31, random_() % 64};
        std::uint64_t status = lengths[random_() % 10] << layout.vlen | random_() % 4 << layout.rounding;
        if (random_() % 4 == 0) status |= std::uint64_t{1} << layout.scalar_mask;
        if (random_() % 4 == 0) status |= std::uint64_t{1} << layout.traps;
        if (random_() % 4 != 0) status |= std::uint64_t{1} << layout.supervisor;
        if (bench_.setup().configuration.revision == model::Revision::march) status |= random_() % 128;
        return status;
    }

    model::Vector vector_of(unsigned bits, bool floats) {
        model::Vector out{};
        for (unsigned i = 0; i < 64; i += bits / 8) {
            const std::uint64_t value = number_of(bits, floats);
            std::memcpy(&out[i], &value, bits / 8);
        }
        return out;
    }
    std::uint64_t number_of(unsigned bits, bool floats) {
        if (floats && bits >= 16 && random_() % 16 != 0)
            return soft_float::random_float(soft_float::format_of(bits), random_);
        return random_integer(bits, random_);
    }

    void set_operands(const Variant& variant) {
        const unsigned bits = variant.operation->bits();
        const bool floats = variant.operation->floats();
        std::uint64_t last = 0;
        for (unsigned number : variant.scalars) {
            std::uint64_t value = number_of(bits, floats);
            if (random_() % 8 == 0)
                value = floats && bits >= 16 ? soft_float::near_by(soft_float::format_of(bits), last, random_) : last;
            last = value;
            if (bits < 64 && random_() % 4 != 0) value |= random_() << bits;  // what is above is not looked at
            bench_.set_scalar(number, value);
        }
        for (unsigned number : variant.vectors) bench_.set_vector(number, vector_of(bits, floats));
        set_addresses(variant);
    }

    // Where a scalar is an address, it has to be one.
    void set_addresses(const Variant& variant) {
        const std::vector<unsigned>& scalars = variant.scalars;
        const std::uint64_t place = data_middle + random_() % 1024;
        switch (variant.operation->group()) {
            case model::Group::memory:
                if (variant.operation->strides() && scalars.size() > 1 && scalars.back() != scalars[variant.base])
                    bench_.set_scalar(scalars.back(), random_() % 512 - 256);
                bench_.set_scalar(scalars[variant.base], place - variant.operation->displacement(bench_.state()));
                break;
            case model::Group::gather: {
                model::Vector distances{};
                const unsigned bytes = variant.operation->bits() / 8;
                for (unsigned i = 0; i < 64; i += bytes) {
                    const std::uint64_t distance = random_() % 4096 - 2048;
                    std::memcpy(&distances[i], &distance, bytes);
                }
                bench_.set_vector(variant.vectors.back(), distances);
                bench_.set_scalar(scalars[variant.base], place);
                break;
            }
            case model::Group::block: bench_.set_scalar(scalars[0], place); break;
            case model::Group::atomic: bench_.set_scalar(scalars[variant.base], data_middle + random_() % 4 * 8); break;
            case model::Group::flow:
                for (unsigned number : scalars)
                    bench_.set_scalar(number, bench_.state().scalar[number] & ~std::uint64_t{1});
                break;
            default: break;
        }
    }

    // A mask that takes elements of so many bytes as a whole: what is not quite certain cannot be told from its half.
    static std::uint64_t by_elements(std::uint64_t mask, unsigned bytes) {
        std::uint64_t out = 0;
        for (unsigned i = 0; i < 64; ++i) out |= (mask >> i / bytes * bytes & 1) << i;
        return out;
    }

    std::string rounds(const Variant& variant, std::uint64_t status, unsigned count) {
        const model::Layout& layout = bench_.layout();
        if (!variant.vectors.empty()) count = (count + 7) / 8;  // each has many elements
        for (unsigned i = 0; i < count; ++i) {
            const std::uint64_t masks[] = {0, ~std::uint64_t{0}, random_(), random_() & random_(),
                                           random_() | random_()};
            std::uint64_t mask = masks[random_() % 5];
            if (variant.operation->nearly()) mask = by_elements(mask, variant.operation->bits() / 8);
            bench_.set_special(layout.mask, mask);
            if (bench_.state().special[layout.csr] != status) bench_.set_special(layout.csr, status);
            set_operands(variant);
            if (i == 0) bench_.set_flags(static_cast<std::uint8_t>(random_()), vector_of(8, false));
            bench_.note(variant);
            // what changed unasked stays: looking at everything takes time, and every now and then is often enough
            const bool at_all = i + 1 == count && random_() % 4 == 0;
            const std::string what =
                bench_.compiles() ? bench_.step_in_loop(variant, at_all) : bench_.step(variant, at_all);
            if (!what.empty()) return variant.text + ": " + what + "\n    before: " + bench_.noted(variant);
        }
        return {};
    }

    OperationsBench& bench_;
    std::mt19937_64 random_;
    std::uint64_t last_register_ = 0;
    Compiled compiled_;
};

struct Parameters {
    unsigned wlen, mxvl;
};

// Calls `run(trial, form)` for every encoding on every machine, on two threads, and says what it reports. Of one encoding
// the first report of a machine is all: then both sides go on from what the emulator says.
template <class Machines, class Run>
void for_all_encodings(const Revision& revision, const Machines& machines, std::uint64_t seed, Engine engine,
                       Run&& run) {
    std::mutex mutex;
    std::atomic<unsigned> next = 0;
    std::uint64_t steps = 0;
    Compiled compiled;
    auto work = [&] {
        for (unsigned i = next++; i < std::size(machines); i = next++) {
            MachineSetup setup(revision, machines[i].wlen, machines[i].mxvl);
            OperationsBench bench(setup, engine);
            Trial trial(bench, seed + i);
            trial.fill();
            for (Index form = 0; form < setup.isa->forms.size(); ++form) {
                if (setup.isa->forms[form].alias) continue;
                const std::string report = run(trial, form);
                if (report.empty()) continue;
                const std::lock_guard lock(mutex);
                ADD_FAILURE() << "WLEN " << machines[i].wlen << ", MXVL " << machines[i].mxvl << ": " << report;
                bench.take_over();
            }
            const std::lock_guard lock(mutex);
            steps += bench.steps();
            compiled.add(trial.compiled().count, trial.compiled().all);
        }
    };
    std::thread other(work);
    work();
    other.join();
    ::testing::Test::RecordProperty("instructions", std::to_string(steps));
    if (engine == Engine::interpreter) return;
    std::printf("%llu of %llu instructions were compiled\n", static_cast<unsigned long long>(compiled.count),
                static_cast<unsigned long long>(compiled.all));
    EXPECT_GT(compiled.count, compiled.all / 4 * 3);
}

}  // namespace isaforge::test
