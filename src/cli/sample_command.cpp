// `isaforge sample`: random statements of an instruction set, for tests.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "disassembler/statement_reader.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::optional<std::uint64_t> count;  // without it ten, or all codes
    std::uint64_t seed = 1;
    std::string mnemonic, output = "-";
    bool each = false, codes = false, words = false, other_texts = false, check = false;
};

constexpr std::uint64_t some = 10;  // statements, where nobody says how many

bool is_asked_for(const Instruction& instruction, const std::string& pattern) {
    return pattern.empty() || std::ranges::any_of(instruction.names, [&](const std::string& name) {
               return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
           });
}

std::vector<Index> instructions_asked_for(const Isa& isa, const std::string& pattern) {
    std::vector<Index> found;
    for (Index i = 0; i < isa.instructions.size(); ++i) {
        if (!isa.instructions[i].forms.empty() && is_asked_for(isa.instructions[i], pattern)) found.push_back(i);
    }
    return found;
}

// Writes statements one after the other, as if they were one program; with --check only those that are not read back.
class Writer {
public:
    Writer(const Options& options, const Codec& codec, Output& output)
        : options_(options),
          codec_(codec),
          output_(output),
          sampler_(codec, options.seed, options.other_texts ? SampledText::other : SampledText::printed),
          reader_(codec) {}

    void run(const std::vector<Index>& instructions) {
        const std::uint64_t count = options_.count.value_or(some);
        if (options_.codes) {
            all_codes(codes_of(instructions));
        } else if (options_.each) {
            for (const Index instruction : instructions) {
                for (const Index form : codec_.isa().instructions[instruction].forms) {
                    for (std::uint64_t i = 0; i < count && !failed_; ++i) one(form);
                }
            }
        } else {
            for (std::uint64_t i = 0; i < count && !failed_; ++i) one(sampler_.choose(instructions));
        }
        output_.write(buffer_);
    }
    // How many statements there will be; 0: that depends.
    static std::uint64_t expected(const Options& options) {
        return options.codes || options.each ? 0 : options.count.value_or(some);
    }
    std::uint64_t written() const { return written_; }
    std::uint64_t lost() const { return lost_; }

private:
    // A code of an operand, in one of its forms.
    struct Code {
        Index form = no_index, field = no_index;
        std::uint32_t code = 0;
    };

    // All codes of all operands, in one form of each kind: those of a kind have the same format and the same operands.
    std::vector<Code> codes_of(const std::vector<Index>& instructions) const {
        constexpr unsigned widest = 12;  // of what has a table; wider ones are numbers
        const Isa& isa = codec_.isa();
        std::set<std::vector<Index>> seen;
        std::vector<Code> found;
        for (const Index instruction : instructions) {
            for (const Index index : isa.instructions[instruction].forms) {
                const Form& form = isa.forms[index];
                std::vector<Index> kind{form.format};
                for (const Field& field : form.fields) kind.push_back(field.fixed ? no_index : field.type);
                if (!seen.insert(kind).second) continue;
                for (Index i = 0; i < form.fields.size(); ++i) {
                    const Field& field = form.fields[i];
                    if (field.fixed || field.place.width > widest) continue;
                    for (std::uint32_t code = 0; code < 1u << field.place.width; ++code)
                        found.push_back({index, i, code});
                }
            }
        }
        return found;
    }

    // Those that a statement has: all of them, or as many as are asked for, any.
    void all_codes(std::vector<Code> codes) {
        std::mt19937_64 random(options_.seed);
        const std::uint64_t most = options_.count.value_or(codes.size());
        for (std::size_t i = 0; i < codes.size() && written_ < most && !failed_; ++i) {
            if (options_.count) std::swap(codes[i], codes[i + random() % (codes.size() - i)]);
            const Code& next = codes[i];
            if (sampler_.statement_with(next.form, next.field, next.code, address(), sampled_)) put();
        }
    }

    std::uint64_t address() const { return bits_before_ / codec_.isa().address_bits; }

    void one(Index form) {
        if (sampler_.statement(form, address(), sampled_)) put();
    }

