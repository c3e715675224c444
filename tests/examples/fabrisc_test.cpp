// The programs of examples/fabrisc by three witnesses: the model, the interpreter and compiled code come to the same output,
// registers and memory after the same number of instructions. What takes several harts, events or transactions is beyond the
// model: of those programs both engines do the same, and tests/fabrisc/programs.py knows what they have to print.
#include <gtest/gtest.h>

#include <unordered_map>

#include "isaforge/assembler.hpp"
#include "isaforge/machine.hpp"
#include "reference/fabrisc_model.hpp"

namespace isaforge {
namespace {

namespace model = fabrisc_reference;

constexpr std::uint64_t memory_bytes = 16 << 20, most_instructions = 3'000'000;

struct Sample {
    const char* name;
    std::vector<std::pair<std::string, std::string>> defines;
    std::string input;
    bool has_model = true;
    unsigned harts = 1;
};

[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.name; }

const Sample samples[] = {
    {"collatz", {{"LAST", "300"}}, ""},
    {"collatz-author", {}, ""},
    {"sort", {{"COUNT", "300"}}, ""},
    {"matrix", {{"N", "12"}}, ""},
    {"mandelbrot", {{"WIDTH", "32"}, {"HEIGHT", "10"}, {"WRITE", "1"}}, ""},
    {"sha256", {}, "The quick brown fox jumps over the lazy dog, and the message has more than one block."},
    {"utf8",
     {},
     "Gr\xc3\xbc\xc3\x9f"
     "e \xe4\xb8\x96\xe7\x95\x8c\xc3x"},
    {"allocator", {}, "a 0 100 a 1 50 f 0 l a 2 20 f 1 l"},
    {"interpreter", {}, "++++[>+++<-]>.,+.!H"},
    {"hello", {}, ""},
    {"lock", {{"ROUNDS", "50"}}, "", false, 4},
    {"queue", {{"ITEMS", "50"}}, "", false, 4},
    {"transactions", {{"ROUNDS", "50"}}, "", false, 4},
    {"events", {}, "", false},
};

class Texts : public Streams {
public:
    explicit Texts(std::string input) : input_(std::move(input)) {}
    std::size_t read(std::span<std::uint8_t> bytes) override {
        const std::size_t count = std::min(bytes.size(), input_.size() - at_);
        std::copy_n(input_.begin() + static_cast<std::ptrdiff_t>(at_), count, bytes.begin());
        at_ += count;
        return count;
    }
    bool ready() override { return true; }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        if (file == 1) output.append(bytes.begin(), bytes.end());
    }

    std::string output;

private:
    std::string input_;
    std::size_t at_ = 0;
};

// The description, the program, and how it is loaded.
class Program {
public:
    Program(const Sample& sample, unsigned wlen) : sample_(sample), wlen_(wlen) {
        LoadOptions load;
        load.parameters = {{"WLEN", wlen}};
        const auto isa = load_isa("fabrisc-2022-05-15", sources_, diagnostics_, load);
        EXPECT_TRUE(isa) << to_text(diagnostics_, sources_);
        codec_ = std::make_shared<const Codec>(isa);
        std::string error;
        const auto file =
            sources_.load(ISAFORGE_SOURCE_DIR "/examples/fabrisc/" + std::string(sample.name) + ".s", error);
        EXPECT_TRUE(file) << error;
        AssembleOptions options;
        options.defines = sample.defines;
        EXPECT_TRUE(assemble(*codec_, *file, sources_, options, object_, diagnostics_))
            << to_text(diagnostics_, sources_);
        place_sections(object_);
        EXPECT_TRUE(apply_relocations(object_, *codec_, diagnostics_)) << to_text(diagnostics_, sources_);
    }

    std::unique_ptr<Machine> machine(Engine engine, const std::shared_ptr<Texts>& texts) const {
        MachineOptions options;
        options.memory_bytes = memory_bytes;
        options.harts = sample_.harts;
        options.engine = engine;
        options.streams = texts;
        auto made = std::make_unique<Machine>(codec_, options);
        for (const Section& section : object_.sections) {
            if (!section.allocated || section.extent() == 0) continue;
            EXPECT_TRUE(section.no_bits || made->load_data(0, section.address, section.bytes));
            const Permissions permissions{true, section.writable, section.executable};
            EXPECT_EQ(made->protect(section.address, section.extent(), permissions, section.name), "");
        }
        made->start(object_.entry);
        made->reset();
        return made;
    }
    unsigned wlen() const { return wlen_; }

private:
    Sample sample_;
    unsigned wlen_;
    SourceManager sources_;
    Diagnostics diagnostics_;
    std::shared_ptr<const Codec> codec_;
    Object object_;
};

// The program by the model, beginning in the state of a machine; that of the machine's host is done here.
class ModelRun {
public:
    ModelRun(Machine& machine, unsigned wlen, Texts& texts)
        : machine_(machine), texts_(texts), configuration_{model::Revision::may_last, wlen, 512} {
        state.memory.assign(machine.memory(0).begin(), machine.memory(0).end());
        state.pc = machine.pc();
        for (unsigned i = 0; i < 32; ++i) {
            state.scalar[i] = machine.get(file("SGPR"), i);
            state.special[i] = machine.get(file("SPR"), i);
        }
    }

    // Empty where it came to its end.
    std::string run() {
        while (!ended && count < most_instructions) {
            const Known& known = instruction_at(state.pc);
            ++count;
            if (known.is_call) {
                call(known.number);
                state.pc += known.bytes;
            } else if (known.operation) {
                known.operation->run(state);
            } else {
                return "the model does not know " + known.name;
            }
        }
        return ended ? "" : "no end";
    }

