// What stands at a place.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isaforge/expected.hpp"
#include "lsp/features.hpp"
#include "lsp/reader.hpp"
#include "render/bitfield.hpp"
#include "semantics/tree.hpp"

namespace isaforge::lsp {

namespace {

constexpr std::size_t most_bytes_shown = 32;

std::string number_text(const ProgramReader::Result& value) {
    if (value.floating) return fmt::format("{}", value.number);
    if (value.negative) return fmt::format("{} = {:#x}", static_cast<std::int64_t>(value.integer), value.integer);
    return fmt::format("{0} = {0:#x} = {0:#b}", value.integer);
}

std::string name_text(const Asked& asked, const Program& program, const ProgramName& name) {
    std::string out = fmt::format("`{}`: ", name.name);
    switch (name.kind) {
        case ProgramName::Kind::undefined: out += "a symbol that is not defined here"; break;
        case ProgramName::Kind::label:
            out += fmt::format("{:#x}", name.value);
            if (name.section < program.object.sections.size())
                out += fmt::format(" in {}", program.object.sections[name.section].name);
            break;
        case ProgramName::Kind::number: {
            ProgramReader::Result value{name.floating, name.negative, name.value, std::bit_cast<double>(name.value)};
            out += number_text(value);
            break;
        }
        case ProgramName::Kind::expression: out += "an expression"; break;
        case ProgramName::Kind::common: out += fmt::format("{} bytes, common", name.value); break;
        case ProgramName::Kind::macro: out = fmt::format("`{} {}`: a macro", name.name, name.text); break;
        case ProgramName::Kind::definition: out += fmt::format("stands for `{}`", name.text); break;
    }
    out += "\n\n";
    if (!name.where.known()) return out;
    const Place where = program.sources.origin(name.where);
    const std::string_view line = program.sources.line_text(where);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) out += fenced(line.substr(first), "isaforge-asm");
    if (program.sources.name(where.file) != asked.document.path)
        out += fmt::format("{}:{}\n", program.sources.name(where.file), program.sources.line_column(where).line);
    return out;
}

Json answer(std::string text, const Text& document, Span span) {
    if (text.empty()) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}},
            {"range", to_json(document.range_of(span))}};
}

// What was assembled of the statement that a place stands in; null where nothing was.
const ListingEntry* entry_at(const Asked& asked, std::uint32_t offset) {
    const Program& program = *asked.document.program;
    const std::uint32_t then = asked.document.then(offset);
    const auto& entries = program.listing.entries;
    const auto behind =
        std::upper_bound(entries.begin(), entries.end(), then,
                         [](std::uint32_t at, const ListingEntry& one) { return at < one.statement.offset; });
    if (behind == entries.begin()) return nullptr;
    const ListingEntry& entry = *std::prev(behind);
    return then <= entry.statement.offset + entry.statement.length ? &entry : nullptr;
}

std::string bytes_text(const Program& program, const ListingEntry& entry) {
    if (entry.section >= program.object.sections.size()) return {};
    const auto& bytes = program.object.sections[entry.section].bytes;
    std::string out;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(entry.size, most_bytes_shown); ++i)
        if (entry.offset + i < bytes.size()) out += fmt::format("{:02x}", bytes[entry.offset + i]);
    return entry.size > most_bytes_shown ? out + "…" : out;
}

// The instruction that the statement is, as it stands there now.
std::string instruction_at(const Asked& asked, const Machine& machine, const StatementAt& at) {
    const Text& text = asked.text();
    ProgramReader reader(*machine.codec, asked.document.program.get());
    const std::string statement = std::string(text.view({at.begin, at.end})) + "\n";
    const char* cursor = statement.data();
    Encoded encoded;
    Index form = no_index;
    if (machine.codec->try_assemble(cursor, statement.data() + statement.size() - 1, 0, reader.reader(), encoded))
        form = encoded.form;
    std::string out;
    if (form != no_index) {
        out = instruction_text(machine, machine.isa->forms[form].instruction, form);
        if (const ListingEntry* const entry = entry_at(asked, at.head->span.begin))
            out += fmt::format("at {:#x}: `{}`\n",
                               entry->offset / std::max(1u, asked.document.program->object.address_bytes),
                               bytes_text(*asked.document.program, *entry));
        return out;
    }
    const std::string_view word = text.view(at.head->span);
    const Expected named = expected_behind(*machine.codec, text.view({at.begin, at.head->span.begin}), word, 0,
                                           reader.reader(), most_completions);
    Index instruction = no_index;
    for (const Continuation& one : named.continuations)
        if (one.kind == Continuation::Kind::mnemonic && (one.text.size() == word.size() || instruction == no_index))
            instruction = one.instruction;
    return instruction == no_index ? std::string() : instruction_text(machine, instruction, no_index);
}

std::string operand_at(const Asked& asked, const Machine& machine, const StatementAt& at, Span word) {
    ProgramReader reader(*machine.codec, nullptr);
    const Text& text = asked.text();
    std::uint32_t begin = word.begin;
    // A register's name may begin with a mark, and stand in brackets.
    if (begin > at.begin && std::string_view("$%@#").find(text.str()[begin - 1]) != std::string_view::npos) --begin;
    std::string out;
    for (unsigned tries = 0; tries < 3 && out.empty(); ++tries) {
        const Expected expected =
            expected_behind(*machine.codec, text.view({at.begin, begin}), "", 0, reader.reader(), 0);
        for (const ExpectedOperand& operand : expected.operands) {
            if (operand.field == no_index) continue;
            const Field& field = machine.isa->forms[operand.form].fields[operand.field];
            out += fmt::format("**{}** ", field.name) + operand_text(machine, operand.type);
            break;
        }
        const std::size_t bracket = text.view({at.begin, begin}).rfind('[');
        if (bracket == std::string_view::npos) break;
        begin = word_at(text, at.begin + static_cast<std::uint32_t>(bracket)).begin;
    }
    return out;
}

