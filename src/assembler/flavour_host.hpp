// The assembler as the flavour of its objects sees it.
#pragma once

#include "assembler/engine.hpp"

namespace isaforge::assembler {

class FlavourHost final : public AssemblerHost {
public:
    explicit FlavourHost(Engine& engine) : engine_(engine) {}

    // The rest of the statement that is read, while a directive is carried out.
    const char* cursor = nullptr;

    bool at_end() override;
    bool accept(char mark) override;
    bool read_name(std::string_view& name, Place& where, std::string_view what) override;
    bool read_string(std::string& text, Place& where) override;
    bool read_integer(std::int64_t& value, Place& where) override;
    bool next_statement() override;
    void skip_statement() override;
    bool read_lines(std::string_view end, std::string& text, Place& where) override;
    Diagnostic& error(Place where, std::string message) override;
    void use_dialect(std::string_view dialect) override { engine_.use_dialect(dialect); }
    void use_variant(std::string_view variant) override { engine_.use_variant(variant); }

    void enter_section(const Section& described) override;
    void leave_section() override;
    void align(std::uint64_t alignment) override;
    void emit(std::span<const std::uint8_t> bytes) override;
    void emit_reference(std::string_view symbol, unsigned modifier, std::int64_t addend, unsigned size) override;

    SymbolTraits traits(std::string_view symbol) override;
    void set_traits(std::string_view symbol, const SymbolTraits& traits) override;
    bool define_label(std::string_view symbol, std::uint64_t size, Place where) override;
    void set_value(std::string_view symbol, std::int64_t value) override;
    std::int64_t value(std::string_view symbol) override;
    void visit_operands(const OperandVisitor& visit) override;

private:
    // How far visit_operands came in each section.
    struct Visited {
        Index fragment = 0;
        std::uint64_t offset = 0;
    };
    SymbolEntry& entry(std::string_view symbol);
    void visit_bytes(Index section, std::uint64_t begin, std::uint64_t end, const OperandVisitor& visit) const;

    Engine& engine_;
    std::vector<std::pair<Index, Index>> outer_;  // sections that were left: current and previous
    std::vector<Visited> visited_;
    bool refreshing_ = false;
    friend class Engine;
};

}  // namespace isaforge::assembler
