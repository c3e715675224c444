// Declarations that nothing refers to: most often a name that was renamed in one place only.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

class References {
public:
    explicit References(const Description& description);
    bool contains(std::string_view name) const { return names_.contains(name); }

private:
    void add(const ExpressionPointer& expression);
    void add(const std::vector<semantics::Statement>& block);
    void add(const TypeRef& type);
    void add(const semantics::TypeName& type);
    void add(const std::vector<Cell>& cells);
    void add(const std::vector<WhereSyntax>& names);
    void add(const std::vector<BitFieldSyntax>& fields);
    void add_words(const std::vector<Text>& texts);

    std::unordered_set<std::string_view> names_;  // of the syntax tree
};

void References::add(const ExpressionPointer& expression) {
    if (!expression) return;
    if (!expression->name.empty()) names_.insert(expression->name);
    add(expression->type);
    for (const ExpressionPointer& operand : expression->operands) add(operand);
}

void References::add(const std::vector<semantics::Statement>& block) {
    for (const semantics::Statement& statement : block) {
        for (const ExpressionPointer& target : statement.targets) add(target);
        for (const ExpressionPointer& part : {statement.value, statement.first, statement.last, statement.delay})
            add(part);
        add(statement.body);
        add(statement.otherwise);
    }
}

void References::add(const TypeRef& type) {
    if (!type.name.empty()) names_.insert(type.name);
    add(type.number);
    for (const TypeRef& argument : type.arguments) add(argument);
}

void References::add(const semantics::TypeName& type) {
    if (!type.name.empty()) names_.insert(type.name);
    add(type.width);
    for (const ExpressionPointer& argument : type.arguments) add(argument);
}

void References::add(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
        for (const TypeRef& type : cell.types) add(type);
        for (const ExpressionPointer& bound : {cell.low, cell.high, cell.step}) add(bound);
    }
}

void References::add(const std::vector<WhereSyntax>& names) {
    for (const WhereSyntax& name : names) add(name.value);
}

void References::add(const std::vector<BitFieldSyntax>& fields) {
    for (const BitFieldSyntax& field : fields) {
        add(field.high);
        add(field.low);
    }
}

// Names inside the holes of texts may be constants.
void References::add_words(const std::vector<Text>& texts) {
    for (const Text& text : texts) {
        const std::string_view all = text.text;
        const auto in_word = [&](std::size_t i) {
            return i < all.size() && (std::isalnum(static_cast<unsigned char>(all[i])) || all[i] == '_');
        };
        for (std::size_t begin = 0; begin < all.size(); ++begin) {
            std::size_t end = begin;
            while (in_word(end)) ++end;
            if (end != begin) names_.insert(all.substr(begin, end - begin));
            begin = end;
        }
    }
}

