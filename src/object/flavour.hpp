// A flavour of object files: what the makers of one machine added to ELF and to the assembler's directives, as far as it
// is no matter of instructions. A description names its flavour with `objects NAME`. The assembler, the disassembler and
// the command ask through these interfaces and know no machine; src/codeobject/ implements them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/object.hpp"

namespace isaforge {

// What a flavour's directives ask of the assembler: to read on in the statement, and to put something into the output.
// The functions that read complain where they find something else, and then return false.
class AssemblerHost {
public:
    virtual ~AssemblerHost() = default;

    // --- reading
    virtual bool at_end() = 0;           // of the statement
    virtual bool accept(char mark) = 0;  // moves past it where it stands here; never complains
    virtual bool read_name(std::string_view& name, Place& where, std::string_view what) = 0;
    virtual bool read_string(std::string& text, Place& where) = 0;
    virtual bool read_integer(std::int64_t& value, Place& where) = 0;  // whose value is known here
    // To the begin of the next statement of this input that is not empty; false where there is none.
    virtual bool next_statement() = 0;
    virtual void skip_statement() = 0;
    // The lines from the next one up to the one that begins with `end`, as they are; false where none does.
    virtual bool read_lines(std::string_view end, std::string& text, Place& where) = 0;

    virtual Diagnostic& error(Place where, std::string message) = 0;

    // From here on the source is written as this dialect has it.
    virtual void use_dialect(std::string_view dialect) = 0;
    // The source is for this variant, which may be a refinement of the one that was asked for.
    virtual void use_variant(std::string_view variant) = 0;

    // --- sections and bytes
    virtual void enter_section(const Section& described) = 0;  // made as described where it does not exist
    virtual void leave_section() = 0;                          // back to the one before
    virtual void align(std::uint64_t alignment) = 0;
    virtual void emit(std::span<const std::uint8_t> bytes) = 0;
    // A datum of `size` bytes for a linker: symbol + addend as the modifier says.
    virtual void emit_reference(std::string_view symbol, unsigned modifier, std::int64_t addend, unsigned size) = 0;

    // --- symbols
    struct SymbolTraits {
        Binding binding = Binding::local;
        SymbolType type = SymbolType::none;
        Visibility visibility = Visibility::usual;
    };
    virtual SymbolTraits traits(std::string_view symbol) = 0;
    virtual void set_traits(std::string_view symbol, const SymbolTraits& traits) = 0;
    // A label here, with a size; false where the name is taken.
    virtual bool define_label(std::string_view symbol, std::uint64_t size, Place where) = 0;
    // A symbol of the flavour's own, which stays out of the object. The program may change it; the flavour is asked to
    // refresh it before it is read or changed.
    virtual void set_value(std::string_view symbol, std::int64_t value) = 0;
    virtual std::int64_t value(std::string_view symbol) = 0;
    // The operands of the instructions that were assembled since the last call.
    using OperandVisitor = std::function<void(const Operand& operand)>;
    virtual void visit_operands(const OperandVisitor& visit) = 0;
};

// What a flavour remembers while one program is assembled.
class AssemblyFlavour {
public:
    virtual ~AssemblyFlavour() = default;
    // Carries out a directive; false where there is none of this name. `where` is the name's place.
    virtual bool directive(std::string_view name, Place where) = 0;
    virtual std::vector<std::string_view> directive_names() const = 0;
    // What a question about the target comes to, by its word; nothing where the name behind it is not known.
    virtual std::optional<bool> condition(std::string_view word, std::string_view name) const = 0;
    virtual void refresh() {}  // the live symbols
    virtual void finish() {}   // at the end of the source
    virtual void complete(Object& object) = 0;
};

// What sources ask about their target: `.if` and the word. Where a name stands behind it `.ifn` and the word ask the opposite.
struct TargetQuestion {
    std::string_view word;
    bool has_name = false;
};

struct TargetAnswer {
    std::optional<bool> holds;
    std::string wrong, suggestion;  // where it does not say: why, and which name may be meant
};

// All there are, whatever the target is, and what one of them comes to. `flavour`: the program's, or null. Defined in
// src/codeobject/questions.cpp.
std::span<const TargetQuestion> target_questions();
TargetAnswer answer_question(const TargetQuestion& question, std::string_view name, const Isa& isa,
                             const AssemblyFlavour* flavour);

// What a flavour knows of one object that is disassembled.
class DisassemblyFlavour {
public:
    virtual ~DisassemblyFlavour() = default;

    virtual std::string head() { return {}; }  // of the source, in whole lines
    virtual std::string tail() { return {}; }
    // Whether head or tail say what is in this section.
    virtual bool says_section(Index) const { return false; }

    // Bytes that are written as directives.
    struct Part {
        Index section = no_index;
        std::uint64_t offset = 0, size = 0;
        std::string text;         // whole lines
        Index symbol = no_index;  // which the text defines
    };
    virtual std::vector<Part> parts() { return {}; }
    // The directive that gives a symbol a type that is none of the usual ones.
    virtual std::string special_type(const Symbol&) { return {}; }
};

// How a number that a linker fills in is stored.
struct LinkedNumber {
    std::uint32_t type = 0;       // ELF's
    std::string_view modifier;    // behind the symbol in the text; may be empty
    unsigned bits = 0;            // of the number
    bool relative = false;        // counts from the number's own place
    bool branch = false;          // an instruction's target: see NumberRule::relative
    bool in_instruction = false;  // may be in one; else it is a datum
};

class ObjectFlavour {
public:
    virtual ~ObjectFlavour() = default;
    virtual std::string_view name() const = 0;

    // The built-in instruction set or variant that an object is for; empty where the object is of another flavour.
    virtual std::string_view isa_of(const Object& object) const = 0;

    // All the texts that may stand behind a symbol, as `@rel32@lo`. Number 0 is the empty one.
    virtual std::span<const std::string_view> modifiers() const = 0;
    // The relocation for a number of so many bits; nothing where there is none.
    virtual std::optional<LinkedNumber> linked(unsigned modifier, unsigned bits, bool in_instruction, bool relative,
                                               bool branch) const = 0;
    virtual std::optional<LinkedNumber> linked(std::uint32_t type) const = 0;

    // What fills the gaps between instructions, a unit long.
    virtual std::uint32_t code_padding() const = 0;

    // `target`: what was asked for on the command line, or empty. Null, with `error` set, where there is no such target.
    virtual std::unique_ptr<AssemblyFlavour> assembly(const Isa& isa, std::string_view target, AssemblerHost& host,
                                                      std::string& error) const = 0;
    virtual std::unique_ptr<DisassemblyFlavour> disassembly(const Codec& codec, const Object& object) const = 0;
};

// All there are, and one by its name or null. Defined in src/codeobject/registry.cpp.
std::span<const ObjectFlavour* const> object_flavours();
const ObjectFlavour* object_flavour(std::string_view name);

// What people call an ELF machine (e_machine); empty where it has no name here. Defined in src/codeobject/machines.cpp.
std::string_view machine_name(std::uint16_t machine);

}  // namespace isaforge
