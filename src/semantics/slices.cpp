#include "semantics/slices.hpp"

#include <algorithm>

#include "semantics/tree.hpp"

namespace isaforge::semantics {

namespace {

// The names that a statement gives a value: locals among them.
void collect_made(const Statement& statement, Names& names) {
    if (statement.kind == StatementKind::local) names.insert(statement.name);
    for (const ExpressionPointer& target : statement.targets) add_names(target, names);
    for (const Block* block : {&statement.body, &statement.otherwise}) {
        for (const Statement& inside : *block) collect_made(inside, names);
    }
}

class Slicer {
public:
    Slicer(const Isa& isa, const Instruction& instruction, const Form& form) {
        for (const auto* list :
             {&isa.names_in_meanings, &instruction.names_in_meaning.list(), &form.names_in_meaning.list()})
            namings_.insert(namings_.end(), list->begin(), list->end());
        add_names(instruction.guard, everywhere_);
        add_names(instruction.lane_mask, everywhere_);
    }

    Slice slice(const Block& block, std::size_t at) {
        Names names = everywhere_;
        add_names(block[at], names);
        std::vector<bool> taken(block.size());
        taken[at] = true;
        const auto follow = [&] {
            for (std::size_t before = names.size() + 1; before != names.size();) {
                before = names.size();
                for (const Naming& naming : namings_) {
                    if (names.contains(naming.name)) add_names(naming.value, names);
                }
            }
        };
        follow();
        for (std::size_t i = at; i-- > 0;) {
            Names made;
            collect_made(block[i], made);
            const bool used = std::any_of(made.begin(), made.end(), [&](const std::string& name) {
                return locals_.contains(name) && names.contains(name);
            });
            if (!used) continue;
            taken[i] = true;
            add_names(block[i], names);
            follow();
        }
        auto statements = std::make_shared<Block>();
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (taken[i]) statements->push_back(block[i]);
        }
        return {statements, names};
    }

    void find_locals(const Block& block) {
        for (const Statement& statement : block) {
            if (statement.kind == StatementKind::local) locals_.insert(statement.name);
        }
    }

private:
    std::vector<Naming> namings_;
    Names everywhere_;  // of the guard, which stands before all
    Names locals_;      // of the meaning's own block
};

}  // namespace

std::vector<Slice> slices_of(const Isa& isa, const Instruction& instruction, const Form& form) {
    std::vector<Slice> out;
    if (!instruction.meaning) return out;
    Slicer slicer(isa, instruction, form);
    slicer.find_locals(*instruction.meaning);
    for (std::size_t i = 0; i < instruction.meaning->size(); ++i) out.push_back(slicer.slice(*instruction.meaning, i));
    return out;
}

}  // namespace isaforge::semantics