    Index file(const std::string& name) const {
        for (Index i = 0; i < machine_.isa().register_files.size(); ++i)
            if (machine_.isa().register_files[i].name == name) return i;
        return no_index;
    }

    model::State state;
    std::uint64_t count = 0;
    bool ended = false;
    int status = 0;

private:
    struct Known {
        std::optional<model::Operation> operation;
        std::string name;
        unsigned bytes = 0;
        bool is_call = false;
        std::uint64_t number = 0;
    };

    const Known& instruction_at(std::uint64_t address) {
        const auto [place, added] = known_.try_emplace(address);
        if (!added) return place->second;
        Known& made = place->second;
        Index form_index = no_index;
        Image image;
        unsigned bits = 0;
        if (!machine_.decode(address, form_index, image, bits)) return made;
        const Form& form = machine_.isa().forms[form_index];
        model::Instruction instruction;
        instruction.name = made.name = machine_.isa().instruction_of(form).names[0];
        instruction.bytes = made.bytes = bits / 8;
        for (const Field& field : form.fields)
            instruction.fields[field.name] = {field.fixed ? form.fixed_value(field) : field.place.extract(image),
                                              field.place.width};
        made.is_call = made.name == "SYSCL";
        if (made.is_call) made.number = instruction.fields["IMM"].code;
        made.operation = model::Operation::of(configuration_, instruction);
        return made;
    }

    // docs/machine.md: 0 exit, 1 read, 2 write, 4 how much memory there is.
    void call(std::uint64_t number) {
        std::uint64_t* const given = state.scalar.data();
        std::uint64_t result = ~std::uint64_t{0};
        switch (number) {
            case 0:
                ended = true;
                status = static_cast<int>(given[0]);
                result = 0;
                break;
            case 1: result = texts_.read({&state.memory[given[1]], given[2]}); break;
            case 2:
                texts_.write(static_cast<unsigned>(given[0]), {&state.memory[given[1]], given[2]});
                result = given[2];
                break;
            case 4: result = memory_bytes; break;
            default: break;
        }
        given[0] = result & low_bits(configuration_.wlen);
    }

    Machine& machine_;
    Texts& texts_;
    model::Configuration configuration_;
    std::unordered_map<std::uint64_t, Known> known_;
};

class FabriscExample : public testing::TestWithParam<Sample> {
protected:
    // What both engines come to.
    static void expect_equal(Machine& one, Machine& other) {
        for (unsigned hart = 0; hart < one.harts(); ++hart)
            EXPECT_EQ(register_dump(one.hart(hart)), register_dump(other.hart(hart))) << "hart " << hart;
        const auto first = one.memory(0), second = other.memory(0);
        EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
    }
    static void expect_equal(Machine& machine, const ModelRun& run) {
        const std::uint64_t file_usage = 15;
        for (unsigned i = 0; i < 32; ++i) {
            EXPECT_EQ(machine.get(run.file("SGPR"), i), run.state.scalar[i]) << "scalar " << i;
            const bool is_kept_elsewhere = i == 5 || (i >= file_usage && i < file_usage + 4);  // PC; who used what
            if (!is_kept_elsewhere) {
                EXPECT_EQ(machine.get(run.file("SPR"), i), run.state.special[i]) << "special " << i;
            }
            for (unsigned k = 0; k < 64; ++k)
                EXPECT_EQ(machine.get(run.file("VGPR"), i, k), run.state.vector[i][k]) << "vector " << i << ", " << k;
        }
        const auto memory = machine.memory(0);
        EXPECT_TRUE(std::equal(memory.begin(), memory.end(), run.state.memory.begin()));
    }
};

TEST_P(FabriscExample, IsTheSameByAllWitnesses) {
    for (const unsigned wlen : {32u, 64u}) {
        const Program program(GetParam(), wlen);
        const auto plain_texts = std::make_shared<Texts>(GetParam().input),
                   compiled_texts = std::make_shared<Texts>(GetParam().input);
        const auto plain = program.machine(Engine::interpreter, plain_texts),
                   compiled = program.machine(Engine::compiler, compiled_texts);
        const auto before = program.machine(Engine::interpreter, plain_texts);
        const RunResult result = plain->run(most_instructions), again = compiled->run(most_instructions);
        ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(again.reason, StopReason::stopped) << again.message;
        EXPECT_EQ(again.instructions, result.instructions);
        EXPECT_EQ(again.exit_status, result.exit_status);
        EXPECT_EQ(compiled_texts->output, plain_texts->output);
        expect_equal(*compiled, *plain);
        EXPECT_EQ(compiled->engine_figures().problem, "");
        if (result.instructions > 1000) {
            EXPECT_GT(compiled->engine_figures().instructions, 0u);
        }
        if (!GetParam().has_model) continue;
        Texts texts(GetParam().input);
        ModelRun run(*before, wlen, texts);
        ASSERT_EQ(run.run(), "");
        EXPECT_EQ(run.count, result.instructions);
        EXPECT_EQ(run.status, result.exit_status);
        EXPECT_EQ(texts.output, plain_texts->output);
        expect_equal(*plain, run);
    }
}

INSTANTIATE_TEST_SUITE_P(Fabrisc, FabriscExample, testing::ValuesIn(samples), [](const auto& one) {
    std::string name = one.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace isaforge
