#include "semantics/forms.hpp"

#include <algorithm>
#include <span>

#include "codec/tables.hpp"
#include "ir/passes/check.hpp"
#include "ir/passes/passes.hpp"
#include "ir/substitute.hpp"
#include "semantics/leaves.hpp"

namespace isaforge::semantics {

namespace {

void add_rows(const Isa& isa, const std::vector<Binding>& bindings, std::vector<std::uint64_t>& key) {
    for (const Binding& binding : bindings) {
        if (isa.operand_types[binding.type].kind != OperandKind::table) continue;
        key.push_back(binding.row);
        add_rows(isa, binding.captures, key);
    }
}

std::string first_message(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics.all())
        if (diagnostic.severity == Severity::error) return diagnostic.message;
    return "its meaning cannot be executed";
}

}  // namespace

std::size_t FormGraphs::Hash::operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15 >> 7 ^ hash << 5;
    return hash;
}

std::optional<ir::Graph> FormGraphs::instruction(Index form, const Image& image, const Site& site,
                                                 std::string& trouble) {
    return at(Subject::instruction, form, bindings_of(form, image), site, trouble);
}

std::shared_ptr<const ir::Graph> FormGraphs::open(Index form, const Image& image, const Site& site,
                                                  std::string& trouble) {
    std::vector<Binding> bindings = bindings_of(form, image);
    auto found = lowered(Subject::instruction, form, bindings, leaves_of(isa_, bindings), site);
    trouble = found->trouble;
    return found->trouble.empty() ? std::shared_ptr<const ir::Graph>(found, &found->graph) : nullptr;
}

namespace {

// By value: a bit for each field whose number it is computed from. What registers and memory hold is no such number.
std::vector<std::uint64_t> fields_behind(const ir::Graph& graph, std::vector<std::uint64_t> fields) {
    for (bool more = true; more;) {
        more = false;
        const auto add = [&](ir::Value to, std::uint64_t bits) {
            more |= (bits & ~fields[to]) != 0;
            fields[to] |= bits;
        };
        for (const ir::Block& block : graph.blocks) {
            for (const ir::Instruction& instruction : block.body) {
                if (!ir::has_result(instruction.op) || ir::about(instruction.op).effect != ir::Effect::pure) continue;
                for (const ir::Value input : instruction.inputs()) add(instruction.result, fields[input]);
            }
            for (const ir::Edge& edge : block.edges)
                for (std::size_t i = 0; i < edge.values.size(); ++i)
                    add(graph.blocks[edge.block].arguments[i], fields[edge.values[i]]);
        }
    }
    return fields;
}

}  // namespace

std::vector<Access> FormGraphs::accesses(Index form, const Image& image, std::string& trouble) {
    std::vector<Binding> bindings = bindings_of(form, image);
    const std::vector<const Binding*> leaves = leaves_of(isa_, bindings);
    const Site site{0, 0, std::vector<std::uint64_t>(isa_.modes.size())};
    const auto found = lowered(Subject::instruction, form, bindings, leaves, site);
    trouble = found->trouble;
    if (!trouble.empty()) return {};
    std::vector<std::size_t> fields;  // by leaf
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const auto one = std::span(&bindings[i], 1);
        for_each_leaf(isa_, one, [&](const Binding&) { fields.push_back(i); });
    }
    const ir::Graph& graph = found->graph;
    std::vector<std::uint64_t> numbers(graph.values.size());
    std::uint64_t open = 0;  // fields that are not known in the graph
    for (std::size_t i = 0; i < found->arguments.size(); ++i) {
        const Argument& argument = found->arguments[i];
        if (argument.kind != Opening::Kind::operand || argument.leaf >= leaves.size()) continue;
        const std::uint64_t bit = std::uint64_t{1} << fields[argument.leaf];
        numbers[graph.blocks[0].arguments[i]] = bit;
        open |= bit;
    }
    numbers = fields_behind(graph, std::move(numbers));
    std::vector<Access> out(bindings.size());
    const auto note = [&](const ir::Instruction& instruction, std::uint64_t which) {
        const bool writes = instruction.op == ir::Op::put || instruction.op == ir::Op::put_at;
        for (std::size_t i = 0; i < out.size(); ++i)
            if ((which >> i & 1) != 0) (writes ? out[i].written : out[i].read) = true;
    };
    for (const ir::Block& block : graph.blocks) {
        for (const ir::Instruction& instruction : block.body) {
            if (ir::is_indexed(instruction.op)) note(instruction, numbers[instruction.operands[0]]);
            if (instruction.op != ir::Op::get && instruction.op != ir::Op::put) continue;
            codec_->operands(form, image, 0, [&](const Operand& operand) {
                const bool is_it = operand.kind == Operand::Kind::registers && operand.file == instruction.object &&
                                   instruction.number >= operand.first &&
                                   instruction.number - operand.first < operand.count;
                const std::uint64_t bit = std::uint64_t{1} << operand.field;
                if (is_it && (open & bit) == 0) note(instruction, bit);
            });
        }
    }
    return out;
}

std::vector<Binding> FormGraphs::bindings_of(Index form, const Image& image) const {
    std::vector<std::uint64_t> codes;
    codec_->fields(form, image, codes);
    std::vector<Binding> bindings;
    bindings.reserve(codes.size());
    for (Index i = 0; i < codes.size(); ++i)
        bindings.push_back(
            bind(*codec_, isa_.forms[form].fields[i].type, codes[i], image, codec::tail_at(*codec_, form, i, image)));
    return bindings;
}

