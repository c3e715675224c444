#include <fmt/format.h>

#include <algorithm>

#include "isaforge/linker.hpp"

namespace isaforge {

namespace {

struct Listed {
    std::uint64_t offset = 0;
    std::string_view name;
};

}  // namespace

std::string map_text(const LinkedProgram& program) {
    const Object& object = program.object;
    std::vector<Index> order;
    for (Index i = 0; i < object.sections.size(); ++i) {
        if (object.sections[i].allocated) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](Index i) { return object.sections[i].address; });
    std::vector<std::vector<Listed>> symbols(object.sections.size());
    std::vector<const Symbol*> numbers;
    for (const Symbol& symbol : object.symbols) {
        const bool named =
            !symbol.name.empty() && symbol.type != SymbolType::section && symbol.type != SymbolType::file;
        if (named && symbol.section < symbols.size()) symbols[symbol.section].push_back({symbol.value, symbol.name});
        if (named && symbol.section == absolute_section && symbol.binding != Binding::local) numbers.push_back(&symbol);
    }
    for (auto& list : symbols) std::ranges::stable_sort(list, {}, &Listed::offset);
    const int digits = object.wide ? 16 : 8;
    std::string out = fmt::format("{:<{}}      size  section, part, symbol\n", "address", digits + 2);
    const auto line = [&](std::uint64_t address, std::uint64_t size, unsigned indent, std::string_view text) {
        out += fmt::format("0x{:0{}x}  {:>8x}  {:{}}{}\n", address, digits, size, "", indent, text);
    };
    for (const Index index : order) {
        const Section& section = object.sections[index];
        line(section.address, section.extent(), 0, section.name);
        if (section.load_address != section.address && object.address_bytes == 1)
            out.insert(out.size() - 1, fmt::format(", stored at 0x{:x}", section.load_address));
        auto next = symbols[index].begin();
        const auto list_symbols = [&](std::uint64_t end) {
            for (; next != symbols[index].end() && next->offset < end; ++next) {
                out += fmt::format("0x{:0{}x}            {:8}{}\n", section.address + next->offset, digits, "",
                                   next->name);
            }
        };
        for (const LinkedPart& part : program.parts) {
            if (part.section != index) continue;
            list_symbols(part.offset);
            const std::string from = part.input < program.inputs.size() ? program.inputs[part.input] : "the linker";
            line(section.address + part.offset, part.size, 4,
                 part.name == section.name ? from : fmt::format("{}({})", from, part.name));
            list_symbols(part.offset + part.size);
        }
        list_symbols(~std::uint64_t{0});
    }
    if (!numbers.empty()) out += "\nSymbols with a value of their own:\n";
    for (const Symbol* symbol : numbers) out += fmt::format("0x{:0{}x}  {}\n", symbol->value, digits, symbol->name);
    if (!program.dropped.empty()) out += "\nLeft out, for nothing reaches it:\n";
    for (const LinkedPart& part : program.dropped)
        out += fmt::format("{:{}}  {:>8x}  {}({})\n", "", digits + 2, part.size, program.inputs[part.input], part.name);
    std::string unused;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        if (!program.taken[i]) unused += fmt::format("    {}\n", program.inputs[i]);
    }
    if (!unused.empty()) out += "\nMembers of archives that nobody wanted:\n" + unused;
    return out;
}

}  // namespace isaforge