References::References(const Description& description) {
    names_.emplace("pc_bits");  // the machine looks it up by name
    names_.emplace("hwcap");    // as does a process of Linux
    names_.emplace(cycle_count);
    for (const ConstantDeclaration& constant : description.constants) {
        add(constant.value);
        add(constant.facts);
        for (const ExpressionPointer& choice : constant.allowed) add(choice);
    }
    for (const RegistersDeclaration& file : description.registers) {
        add(file.type);
        add(file.lanes);
        add(file.fields);
        for (const EntrySyntax& entry : file.entries) {
            add(entry.value);
            add(entry.fields);
        }
    }
    for (const MemoryDeclaration& memory : description.memories) add(memory.type);
    for (const EnumDeclaration& declaration : description.enums) {
        if (declaration.type) add(*declaration.type);
        for (const EntrySyntax& entry : declaration.entries) add(entry.value);
    }
    for (const OperandDeclaration& operand : description.operands) {
        add(operand.width);
        for (const Name& limit : operand.takes) names_.insert(limit.text);
        for (const OperandRowSyntax& row : operand.rows) {
            add(row.cells);
            add(row.meaning);
            add(row.facts);
            add(row.condition);
            for (const Name& limit : row.takes) names_.insert(limit.text);
            add_words(row.texts);
        }
    }
    for (const FormatDeclaration& format : description.formats) {
        add(format.bar.cells);
        add(format.where);
    }
    for (const auto& function : description.functions) add(function->body);
    add(description.where);
    for (const DeviceDeclaration& device : description.devices) add(device.address);
    for (const ModeDeclaration& mode : description.modes) {
        add(mode.type);
        add(mode.value);
    }
    for (const auto& type : description.types) add(type->meaning);
    for (const EventDeclaration& event : description.events) {
        add(event.condition);
        add(*event.body);
    }
    for (const HazardSyntax& hazard : description.hazards) {
        for (const HazardSideSyntax* side : {&hazard.first, &hazard.second}) {
            names_.insert(side->of.text);
            for (const Name& file : side->files) names_.insert(file.text);
            add(side->condition);
        }
        add(hazard.lasts);
    }
    for (const SurfaceSetting& setting : description.surface) {
        if (setting.key.text == "switch" && setting.values.size() == 2)
            names_.insert(std::string_view(setting.values[1].text).substr(0, setting.values[1].text.find(' ')));
    }
    for (const auto& line : description.floats)
        for (const Name& word : line) names_.insert(word.text);
    for (const InstructionsDeclaration& table : description.instructions) {
        add(table.guard);
        add(table.lane_mask);
        for (const ArrivalSyntax& arrival : table.arrivals) add(arrival.condition);
        for (const EncodingSyntax& encoding : table.encodings) {
            names_.insert(encoding.format.text);
            for (const TypeRef& argument : encoding.arguments) add(argument);
            for (const With& with : encoding.with) add(with.value);
            add(encoding.condition);
            add(encoding.where);
            add_words(encoding.texts);
        }
        for (const auto& names : table.where) add(names);
        for (const InstructionRow& row : table.rows) {
            for (const Value& value : row.values) {
                if (value.type) add(*value.type);
            }
            add_words(row.texts);
            if (row.meaning) add(*row.meaning);
        }
    }
}

}  // namespace

std::vector<Diagnostic> find_unused(const Description& description) {
    const References used(description);
    std::vector<Diagnostic> out;
    const auto say = [&](const std::string& name, Place place, const char* what) {
        out.push_back({Severity::warning, place, fmt::format("{} '{}' is never used", what, name), {}, {}});
    };
    const auto look = [&](const std::string& name, Place place, const char* what) {
        if (!used.contains(name)) say(name, place, what);
    };
    for (const ConstantDeclaration& constant : description.constants)
        look(constant.name.text, constant.name.place,
             constant.parameter ? "parameter"
             : constant.value   ? "constant"
                                : "kind");
    for (const EnumDeclaration& declaration : description.enums)
        look(declaration.name.text, declaration.name.place, "enumeration");
    for (const NumberDeclaration& number : description.numbers) look(number.name.text, number.name.place, "number");
    for (const OperandDeclaration& operand : description.operands)
        look(operand.name.text, operand.name.place, "operand");
    for (const auto& [name, versions] : description.parts)
        if (!description.used_parts.contains(name)) say(name, versions.front().name.place, "part");
    for (const LimitDeclaration& limit : description.limits) look(limit.name.text, limit.name.place, "limit");
    for (const ClassDeclaration& one : description.classes) look(one.name.text, one.name.place, "class");
    for (const FormatDeclaration& format : description.formats) look(format.name.text, format.name.place, "format");
    for (const auto& function : description.functions) look(function->name, function->place, "function");
    for (const auto& type : description.types) look(type->name, type->place, "type");
    for (const RegistersDeclaration& file : description.registers)
        look(file.name.text, file.name.place, file.single ? "register" : "register file");
    for (const MemoryDeclaration& memory : description.memories) {
        if (!memory.holds_code) look(memory.name.text, memory.name.place, "memory");
    }
    for (const WhereSyntax& name : description.where) look(name.name.text, name.name.place, "name");
    for (const ModeDeclaration& mode : description.modes) look(mode.name.text, mode.name.place, "mode");
    std::sort(out.begin(), out.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.place.file, a.place.offset) < std::pair(b.place.file, b.place.offset);
    });
    return out;
}

}  // namespace isaforge::language
