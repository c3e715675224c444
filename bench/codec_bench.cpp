// Speed of the codec and the machine by themselves: no files, no start-up, one core. The instructions are those of the
// description in turn, with the bits that their opcodes leave free at random but the same every time.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "isaforge/assembler.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/machine.hpp"

namespace {

using namespace isaforge;

constexpr std::size_t instruction_count = 1 << 14;
constexpr const char* measured_isa = "wishbone-gpu";

std::shared_ptr<const Isa> load() {
    SourceManager sources;
    Diagnostics diagnostics;
    std::shared_ptr<const Isa> isa = load_isa(measured_isa, sources, diagnostics);
    if (isa) return isa;
    std::fputs(to_text(diagnostics, sources).c_str(), stderr);
    std::exit(1);
}

const Codec& codec() {
    static const Codec the_codec(load());
    return the_codec;
}

struct Instruction {
    Image image;
    Index form = no_index;
    unsigned bits = 0;
    std::string text;
};

const std::vector<Instruction>& instructions() {
    static const std::vector<Instruction> list = [] {
        std::vector<Instruction> out;
        std::mt19937_64 random(1);
        char text[Codec::max_text];
        const Rows<Form>& forms = codec().isa().forms;
        while (out.size() < instruction_count) {
            const Form& form = forms[random() % forms.size()];
            Instruction one;
            for (std::size_t word = 0; word * 64 < form.bits; ++word) {
                const std::uint64_t used = form.bits - word * 64 >= 64 ? ~0ULL : (1ULL << (form.bits - word * 64)) - 1;
                one.image.words[word] =
                    ((random() & ~form.mask.words[word]) | (form.value.words[word] & form.mask.words[word])) & used;
            }
            one.form = codec().decode(one.image, form.bits, one.bits);
            if (one.form == no_index) continue;  // an operand's bits that are reserved
            one.text.assign(text, codec().print(text, one.form, one.image, one.bits, 0));
            out.push_back(std::move(one));
        }
        return out;
    }();
    return list;
}

// The operands above are numbers only, which the assembler's expressions would read; this is the least that does.
class PlainNumbers : public ExpressionReader {
public:
    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        const std::string text(cursor, end);
        char *integer_end = nullptr, *floating_end = nullptr;
        const long long integer = std::strtoll(text.c_str(), &integer_end, 0);
        const double floating = std::strtod(text.c_str(), &floating_end);
        if (floating_end == text.c_str()) return false;
        value = {};
        if (floating_end > integer_end) {
            value.kind = NumberValue::Kind::floating;
            value.floating = floating;
            cursor += floating_end - text.c_str();
        } else {
            value.integer = static_cast<std::uint64_t>(integer);
            value.negative = integer < 0;
            cursor += integer_end - text.c_str();
        }
        return true;
    }
};

void count_items(benchmark::State& state, std::size_t per_iteration) {
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * per_iteration));
}

void load_description(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(load());
}

void build_codec(benchmark::State& state) {
    const std::shared_ptr<const Isa> isa = load();
    for (auto _ : state) benchmark::DoNotOptimize(Codec(isa));
}

void encode(benchmark::State& state) {
    PlainNumbers numbers;
    for (auto _ : state) {
        for (const Instruction& one : instructions()) {
            const char* cursor = one.text.data();
            Encoded encoded;
            ReadFailure failure;
            if (!codec().assemble(cursor, cursor + one.text.size(), 0, numbers, encoded, failure)) {
                state.SkipWithError((one.text + ": " + failure.message).c_str());
                return;
            }
            benchmark::DoNotOptimize(encoded);
        }
    }
    count_items(state, instruction_count);
}

void decode(benchmark::State& state) {
    for (auto _ : state) {
        for (const Instruction& one : instructions()) {
            unsigned bits = 0;
            benchmark::DoNotOptimize(codec().decode(one.image, one.bits, bits));
        }
    }
    count_items(state, instruction_count);
}

void decode_and_print(benchmark::State& state) {
    char text[Codec::max_text];
    for (auto _ : state) {
        for (const Instruction& one : instructions()) {
            unsigned bits = 0;
            const Index form = codec().decode(one.image, one.bits, bits);
            benchmark::DoNotOptimize(codec().print(text, form, one.image, bits, 0));
        }
    }
    count_items(state, instruction_count);
}

BENCHMARK(load_description);
BENCHMARK(build_codec);
BENCHMARK(encode);
BENCHMARK(decode);
BENCHMARK(decode_and_print);

}  // namespace

BENCHMARK_MAIN();
