// Writes random programs statement by statement, and keeps an account of the cycles in which results fall due; where
// the next statement would collide, it puts `nop` in between. See the header for what the programs guarantee.
#include "random_program.hpp"

#include "wishbone_gpu.hpp"

#include <array>
#include <bitset>
#include <sstream>

namespace wishbone_reference {

namespace {

constexpr unsigned longest_latency = 10;
constexpr uint32_t stack_top = random_program_memory - 4;
// Loads and stores of the program stay below this, out of the way of the stack.
constexpr uint32_t scratch_words = 512;

// Cycles after its own in which an instruction's register result lands; nothing if it writes no register.
std::optional<unsigned> latency_of(uint32_t word) {
    uint32_t opcode = word >> 27;
    switch (opcode) {
        case 1: return (word >> 5 & 1) == 1 ? std::optional<unsigned>(0) : std::nullopt;
        case 4:
        case 5: return 2;
        case 6: return longest_latency;
        case 0:
        case 15:
        case 18:
        case 20:
        case 21:
        case 22:
        case 23:
        case 24:
        case 25: return std::nullopt;
        default: return 0;
    }
}

bool touches_memory_or_control(uint32_t word) {
    uint32_t opcode = word >> 27;
    return (opcode >= 18 && opcode <= 24);
}

class Writer {
public:
    Writer(std::mt19937_64& random, size_t length) : random_(random), length_(length) {}

    std::string program() {
        load_registers();
        for (size_t i = 0; i < length_; ++i) add_something();
        settle();
        statement("stop_core;");
        statement("nop;");
        for (size_t i = 0; i < subroutines_; ++i) add_subroutine(i);
        return text_;
    }

private:
    uint64_t below(uint64_t limit) { return random_() % limit; }
    std::string any_register() { return "r" + std::to_string(below(32)); }

    // Appends a statement, after as many `nop` as its result needs to find a free cycle. A jump fails to encode here,
    // its label being unknown, and counts as what it is: a word without a register result.
    void statement(const std::string& text) {
        uint32_t word = encode(text, 0, {{"label", 0}}).value_or(0);
        auto latency = latency_of(word);
        while (latency && due_[*latency]) raw("nop;");
        if (latency) due_.set(*latency);
        raw(text);
    }

    void raw(const std::string& text) {
        text_ += text + '\n';
        due_ >>= 1;
    }

    void settle() {
        while (due_.any()) raw("nop;");
    }

    void load_constant(uint32_t value, const std::string& target) {
        statement("ploadu_l " + std::to_string(value) + ";");
        statement("loadu_h " + std::to_string(value) + ", " + target + ";");
    }

    void load_registers() {
        static constexpr std::array<uint32_t, 12> edges = {0x00000000, 0x80000000, 0x00000001, 0x807fffff,
                                                           0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                                           0x7f800001, 0xffc12345, 0x4b7fffff, 0x437fffff};
        for (int i = 0; i < 32; ++i) {
            uint32_t value = static_cast<uint32_t>(random_());
            if (below(4) == 0)
                value = edges[below(edges.size())];
            else if (below(2) == 0)
                value = (value & 0x80ffffff) | static_cast<uint32_t>(0x3e + below(8)) << 24;
            load_constant(value, "r" + std::to_string(i));
        }
    }

    std::string arithmetic() {
        static const std::vector<std::string> names = {"label"};
        for (;;) {
            std::string text = random_statement(random_, names);
            auto word = encode(text, 0, {{"label", 0}});
            if (word && !touches_memory_or_control(*word)) return text;
        }
    }

    void add_something() {
        switch (below(16)) {
            case 0: return add_memory_access();
            case 1: return add_jump();
            case 2: return add_call();
            default: return statement(arithmetic());
        }
    }

    void add_memory_access() {
        static constexpr std::array<const char*, 11> relative = {"d_load R;",  "i_load R;",  "load_d R;",  "load_i R;",
                                                                 "pop R;",     "d_store R;", "i_store R;", "store_d R;",
                                                                 "store_i R;", "push R;",    "store_i pi;"};
        std::string pointer = any_register();
        settle();   // so that no older result overwrites the pointer
        load_constant(4 * static_cast<uint32_t>(16 + below(scratch_words - 32)), pointer);
        if (below(3) == 0) {
            statement(below(2) == 0 ? "load " + pointer + ", " + any_register() + ";"
                                    : "store " + any_register() + ", " + pointer + ";");
        } else {
            statement("store_addr " + pointer + ";");
        }
        for (uint64_t count = below(8); count > 0; --count) {
            std::string text = relative[below(relative.size())];
            size_t place = text.find('R');
            if (place != std::string::npos) text.replace(place, 1, any_register());
            statement((below(4) == 0 ? "[cr" + std::to_string(below(8)) + "] " : "") + text);
        }
        if (below(2) == 0) statement("load_addr " + any_register() + ";");
    }

    // Timing after a label depends on the way control came, so nothing may be in flight there.
    void add_jump() {
        std::string label = "label_" + std::to_string(labels_++);
        std::string condition = below(4) == 0 ? "" : (below(2) == 0 ? "[cr" : "[!cr") + std::to_string(below(8)) + "] ";
        settle();
        statement(condition + "jump " + label + ";");
        statement(arithmetic());
        settle();
        for (uint64_t count = below(6); count > 0; --count) statement(arithmetic());
        settle();
        text_ += label + ":\n";
        for (unsigned i = 0; i < longest_latency; ++i) raw("nop;");  // for what the delay slot has in flight
    }

    // The delay slot runs again after the return. The subroutine must leave the address register alone.
    void add_call() {
        settle();
        load_constant(stack_top, "r31");
        statement("store_addr r31;");
        statement("rcall subroutine_" + std::to_string(subroutines_++) + ";");
        statement(arithmetic());
        settle();
    }

    void add_subroutine(size_t number) {
        text_ += "subroutine_" + std::to_string(number) + ":\n";
        for (unsigned i = 0; i < longest_latency; ++i) raw("nop;");  // for what the delay slot has in flight
        for (uint64_t count = below(6); count > 0; --count) statement(arithmetic());
        settle();
        statement("ret;");
        statement("nop;");
    }

    std::mt19937_64& random_;
    size_t length_;
    std::string text_;
    std::bitset<longest_latency + 1> due_;      // bit n: a result lands n cycles after the next statement's own
    size_t labels_ = 0;
    size_t subroutines_ = 0;
};

}  // namespace

std::string random_program(std::mt19937_64& random, size_t length) { return Writer(random, length).program(); }

std::optional<std::vector<uint32_t>> assemble(std::string_view source) {
    Labels labels;
    std::vector<std::string> statements;
    std::istringstream lines{std::string(source)};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        if (line.back() == ':')
            labels[line.substr(0, line.size() - 1)] = static_cast<uint32_t>(statements.size());
        else
            statements.push_back(line);
    }
    std::vector<uint32_t> words;
    for (const std::string& text : statements) {
        auto word = encode(text, static_cast<uint32_t>(words.size()), labels);
        if (!word) return std::nullopt;
        words.push_back(*word);
    }
    return words;
}

}  // namespace wishbone_reference