Meant FormGraphs::meant_by(const Expression& expression, Index form, const Image& image) const {
    const std::vector<Binding> bindings = bindings_of(form, image);
    const LowerInput input{.isa = &isa_,
                           .instruction = &isa_.instruction_of(isa_.forms[form]),
                           .fields = &isa_.forms[form].fields.list(),
                           .bindings = &bindings};
    Diagnostics ignored;
    return semantics::meant_by(expression, input, ignored);
}

std::optional<ir::Graph> FormGraphs::event(Index event, const Site& site, std::string& trouble) {
    return at(Subject::event, event, {}, site, trouble);
}

std::optional<ir::Graph> FormGraphs::modes(std::string& trouble) { return at(Subject::modes, 0, {}, {}, trouble); }

std::optional<ir::Graph> FormGraphs::at(Subject subject, Index index, std::vector<Binding> bindings, const Site& site,
                                        std::string& trouble) {
    const std::vector<const Binding*> leaves = leaves_of(isa_, bindings);
    const auto form = lowered(subject, index, bindings, leaves, site);
    if (!form->trouble.empty()) {
        trouble = form->trouble;
        return std::nullopt;
    }
    std::vector<std::uint64_t> values;
    for (const Argument& argument : form->arguments) {
        const auto value = value_at(argument, leaves, site);
        if (!value) {
            trouble = "an operand has a code that means nothing";
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return at_site(form->graph, values);
}

std::optional<std::uint64_t> FormGraphs::value_at(const Argument& argument, const std::vector<const Binding*>& leaves,
                                                  const Site& site) const {
    if (argument.kind == Opening::Kind::address) return site.address;
    if (argument.kind == Opening::Kind::next_address) return site.next_address;
    if (argument.leaf == leaves.size()) return 0;  // a mode that is open
    const Binding& leaf = *leaves[argument.leaf];
    return value_of(isa_.operand_types[leaf.type], leaf.code, site.address);
}

ir::Graph FormGraphs::at_site(const ir::Graph& form, const std::vector<std::uint64_t>& values) const {
    ir::Graph graph = ir::substitute(form, values, isa_);
    if (graph.blocks.size() > 1) ir::fold(graph);
    ir::forward_registers(graph);
    ir::drop_dead_writes(graph);
    ir::drop_unused(graph);
    return graph;
}

std::shared_ptr<const FormGraphs::Lowered> FormGraphs::lowered(Subject subject, Index index,
                                                               std::vector<Binding>& bindings,
                                                               const std::vector<const Binding*>& leaves,
                                                               const Site& site) {
    Key key = {static_cast<std::uint64_t>(subject), index};
    key.insert(key.end(), site.modes.begin(), site.modes.end());
    add_rows(isa_, bindings, key);
    const std::lock_guard guard(mutex_);
    const auto [found_out, is_new] = decides_.try_emplace(key, leaves.size());
    std::vector<bool>& decides = found_out->second;
    // What has few values and is no number mostly says of what size something is.
    for (std::size_t i = 0; is_new && i < leaves.size(); ++i)
        decides[i] = isa_.operand_types[leaves[i]->type].kind == OperandKind::enumeration;
    const auto full_key = [&] {
        Key full = key;
        for (std::size_t i = 0; i < leaves.size(); ++i)
            if (decides[i]) full.push_back(leaves[i]->code);
        return full;
    };
    if (const auto found = lowered_.find(full_key()); found != lowered_.end()) return found->second;
    auto made = std::make_shared<const Lowered>(lower_open(subject, index, bindings, site, decides));
    if (lowered_.size() >= most_lowered) lowered_.clear();
    return lowered_[full_key()] = std::move(made);
}

// Leaves are opened but for those that decide. Where that is not enough, one more has to be known.
FormGraphs::Lowered FormGraphs::lower_open(Subject subject, Index index, std::vector<Binding>& bindings,
                                           const Site& site, std::vector<bool>& decides) {
    LowerInput input{.isa = &isa_};
    if (subject == Subject::instruction) {
        const Form& form = isa_.forms[index];
        input.instruction = &isa_.instruction_of(form);
        input.fields = &form.fields.list();
        input.names = &form.names_in_meaning;
        input.bindings = &bindings;
        if (!input.instruction->meaning && !input.instruction->guard) {
            Lowered none;
            none.trouble = "it has no meaning";
            return none;
        }
    }
    if (subject == Subject::event) input.event = &isa_.events[index];
    input.only_modes = subject == Subject::modes;
    input.anywhere = true;
    if (!site.modes.empty()) input.modes = &site.modes;
    for (;;) {
        std::vector<const Binding*> order;
        for_each_leaf(isa_, bindings, [&](Binding& leaf) {
            leaf.known = decides[order.size()];
            order.push_back(&leaf);
        });
        Diagnostics diagnostics;
        LowerResult result = lower(input, diagnostics);
        if (result.steering != nullptr) {
            decides[static_cast<std::size_t>(std::find(order.begin(), order.end(), result.steering) - order.begin())] =
                true;
            continue;
        }
        Lowered made;
        if (!result.ok && std::find(decides.begin(), decides.end(), false) != decides.end()) {
            decides.assign(decides.size(), true);  // where it could not come to what is wrong
            continue;
        }
        if (!result.ok) made.trouble = first_message(diagnostics);
        if (!result.ok) return made;
        if (!kept_.checks) ir::drop_checks(result.graph);
        if (!kept_.cycles) ir::drop_all(result.graph, ir::Op::count_cycles);
        if (subject == Subject::instruction) ir::optimise(result.graph);  // others run once, or seldom
        made.graph = std::move(result.graph);
        for (const Opening& opening : result.openings)
            made.arguments.push_back(
                {opening.kind,
                 static_cast<std::size_t>(std::find(order.begin(), order.end(), opening.operand) - order.begin())});
        return made;
    }
}

}  // namespace isaforge::semantics
