// Packed models: those that come with the library are what their descriptions say, member by member, and damaged ones are
// found out.
#include "isa/packed.hpp"

#include <gtest/gtest.h>

#include "codec/decode_tree.hpp"
#include "codec/mnemonics.hpp"
#include "disassembler/prove.hpp"
#include "isa/same.hpp"
#include "language/builtin.hpp"
#include "support/splitmix.hpp"

namespace isaforge {
namespace {

struct Loaded {
    Loaded() = default;
    Loaded(const std::string& name, const LoadOptions& options) { isa = load_isa(name, sources, diagnostics, options); }

    SourceManager sources;
    Diagnostics diagnostics;
    std::shared_ptr<const Isa> isa;
};

Loaded& from_text(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Loaded>> known;
    std::unique_ptr<Loaded>& loaded = known[name];
    if (!loaded) {
        LoadOptions options;
        options.from_text = true;
        loaded = std::make_unique<Loaded>(name, options);
    }
    return *loaded;
}

std::vector<std::string> builtin_names() {
    std::vector<std::string> out;
    for (const auto& [name, title] : builtin_isas()) out.push_back(name);
    return out;
}

const PackedModels& builtin_models() {
    static const PackedModels models(language::packed_descriptions());
    return models;
}

std::string text_of(const std::vector<Diagnostic>& diagnostics, const SourceManager& sources) {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += to_text(diagnostic, sources);
    return out;
}

class Builtin : public testing::TestWithParam<std::string> {};

TEST_P(Builtin, IsWhatItsDescriptionSays) {
    const PackedModels::Model* const model = builtin_models().find(GetParam(), {}, {});
    ASSERT_NE(model, nullptr);
    Isa unpacked;
    ASSERT_TRUE(builtin_models().unpack(*model, 1, true, unpacked));
    const Isa& described = *from_text(GetParam()).isa;
    ASSERT_TRUE(unpacked.mnemonics);
    EXPECT_TRUE(same(*unpacked.mnemonics, codec::index_mnemonics(described)));
    unpacked.mnemonics.reset();
    ASSERT_EQ(unpacked.decoding.size(), 1u);
    EXPECT_TRUE(same(std::as_const(unpacked).decoding[0], codec::decode_tree(described)));
    unpacked.decoding = {};
    ASSERT_EQ(unpacked.read_back.size(), 1u);
    EXPECT_TRUE(same(std::as_const(unpacked).read_back[0], disassembler::prove(from_text(GetParam()).isa)));
    unpacked.read_back = {};
    EXPECT_TRUE(same(unpacked, described));
}

TEST_P(Builtin, SharesWhatItsDescriptionShares) {
    const Isa& read = *from_text(GetParam()).isa;
    const Loaded packed(GetParam(), {});
    ASSERT_TRUE(packed.isa);
    std::map<const void*, const void*> other;
    for (std::size_t i = 0; i < read.forms.size(); ++i) {
        EXPECT_EQ(other.try_emplace(read.forms[i].fields.data(), packed.isa->forms[i].fields.data()).first->second,
                  packed.isa->forms[i].fields.data());
        EXPECT_EQ(other.try_emplace(read.forms[i].texts.data(), packed.isa->forms[i].texts.data()).first->second,
                  packed.isa->forms[i].texts.data());
    }
}

TEST_P(Builtin, HasNoMeaningsOfInstructionsWhereNobodyAsksForThem) {
    LoadOptions options;
    options.meanings = false;
    const Loaded packed(GetParam(), options);
    ASSERT_TRUE(packed.isa);
    Isa read = *from_text(GetParam()).isa;
    const Meaning nothing = std::make_shared<const semantics::Expression>();
    const auto say_nothing = [&](std::vector<Naming>& names) {
        for (Naming& each : names) each.value = nothing;
    };
    say_nothing(read.names_in_meanings);
    for (Mode& mode : read.modes) mode.value = nothing;
    for (EventHandler& handler : read.events) {
        if (handler.condition) handler.condition = nothing;
        handler.body = std::make_shared<const std::vector<semantics::Statement>>();
    }
    for (auto& type : read.types) type = std::make_shared<const semantics::TypeAlias>();
    read.functions = {};
    read.classes.clear();
    read.hazards.clear();
    read.durations.clear();
    read.held.clear();
    for (Form& form : read.forms) {
        form.classes = 0;
        form.names_in_meaning = {};
    }
    for (Instruction& instruction : read.instructions) {
        instruction.meaning = nullptr;
        instruction.names_in_meaning = {};
        if (instruction.guard) instruction.guard = nothing;
        if (instruction.lane_mask) instruction.lane_mask = nothing;
        std::vector<Arrival> arrivals = instruction.arrivals.list();
        for (Arrival& arrival : arrivals)
            if (arrival.condition) arrival.condition = nothing;
        instruction.arrivals = arrivals;
    }
    read.mnemonics = packed.isa->mnemonics;
    read.decoding = packed.isa->decoding;
    read.read_back = packed.isa->read_back;
    EXPECT_TRUE(same(read, *packed.isa));
}

TEST_P(Builtin, HasPlacesInItsText) {
    const Loaded& read = from_text(GetParam());
    Loaded packed;
    packed.sources.add("something.s", "that was there before\n");
    packed.isa = load_isa(GetParam(), packed.sources, packed.diagnostics, {});
    ASSERT_TRUE(packed.isa);
    const FileId later = packed.sources.add("later.s", "and something behind it\n");
    EXPECT_EQ(packed.sources.size(), read.sources.size() + 2);
    const auto described = [](const Isa& isa, const SourceManager& sources) {
        std::string out;
        for (std::size_t i = 0; i < isa.forms.size(); i += 10) {
            Diagnostic diagnostic;
            diagnostic.place = isa.forms[i].where;
            diagnostic.message = "a form";
            diagnostic.note(isa.instructions[isa.forms[i].instruction].where, "its instruction");
            out += to_text(diagnostic, sources);
        }
        return out;
    };
    EXPECT_EQ(described(*packed.isa, packed.sources), described(*read.isa, read.sources));
    EXPECT_EQ(packed.sources.text(later), "and something behind it\n");
    EXPECT_EQ(packed.sources.name(1), "something.s");
}

TEST_P(Builtin, KnowsWhatIsNotUsed) {
    const Loaded& read = from_text(GetParam());
    const Loaded packed(GetParam(), {});
    ASSERT_TRUE(packed.isa);
    EXPECT_EQ(text_of(packed.isa->find_unused(), packed.sources), text_of(read.isa->find_unused(), read.sources));
}

std::string printable_name(const testing::TestParamInfo<std::string>& info) {
    std::string out = info.param;
    std::replace_if(
        out.begin(), out.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return out;
}
INSTANTIATE_TEST_SUITE_P(All, Builtin, testing::ValuesIn(builtin_names()), printable_name);

TEST(Packed, IsChosenByNameVariantAndDialect) {
    const auto variant_of = [](const char* name, const char* variant, const char* dialect) {
        const PackedModels::Model* const model = builtin_models().find(name, variant, dialect);
        return model ? std::string(model->variant) + " " + std::string(model->dialect) : "none";
    };
    EXPECT_EQ(variant_of("gcn1.2", "", ""), "gcn1.2 llvm");
    EXPECT_EQ(variant_of("gcn1.2", "gcn1.2", "llvm"), "gcn1.2 llvm");
    EXPECT_EQ(variant_of("gcn", "", ""), "gcn1.0 llvm");
    EXPECT_EQ(variant_of("gcn", "gcn1.4", ""), "gcn1.4 llvm");
    EXPECT_EQ(variant_of("gcn1.2", "gcn1.4", ""), "none");
    EXPECT_EQ(variant_of("gcn1.2", "", "clrx"), "none");
    EXPECT_EQ(variant_of("wishbone", "", ""), "none");
}

TEST(Packed, OtherDialectsAndParametersAreReadFromText) {
    LoadOptions options;
    options.dialect = "clrx";
    const Loaded dialect("gcn1.2", options);
    ASSERT_TRUE(dialect.isa);
    EXPECT_EQ(dialect.isa->dialect, "clrx");
    options.dialect.clear();
    options.only_dialect = true;
    const Loaded alone("gcn1.2", options);
    ASSERT_TRUE(alone.isa);
    EXPECT_FALSE(same(*alone.isa, *from_text("gcn1.2").isa));
    LoadOptions wide;
    wide.parameters["WLEN"] = 64;
    const Loaded other("fabrisc-2022-05-15", wide);
    ASSERT_TRUE(other.isa) << to_text(other.diagnostics, other.sources);
    EXPECT_EQ(other.isa->constants.at("WLEN"), 64u);
}

// What is cut off or changed is refused, or is some model: nothing else happens.
TEST(Packed, DamagedBytesDoNoHarm) {
    Packer packer;
    const Loaded& read = from_text("wishbone-gpu");
    packer.add(*read.isa, static_cast<FileId>(read.sources.size()));
    const std::string whole = packer.bytes();
    const auto unpacks = [](const std::string& bytes) {
        const PackedModels models(bytes);
        const PackedModels::Model* const model = models.find("wishbone-gpu", {}, {});
        Isa isa;
        return model && models.unpack_whole(*model, 1, isa);
    };
    ASSERT_TRUE(unpacks(whole));
    for (std::size_t size = 0; size < whole.size(); size += 7) EXPECT_FALSE(unpacks(whole.substr(0, size))) << size;
    SplitMix64 random(1);
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string changed = whole;
        for (std::uint64_t k = random.below(4) + 1; k != 0; --k)
            changed[random.below(changed.size())] = static_cast<char>(random.next());
        refused += unpacks(changed) ? 0 : 1;
    }
    EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace isaforge