Json program_hover(Asked& asked) {
    const Machine* const machine = asked.machine();
    if (!machine) return nullptr;
    const Text& text = asked.text();
    const StatementAt at = statement_at(Scanner(*machine->codec, asked.document.program.get()), text, asked.offset);
    if (at.in_comment) return nullptr;
    const Program& program = *asked.document.program;
    const Span word = word_at(text, asked.offset);
    if (word.size() == 0) return nullptr;
    const std::string_view written = text.view(word);
    Index name = no_index;
    const std::uint32_t then = asked.document.then(word.begin);
    if (const Mention* const mention = program.mention_at(program.main, then);
        mention && mention->place.offset <= then && program.names.names[mention->name].name.ends_with(written))
        name = mention->name;
    const bool is_head = at.head && at.head->span.has(asked.offset);
    if (name == no_index && !(is_head && at.head->kind == Lexeme::Kind::mnemonic)) name = program.find(written);
    if (name != no_index) return answer(name_text(asked, program, program.names.names[name]), text, word);
    if (is_head && at.head->kind == Lexeme::Kind::directive) {
        const ListingEntry* const entry = entry_at(asked, at.head->span.begin);
        return answer(entry ? fmt::format("`{}`: {} bytes at {:#x}: `{}`", written, entry->size, entry->offset,
                                          bytes_text(program, *entry))
                            : std::string(),
                      text, word);
    }
    if (is_head) {
        const Index macro = program.find(written);
        if (macro != no_index && program.names.names[macro].kind == ProgramName::Kind::macro)
            return answer(name_text(asked, program, program.names.names[macro]), text, word);
        return answer(instruction_at(asked, *machine, at), text, at.head->span);
    }
    std::string out;
    ProgramReader reader(*machine->codec, &program);
    if (written[0] >= '0' && written[0] <= '9')
        if (const auto value = reader.evaluate(written)) out = number_text(*value) + "\n\n";
    if (at.head && at.head->kind == Lexeme::Kind::mnemonic) out += operand_at(asked, *machine, at, word);
    return answer(out, text, word);
}

Json description_hover(Asked& asked) {
    const auto& description = asked.document.description;
    if (!description) return nullptr;
    const Text& text = asked.text();
    const Span word = word_at(text, asked.offset);
    const DescribedNames::Use* const use = description->names.at(description->main, asked.document.then(word.begin));
    if (!use) return nullptr;
    const DescribedName& name = description->names.names[use->name];
    if (name.name != text.view(word)) return nullptr;
    std::string out = fmt::format("**{}**: {}\n\n", name.name, kind_text(name.kind));
    const Place place{name.file, name.span.begin, name.span.size()};
    const std::string_view line = description->sources.line_text(place);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) out += fenced(line.substr(first), "isa");
    const Machine* const machine = description->machine.get();
    if (!machine || !machine->isa) return answer(out, text, word);
    const Isa& isa = *machine->isa;
    // Of operands and instructions it stands with what else is told of them.
    const auto tell = [&](const auto& list) {
        const auto own = std::ranges::find_if(list, [&](const auto& one) { return one.name == name.name; });
        if (own != list.end()) out += prose_text(isa, description->sources, own->where);
    };
    switch (name.kind) {
        case DescribedName::Kind::registers: tell(isa.register_files); break;
        case DescribedName::Kind::memory: tell(isa.memories); break;
        case DescribedName::Kind::mode: tell(isa.modes); break;
        case DescribedName::Kind::format: tell(isa.formats); break;
        case DescribedName::Kind::function:
            if (const auto* const function = isa.functions.find(name.name))
                out += prose_text(isa, description->sources, function->place);
            break;
        default: break;
    }
    const auto type = std::find_if(isa.operand_types.begin(), isa.operand_types.end(),
                                   [&](const OperandType& one) { return one.name == name.name; });
    if (type != isa.operand_types.end() && name.kind != DescribedName::Kind::field)
        out += operand_text(*machine, static_cast<Index>(type - isa.operand_types.begin()));
    if (name.kind == DescribedName::Kind::format) {
        const auto form = std::find_if(isa.forms.begin(), isa.forms.end(), [&](const Form& one) {
            return one.format != no_index && isa.formats[one.format].name == name.name;
        });
        if (form != isa.forms.end())
            out += fenced(
                render::bitfield_picture(isa, *form, render::Charset::unicode, isa.instruction_of(*form).names.front()),
                "text");
        if (description->has_space) {
            for (const SpaceFormat& one : description->space.formats)
                if (one.format != no_index && isa.formats[one.format].name == name.name)
                    out += fmt::format("{} instructions, {:.2f} % of the opcode space\n", one.instructions,
                                       100 * one.used.fraction());
        }
    }
    if (name.kind == DescribedName::Kind::instruction) {
        for (Index i = 0; i < isa.instructions.size(); ++i) {
            const auto& names = isa.instructions[i].names;
            if (std::find(names.begin(), names.end(), name.name) == names.end()) continue;
            out += instruction_text(*machine, i, no_index);
            break;
        }
    }
    return answer(out, text, word);
}

}  // namespace

Json hover(Asked& asked) { return asked.document.is_description ? description_hover(asked) : program_hover(asked); }

}  // namespace isaforge::lsp
