// What lowering makes of every form of the instruction sets that have a meaning: graphs that verify, and still do when the passes
// have been over them.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/passes/passes.hpp"
#include "ir/text.hpp"
#include "ir/verify.hpp"
#include "isaforge/sample.hpp"
#include "semantics/lower.hpp"

namespace isaforge {
namespace {

constexpr unsigned samples = 6;

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

class Graphs : public testing::TestWithParam<const char*> {
protected:
    Graphs() : isa_(load_isa(GetParam(), sources_, diagnostics_)), codec_(std::make_shared<const Codec>(isa_)) {}

    // The graph of what was sampled, under modes as they are at reset.
    semantics::LowerResult lowered(const Sampled& sampled, std::uint64_t address) {
        const Form& form = isa_->forms[sampled.form];
        std::vector<std::uint64_t> codes;
        codec_->fields(sampled.form, sampled.image, codes);
        std::vector<semantics::Binding> bindings;
        for (std::size_t i = 0; i < codes.size(); ++i)
            bindings.push_back(
                semantics::bind(*codec_, form.fields.list()[i].type, codes[i], sampled.image, form.bits));
        const std::vector<std::uint64_t> modes(isa_->modes.size());
        semantics::LowerInput input{
            .isa = isa_.get(), .instruction = &isa_->instruction_of(form), .fields = &form.fields.list()};
        input.bindings = &bindings;
        input.address = address;
        input.next_address = address + sampled.bits / isa_->address_bits;
        input.names = &form.names_in_meaning;
        input.modes = &modes;
        return semantics::lower(input, diagnostics_);
    }

    SourceManager sources_;
    Diagnostics diagnostics_;
    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
};

TEST_P(Graphs, VerifyBeforeAndAfterEveryPass) {
    ASSERT_NE(isa_, nullptr);
    Sampler sampler(*codec_, 1);
    Sampled sampled;
    std::size_t seen = 0;
    for (Index form = 0; form < isa_->forms.size(); ++form) {
        if (!isa_->instruction_of(isa_->forms[form]).meaning) continue;
        for (unsigned i = 0; i < samples && sampler.statement(form, 0x1000, sampled); ++i) {
            semantics::LowerResult result = lowered(sampled, 0x1000);
            if (!result.ok) continue;
            ++seen;
            ir::Graph& graph = result.graph;
            ASSERT_EQ(joined(ir::verify(graph, *isa_)), "") << sampled.view() << "\n" << to_text(graph, *isa_);
            for (const auto pass : {ir::fold, ir::share, ir::forward_registers, ir::forward_masked,
                                    ir::drop_dead_writes, ir::drop_unused}) {
                pass(graph);
                ASSERT_EQ(joined(ir::verify(graph, *isa_)), "") << sampled.view() << "\n" << to_text(graph, *isa_);
            }
            std::string error;
            const auto read = ir::parse(to_text(graph, *isa_), *isa_, error);
            ASSERT_TRUE(read) << error << "\n" << to_text(graph, *isa_);
            const auto again = ir::parse(to_text(*read, *isa_), *isa_, error);
            EXPECT_TRUE(again && to_text(*again, *isa_) == to_text(*read, *isa_)) << to_text(graph, *isa_);
        }
    }
    const auto aliases = std::ranges::count_if(isa_->forms, &Form::alias);
    EXPECT_GT(seen, samples * (isa_->forms.size() - static_cast<std::size_t>(aliases)) / 2);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Graphs,
                         testing::Values("fabrisc-2022-03-18", "fabrisc-2022-05-02", "fabrisc-2022-05-15",
                                         "wishbone-gpu", "mos6502", "msp430", "rv64gc", "rv32gc", "bpf"));

}  // namespace
}  // namespace isaforge