    void put() {
        const Isa& isa = codec_.isa();
        const std::uint64_t address = this->address();
        bits_before_ += sampled_.bits;
        progress_.at(++written_);
        if (options_.check) {
            if (is_read(address)) return;
            ++lost_;
        }
        if (options_.words) add_bytes();
        buffer_ += sampled_.view();
        buffer_ += isa.surface.statement_end;
        buffer_ += '\n';
        constexpr std::size_t enough = std::size_t{1} << 16;
        if (buffer_.size() < enough) return;
        failed_ = !output_.write(buffer_);  // more would be in vain
        buffer_.clear();
    }

    // What is printed has to come back as the same bits. Another text may mean a shorter form with the same effect, so
    // it is enough that it is read.
    bool is_read(std::uint64_t address) {
        return options_.other_texts
                   ? reader_.reads(sampled_.text, sampled_.end, address)
                   : reader_.reads_back(sampled_.image, sampled_.bits, sampled_.text, sampled_.end, address);
    }

    void add_bytes() {
        std::uint8_t bytes[max_instruction_bits / 8];
        codec_.store(sampled_.image, sampled_.bits, bytes);
        fmt::format_to(std::back_inserter(buffer_), "{:02x}\t", fmt::join(bytes, bytes + sampled_.bits / 8, ""));
    }

    const Options& options_;
    const Codec& codec_;
    Output& output_;
    Sampler sampler_;
    disassembler::StatementReader reader_;
    Sampled sampled_;
    Progress progress_{"sample", "statements", expected(options_)};
    std::string buffer_;
    std::uint64_t bits_before_ = 0, written_ = 0, lost_ = 0;
    bool failed_ = false;
};

int sample(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    if (!isa) return session.report();
    const std::vector<Index> instructions = instructions_asked_for(*isa, options.mnemonic);
    if (instructions.empty()) {
        complain(options.mnemonic.empty()
                     ? fmt::format("{} has no instructions", isa->variant)
                     : fmt::format("{} has no instruction whose name is like '{}'", isa->variant, options.mnemonic));
        return input_error;
    }
    const auto& codec = make_for_good<Codec>(isa);
    if (!outputs_are_apart({options.output}, session.sources)) return usage_error;
    Output output;
    if (!output.open(options.output)) return input_error;
    std::uint64_t lost = 0, written = 0;
    {
        Writer writer(options, codec, output);
        writer.run(instructions);
        lost = writer.lost();
        written = writer.written();
    }
    if (!output.commit()) return input_error;
    if (!options.check) return success;
    tell(fmt::format("{}: {} of {} statements are not read back\n", isa->variant, lost, written));
    return lost == 0 ? success : input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    options->isa.only_dialect = true;  // what another tool is asked, it should be able to read
    add_isa_positional(app, options->isa);
    app.add_option("-n,--count", options->count,
                   "How many statements, ten by default; with --each, how many of every form; with --codes, so many\n"
                   "of them, any, and all by default")
        ->type_name("N")
        ->in_range(0, any_number);
    app.add_flag("--each", options->each, "Go through all forms of all instructions, in order, instead of any");
    app.add_flag("--codes", options->codes,
                 "All codes of each operand of up to 12 bits instead, in one form of each kind");
    app.add_option("--seed", options->seed, "The same seed gives the same statements")
        ->type_name("S")
        ->capture_default_str()
        ->in_range(0, any_number);
    app.add_option("--mnemonic", options->mnemonic, "Only instructions of which a name is like this, as in a shell")
        ->type_name("PATTERN")
        ->completes(Completes::mnemonic);
    app.add_flag(
        "--other-texts", options->other_texts,
        "Any text that is read: second texts, aliases, other orders; not just those that are printed. What is\n"
        "another dialect's is left out");
    app.add_flag("--words", options->words, "The bytes before each statement, and a tab");
    app.add_flag("--check", options->check, "Print only what is not read back, and how many there are");
    app.add_option("-o,--output", options->output, "Where the statements go; - is standard output")
        ->type_name("OUT")
        ->capture_default_str();
    return [options] { return sample(*options); };
}

constexpr Command command{
    about_descriptions, "sample", "Random statements of an instruction set, for tests",
    "Forms, rows of operands and edges of numbers are all as likely as each other, so that what is\n"
    "rare in programs is not rare here. One after the other the statements are a program.\n\n"
    "Examples:\n"
    "  isaforge sample wishbone-gpu -n 1000\n"
    "  isaforge sample machine.isa --mnemonic 'add*' --words\n"
    "  isaforge sample machine.isa --each --other-texts --check\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
