// What is kept of descriptions that were read: it is used where nothing has changed, and otherwise does no harm.
#include "language/cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "isa/same.hpp"
#include "support/splitmix.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
    CacheTest() {
        std::string name = (fs::temp_directory_path() / "isaforge-cache-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        fs::copy(fs::path(ISAFORGE_SOURCE_DIR) / "isas", folder_ / "isas", fs::copy_options::recursive);
    }
    ~CacheTest() override { fs::remove_all(folder_); }

    std::string described() const { return (folder_ / "isas/fabrisc/2022-05-15.isa").string(); }
    std::string large() const { return (folder_ / "isas/gcn/gcn.isa").string(); }
    fs::path kept() const { return folder_ / "made/kept"; }

    struct Result {
        std::shared_ptr<const Isa> isa;
        SourceManager sources;
        Diagnostics diagnostics;
        std::string text() const { return to_text(diagnostics, sources); }
    };
    std::unique_ptr<Result> load(const std::string& name, const std::string& dialect = {}) const {
        auto out = std::make_unique<Result>();
        LoadOptions options;
        options.dialect = dialect;
        options.cache = kept().string();
        out->isa = load_isa(name, out->sources, out->diagnostics, options);
        return out;
    }
    // From its text, with a file before it.
    static std::unique_ptr<Result> load_behind(const std::string& name, const std::string& dialect) {
        auto out = std::make_unique<Result>();
        out->sources.add("other.s", "");
        LoadOptions options;
        options.dialect = dialect;
        out->isa = load_isa(name, out->sources, out->diagnostics, options);
        return out;
    }
    // Whether what was kept is used: then the text is there as it was read, and with all that is expected behind it.
    bool is_taken(const std::string& name, const std::string& dialect = {}) const {
        const auto plain = load_behind(name, dialect), other = load(name, dialect);
        EXPECT_TRUE(plain->isa) << plain->text();
        EXPECT_TRUE(other->isa) << other->text();
        if (!plain->isa || !other->isa) return false;
        const bool taken = other->sources.size() == plain->sources.size();
        Isa as_read = *other->isa;
        as_read.mnemonics.reset();
        as_read.decoding = {};
        EXPECT_EQ(same(as_read, *plain->isa), taken);  // places are counted from one file later
        EXPECT_EQ(places(*other), places(*plain));
        EXPECT_EQ(other->isa->find_unused().size(), plain->isa->find_unused().size());
        return taken;
    }
    static std::string places(const Result& from) {
        Diagnostics all;
        for (std::size_t i = 0; i < from.isa->forms.size(); i += 50)
            all.error(from.isa->forms[i].where, from.isa->instruction_of(from.isa->forms[i]).names.at(0));
        return to_text(all, from.sources);
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> out;
        if (fs::exists(kept()))
            for (const auto& each : fs::directory_iterator(kept())) out.push_back(each.path());
        return out;
    }
    static std::string read(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

    fs::path folder_;
};

TEST_F(CacheTest, TakesWhatWasKept) {
    EXPECT_FALSE(is_taken(described()));
    ASSERT_EQ(entries().size(), 1u);
    EXPECT_TRUE(is_taken(described()));
    EXPECT_EQ(entries().size(), 1u);
    struct stat status {};
    ASSERT_EQ(::stat(kept().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(CacheTest, TellsOptionsApart) {
    EXPECT_FALSE(is_taken(large(), "llvm"));
    EXPECT_FALSE(is_taken(large(), "clrx"));
    EXPECT_EQ(entries().size(), 2u);
    EXPECT_TRUE(is_taken(large(), "llvm"));
    EXPECT_EQ(load(large(), "clrx")->isa->dialect, "clrx");
    EXPECT_EQ(load(large(), "llvm")->isa->dialect, "llvm");
}

TEST_F(CacheTest, SeesChangesOfTheTextAndOfWhatItIncludes) {
    EXPECT_FALSE(is_taken(described()));
    EXPECT_TRUE(is_taken(described()));
    for (const char* const name : {"2022-05-15.isa", "common.isa", "meanings.isa"}) {
        const fs::path path = folder_ / "isas/fabrisc" / name;
        const std::string text = read(path);
        write(path, text + "// changed\n");
        EXPECT_FALSE(is_taken(described())) << name;
        EXPECT_TRUE(is_taken(described())) << name;
        write(path, text + "nonsense\n");
        EXPECT_FALSE(load(described())->isa) << name;
        write(path, text);
    }
    // Files of the same names elsewhere are others.
    fs::copy(folder_ / "isas", folder_ / "other", fs::copy_options::recursive);
    EXPECT_FALSE(is_taken((folder_ / "other/fabrisc/2022-05-15.isa").string()));
}

TEST_F(CacheTest, WhatIsDamagedIsReadAnew) {
    EXPECT_FALSE(is_taken(described()));
    ASSERT_EQ(entries().size(), 1u);
    const fs::path entry = entries()[0];
    const std::string whole = read(entry);
    SplitMix64 random(1);
    for (int i = 0; i < 40; ++i) {
        std::string damaged = whole;
        if (i % 2 == 0) {
            damaged.resize(random.below(whole.size()));
        } else {
            char& changed = damaged[random.below(whole.size())];
            changed = static_cast<char>(changed ^ (1 + random.below(255)));
        }
        write(entry, damaged);
        EXPECT_FALSE(is_taken(described())) << i;
        EXPECT_EQ(read(entry), whole) << i;
    }
    EXPECT_TRUE(is_taken(described()));
}

TEST_F(CacheTest, IsNotUsedWhereOthersMayWrite) {
    EXPECT_FALSE(is_taken(described()));
    fs::permissions(kept(), fs::perms::all);
    EXPECT_FALSE(is_taken(described()));
    fs::permissions(kept(), fs::perms::owner_all);
    EXPECT_TRUE(is_taken(described()));
    fs::permissions(kept(), fs::perms::all);
    fs::remove(entries().at(0));
    EXPECT_FALSE(is_taken(described()));
    EXPECT_TRUE(entries().empty());
}

TEST_F(CacheTest, IsNoErrorWhereItCannotBe) {
    write(folder_ / "made", "a file where a folder would be\n");
    EXPECT_FALSE(is_taken(described()));
    EXPECT_FALSE(is_taken(described()));
    EXPECT_EQ(read(folder_ / "made"), "a file where a folder would be\n");
}

TEST_F(CacheTest, SmallOnesAreNotKept) {
    EXPECT_FALSE(is_taken((folder_ / "isas/wishbone-gpu.isa").string()));
    EXPECT_TRUE(entries().empty());
}

TEST_F(CacheTest, SeveralWritersDoNotSpoilIt) {
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            bool good = true;
            for (int turn = 0; turn < 3; ++turn) {
                const auto loaded = load(described());
                good = good && loaded->isa && loaded->diagnostics.all().empty();
                if (turn == 1) {
                    for (const fs::path& each : entries()) {
                        std::error_code gone;
                        fs::remove(each, gone);
                    }
                }
            }
            ::_exit(good ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_TRUE(load(described())->isa);
    EXPECT_TRUE(is_taken(described()));
    EXPECT_EQ(entries().size(), 1u);
}

TEST_F(CacheTest, TheOldestGoes) {
    fs::create_directories(kept().parent_path());
    ASSERT_EQ(::mkdir(kept().c_str(), 0700), 0);
    for (std::size_t i = 0; i < language::most_entries_kept; ++i) {
        const fs::path path = kept() / (std::to_string(i) + ".tables");
        write(path, "old");
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(i + 1));
    }
    write(kept() / "README", "somebody's own\n");
    EXPECT_FALSE(is_taken(described()));
    EXPECT_EQ(entries().size(), language::most_entries_kept + 1);
    EXPECT_FALSE(fs::exists(kept() / (std::to_string(language::most_entries_kept - 1) + ".tables")));
    EXPECT_TRUE(fs::exists(kept() / "README"));
    EXPECT_TRUE(is_taken(described()));
}

}  // namespace
}  // namespace isaforge
