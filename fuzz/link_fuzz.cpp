// A script and any bytes as an object or an archive, linked with an object that is as it should be. What was linked is written
// and read.
#include <fmt/format.h>

#include "assembler/assembled.hpp"
#include "elf.hpp"
#include "isaforge/linker.hpp"
#include "machines.hpp"

using namespace isaforge;

namespace {

constexpr std::size_t most_members = 8;

// The script ends with a NUL.
std::size_t script_size(std::string_view bytes) { return std::min(bytes.find('\0'), bytes.size()); }

void change_script(std::string& script, fuzz::Random& random) {
    static constexpr const char* words[] = {
        "region ",       "rom ",       "ram ",   "0x10 ",    "size ",  "64 ",
        " in ",          "stored ",    "at ",    "\n",       ".text ", ".data ",
        ".bss ",         "* ",         "x = ",   "end(ram)", " + 1 ",  " - start(.text)",
        "stored(.data)", "size(.bss)", "entry ", "4K ",      "//",     "y\n"};
    const std::size_t at = random.below(script.size() + 1);
    if (random.one_in(3)) {
        script.erase(at, random.below(8));
    } else {
        script.insert(at, words[random.below(std::size(words))]);
    }
}

void add_object(std::span<const std::uint8_t> bytes, bool lazy, const Isa& isa, std::vector<LinkInput>& inputs) {
    std::string error;
    std::optional<Object> object = read_elf(bytes, error);
    if (!object || !mismatch(*object, isa).empty()) return;
    complete_object(*object, isa);
    inputs.push_back({fmt::format("{}.o", inputs.size()), std::move(*object), lazy});
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& bytes, fuzz::Random& random, std::uint8_t) {
        const std::size_t end = script_size(bytes);
        std::string script = bytes.substr(0, end), object = bytes.substr(std::min(end + 1, bytes.size()));
        random.one_in(2) ? change_script(script, random) : fuzz::change_elf(object, random);
        bytes = script + '\0' + object;
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Codec& codec = *fuzz::tools(data[0]).codec;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t script_end = script_size(text);
    const std::span<const std::uint8_t> rest(data + std::min(size, script_end + 2), data + size);
    SourceManager sources;
    Diagnostics diagnostics;
    LinkScript script;
    LinkOptions options;
    const FileId file = sources.add("script", std::string(text.substr(0, script_end)));
    if (!read_link_script(file, sources, script, diagnostics)) {
        fuzz::require(!diagnostics.ok());
        diagnostics = Diagnostics();
        script = {};
    }
    if (data[0] & 64) options.script = &script;
    options.drop_unused = data[0] & 32;
    options.relocatable = data[0] & 128;
    std::vector<LinkInput> inputs;
    std::string error;
    if (is_archive(rest)) {
        const auto members = read_archive(rest, error);
        for (std::size_t i = 0; members && i < std::min(members->size(), most_members); ++i)
            add_object((*members)[i].bytes, true, codec.isa(), inputs);
    } else {
        add_object(rest, false, codec.isa(), inputs);
    }
    if (inputs.empty()) return 0;
    inputs.push_back(inputs[0]);
    inputs.back().lazy = data[0] & 16;
    LinkedProgram program;
    if (!link(inputs, codec, options, program, diagnostics)) {
        fuzz::require(!diagnostics.ok());
        return 0;
    }
    map_text(program);
    std::string out;
    if (write_elf(program.object, out, error)) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(out.data());
        const auto back = read_elf(std::span(bytes, out.size()), error);
        fuzz::require(back && back->relocatable == options.relocatable);
    }
    return 0;
}
