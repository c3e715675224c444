// Walks the sections of an object and prints them, in one of three styles. The loop over instructions allocates nothing.
#include "isaforge/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "assembler/characters.hpp"
#include "codec/load.hpp"
#include "codec/printer.hpp"
#include "codec/tables.hpp"
#include "disassembler/labels.hpp"
#include "disassembler/output.hpp"
#include "disassembler/verify.hpp"
#include "object/flavour.hpp"
#include "object/relocation_place.hpp"
#include "support/in_order.hpp"
#include "support/printable.hpp"

namespace isaforge {

namespace disassembler {

namespace {

constexpr std::size_t piece_length = 8192;  // instructions that one thread prints at a time
constexpr std::size_t worth_threads = 4 * piece_length;
constexpr std::size_t most_bytes = max_instruction_bits / 8;
constexpr std::size_t indent = 4;  // of instructions

std::string_view data_directive(std::size_t bytes) {
    switch (bytes) {
        case 1: return ".byte ";
        case 2: return ".2byte ";
        case 4: return ".4byte ";
        case 8: return ".8byte ";
        default: return {};
    }
}

// Bytes of the datum that a relocation is about; 0 where it is an instruction's.
std::uint64_t datum_width(const ObjectFlavour* flavour, const Isa& isa, const Relocation& relocation, bool in_code) {
    if (flavour) {
        const std::optional<LinkedNumber> number = flavour->linked(relocation.type);
        return number && !(in_code && number->in_instruction) && !number->branch ? number->bits / 8 : 0;
    }
    return isa.elf.bytes_of(relocation.type);
}

// What is found out about an object before anything is printed, for all that print.
struct Plan {
    Plan(const Codec& codec, const Object& object, const DisassembleOptions& options)
        : flavour(object_flavour(codec.isa().object_flavour)),
          flavoured(flavour ? flavour->disassembly(codec, object) : nullptr),
          parts(flavoured && options.style == DisassemblyStyle::source ? flavoured->parts()
                                                                       : std::vector<DisassemblyFlavour::Part>()),
          in_parts(parts.empty() ? 0 : object.symbols.size()),
          longest(std::max(1u, codec.tables_so_far().index->longest / 8)),
          labels(codec, object, parts, options.labels && options.style != DisassemblyStyle::json, longest,
                 thread_count(options.threads)),
          shadows_registers(std::ranges::any_of(
              object.symbols, [&](const Symbol& symbol) { return codec.names_register(symbol.name); })) {
        if (!flavoured) flavour = nullptr;
        for (const DisassemblyFlavour::Part& part : parts) {
            if (part.symbol < in_parts.size()) in_parts[part.symbol] = true;
        }
    }

    const ObjectFlavour* flavour;                 // null where the object is of none that the description names
    std::unique_ptr<DisassemblyFlavour> flavoured;
    std::vector<DisassemblyFlavour::Part> parts;  // by section, then by rising offset
    std::vector<bool> in_parts;                   // symbols that they define
    std::size_t longest;                          // bytes of the longest instruction
    Labels labels;
    bool shadows_registers;                       // symbols have their names
};

class Disassembler final : public Codec::LabelNamer {
public:
    Disassembler(const Codec& codec, const Object& object, const DisassembleOptions& options, const Plan& plan,
                 const TextSink& sink);
    void run();

    std::string_view label(std::uint64_t address) override;

private:
    void header();
    void section(Index index);
    void section_head(const Section& section);
    std::string section_directive(const Section& section) const;
    const DisassemblyFlavour::Part* part_at(std::uint64_t at);
    std::uint64_t next_part(std::uint64_t end) const;
    std::uint64_t put_part(const DisassemblyFlavour::Part& part);
    std::size_t first_part_of(Index section) const {
        const auto first = std::ranges::lower_bound(parts_, section, {}, &DisassemblyFlavour::Part::section);
        return static_cast<std::size_t>(first - parts_.begin());
    }
    bool has_parts(Index section) const {
        const auto first = first_part_of(section);
        return first < parts_.size() && parts_[first].section == section;
    }
    bool find_number(const Relocation& relocation, const Image& image, std::uint64_t at, std::size_t available,
                     RelocatedNumber& found, bool& relative) const;
    void code();
    bool code_in_pieces();
    void code_from(std::uint64_t at, std::uint64_t until, std::size_t next_decoded);
    std::uint64_t next_event(std::uint64_t until) const;
    std::uint64_t instructions(std::uint64_t at, std::uint64_t until, std::size_t& next_decoded);
    void print_piece(const Disassembler& whole, std::uint64_t at, std::uint64_t until, std::size_t next_decoded);
    std::size_t label_from(std::uint64_t offset) const;
    void data();
    void zeros(std::uint64_t count);
    void labels_at(std::uint64_t offset, std::uint64_t until);
    void label_line(const Label& label);
    std::uint64_t next_data_relocation(std::uint64_t end);
    std::uint64_t find_data_relocation(std::uint64_t end) const;
    std::uint64_t referring_datum(std::uint64_t at);
    void instruction(Index form, const Image& image, unsigned bits, std::uint64_t at);
    void doubted_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at);
    void end_instruction(char* end) {
        if (line_end_.size() == 1) {
            *end++ = line_end_[0];
        } else {
            end = std::copy(line_end_.begin(), line_end_.end(), end);
        }
        out_.set(end);
    }
    // A number of an instruction that a symbol stands for.
    struct Reference {
        RelocatedNumber number;
        bool relative = false;
        std::string name;
    };
    std::string text_with(const std::vector<Reference>& references, const Image& image) const;
    bool relocated_instruction(const Image& image, std::uint64_t at, std::size_t count, std::size_t available);
    void unverified(unsigned bits, std::uint64_t at, const std::string& text);
    void refused_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at, const std::string& why);
    struct JsonForm {
        std::string head;               // from the mnemonic to the first field
        std::vector<Index> fields;      // those that are free
        std::vector<std::string> keys;  // of these
    };
    const JsonForm& json_form(Index form);
    void json_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at);
    void raw(std::uint64_t at, std::size_t count);
    void raw_value(std::uint64_t at, std::size_t count);
    void listing_columns(std::uint64_t at, std::size_t count);
    bool text_run(std::uint64_t at, std::uint64_t end, std::uint64_t& after);
    void plain_bytes(std::uint64_t at, std::uint64_t end);
    std::string reference(const Relocation& relocation, std::uint64_t width) const;
    std::string symbol_reference(const Relocation& relocation, std::uint64_t step) const;
    void end_line() { out_.put(line_end_); }
    std::uint64_t address_of(std::uint64_t at) const {
        const std::uint64_t bytes = section_->address + at;
        return address_bytes_ == 1 ? bytes : bytes / address_bytes_;
    }
    bool source() const { return options_.style == DisassemblyStyle::source; }

    const Codec& codec_;
    const Isa& isa_;
    const Object& object_;
    const DisassembleOptions& options_;
    Output out_;
    const Plan& plan_;
    const std::size_t longest_;
    const codec::Loader loader_;
    const codec::Printer& printer_;
    const std::size_t unit_bytes_;  // of the description: what the object says may be anything
    const std::uint64_t address_bytes_;
    const ObjectFlavour* const flavour_;
    DisassemblyFlavour* const flavoured_;
    const std::vector<DisassemblyFlavour::Part>& parts_;
    const std::vector<bool>& in_parts_;
    const Labels& labels_;
    const bool verifies_;
    Verifier verifier_;
    std::string line_end_;  // of an instruction
    std::string comment_begin_, comment_end_;
    std::vector<std::vector<Relocation>> relocations_;  // by section, by rising offset
    std::vector<JsonForm> json_forms_;                  // by Isa::forms, made when first needed

    // The section being printed.
    const Section* section_ = nullptr;
    Index index_ = no_index;
    bool first_section_ = true;
    std::size_t next_label_ = 0, next_relocation_ = 0, next_part_ = 0;
    // The last answer of next_data_relocation, and from which relocation on it was looked for.
    static constexpr std::size_t no_relocation = ~std::size_t{0};
    std::size_t data_relocation_of_ = no_relocation;
    std::uint64_t data_relocation_ = 0;
};

Disassembler::Disassembler(const Codec& codec, const Object& object, const DisassembleOptions& options,
                           const Plan& plan, const TextSink& sink)
    : codec_(codec),
      isa_(codec.isa()),
      object_(object),
      options_(options),
      out_(sink),
      plan_(plan),
      longest_(plan.longest),
      loader_(codec.isa(), plan.longest),
      printer_(codec.printer()),
      unit_bytes_(std::max(1u, codec.isa().unit_bytes())),
      address_bytes_(std::max(1u, codec.isa().address_bits / 8)),
      flavour_(plan.flavour),
      flavoured_(plan.flavoured.get()),
      parts_(plan.parts),
      in_parts_(plan.in_parts),
      labels_(plan.labels),
      verifies_(options.style == DisassemblyStyle::source && options.verify),
      verifier_(codec, plan.shadows_registers),
      relocations_(object.sections.size()) {
    line_end_ = isa_.surface.statement_end + "\n";
    if (!isa_.surface.line_comments.empty()) {
        comment_begin_ = "  " + isa_.surface.line_comments[0] + " ";
    } else if (!isa_.surface.block_comments.empty()) {
        comment_begin_ = "  " + isa_.surface.block_comments[0].first + " ";
        comment_end_ = " " + isa_.surface.block_comments[0].second;
    }
    for (const Relocation& relocation : object.relocations) {
        if (relocation.section < relocations_.size()) relocations_[relocation.section].push_back(relocation);
    }
    for (std::vector<Relocation>& list : relocations_) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; });
    }
}

void Disassembler::run() {
    if (source() && flavoured_) out_.put(flavoured_->head());
    if (source()) header();
    first_section_ = out_.empty();
    for (Index i = 0; i < object_.sections.size(); ++i) section(i);
    if (!source() || !flavoured_) return;
    const std::string tail = flavoured_->tail();
    if (!tail.empty() && !first_section_) out_.put('\n');
    out_.put(tail);
}

// The part that begins here; null where none does.
const DisassemblyFlavour::Part* Disassembler::part_at(std::uint64_t at) {
    while (next_part_ < parts_.size() && (parts_[next_part_].section < index_ ||
                                          (parts_[next_part_].section == index_ && parts_[next_part_].offset < at))) {
        ++next_part_;
    }
    if (next_part_ == parts_.size()) return nullptr;
    const DisassemblyFlavour::Part& part = parts_[next_part_];
    return part.section == index_ && part.offset == at ? &part : nullptr;
}

// Where the next part of this section begins, or `end`.
std::uint64_t Disassembler::next_part(std::uint64_t end) const {
    if (next_part_ == parts_.size() || parts_[next_part_].section != index_) return end;
    return std::min(end, parts_[next_part_].offset);
}

// Writes the part and what is named in it; the offset behind it.
std::uint64_t Disassembler::put_part(const DisassemblyFlavour::Part& part) {
    labels_at(part.offset, part.offset + part.size);
    out_.put(part.text);
    return part.offset + part.size;
}

// What the assembler has to know about symbols before their labels.
void Disassembler::header() {
    for (Index i = 0; i < object_.symbols.size(); ++i) {
        const Symbol& symbol = object_.symbols[i];
        if (!labels_.usable(i) || (!in_parts_.empty() && in_parts_[i])) continue;
        if (symbol.section == common_section) {
            out_.put(fmt::format(".comm {}, {}, {}\n", symbol.name, symbol.size, symbol.value));
        } else if (symbol.section == absolute_section) {
            out_.put(fmt::format(".set {}, 0x{:x}\n", symbol.name, symbol.value));
        }
        if (symbol.binding == Binding::global && symbol.section != common_section) {
            out_.put(fmt::format(".global {}\n", symbol.name));
        }
        if (symbol.binding == Binding::weak) out_.put(fmt::format(".weak {}\n", symbol.name));
        if (symbol.visibility != Visibility::usual) {
            static constexpr std::string_view directives[] = {"", ".internal", ".hidden", ".protected"};
            out_.put(fmt::format("{} {}\n", directives[static_cast<unsigned>(symbol.visibility)], symbol.name));
        }
        if (symbol.type == SymbolType::special && flavoured_) out_.put(flavoured_->special_type(symbol));
        if (symbol.type == SymbolType::function) out_.put(fmt::format(".type {}, @function\n", symbol.name));
        if (symbol.type == SymbolType::object) out_.put(fmt::format(".type {}, @object\n", symbol.name));
        if (symbol.size && symbol.section < object_.sections.size()) {
            const std::uint64_t step = object_.sections[symbol.section].executable ? address_bytes_ : 1;
            out_.put(fmt::format(".size {}, {}\n", symbol.name, symbol.size / step));
        }
    }
}

void Disassembler::section(Index index) {
    section_ = &object_.sections[index];
    index_ = index;
    next_label_ = next_relocation_ = 0;
    next_part_ = first_part_of(index);
    data_relocation_of_ = no_relocation;
    const bool empty = section_->extent() == 0 && labels_.of(index).list.empty();
    if (options_.style == DisassemblyStyle::json) {
        if (section_->executable) code();
        return;
    }
    if (empty || (section_->note && (!flavoured_ || flavoured_->says_section(index)))) return;
    section_head(*section_);
    if (section_->executable && !section_->no_bits) {
        code();
    } else if (section_->no_bits) {
        zeros(section_->size);
    } else {
        data();
    }
    labels_at(section_->extent(), ~std::uint64_t{0});
}

void Disassembler::section_head(const Section& section) {
    if (!first_section_) out_.put('\n');
    first_section_ = false;
    if (options_.style == DisassemblyStyle::listing) {
        out_.put(fmt::format("Section {}:\n", printable_in_line(section.name)));
        return;
    }
    // Other assemblers know the first alone by its mere name.
    const bool well_known = section.name == ".data" || section.name == ".bss" || section.name == ".rodata";
    if (section.name == ".text" || (well_known && !flavour_)) {
        out_.put(section.name);
    } else {
        out_.put(section_directive(section));
    }
    out_.put('\n');
    const std::uint64_t usual = section.executable ? unit_bytes_ : 1;
    if (section.alignment > usual) out_.put(fmt::format(".balign {}\n", section.alignment));
}

std::string Disassembler::section_directive(const Section& section) const {
    const bool plain = printable_in_line(section.name) == section.name &&
                       std::all_of(section.name.begin(), section.name.end(),
                                   [](char c) { return assembler::is(c, assembler::class_name); });
    const bool quotable = std::all_of(section.name.begin(), section.name.end(),
                                      [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; });
    const std::string name = section.name.empty() || !quotable ? fmt::format("section_{}", index_)
                             : plain                           ? section.name
                                                               : fmt::format("\"{}\"", section.name);
    constexpr std::uint32_t elf_merge = 0x10, elf_strings = 0x20;
    const bool merge = section.elf_flags & elf_merge && section.entry_size != 0;
    std::string text = fmt::format(".section {},\"{}{}{}{}{}\",{}", name, section.allocated ? "a" : "",
                                   section.writable ? "w" : "", section.executable ? "x" : "", merge ? "M" : "",
                                   merge && section.elf_flags & elf_strings ? "S" : "",
                                   section.no_bits ? "@nobits"
                                   : section.note  ? "@note"
                                                   : "@progbits");
    if (merge) text += fmt::format(",{}", section.entry_size);
    return text;
}

// --- labels and references

std::string_view Disassembler::label(std::uint64_t address) {
    return options_.labels ? labels_.at(index_, address * address_bytes_) : std::string_view();
}

void Disassembler::label_line(const Label& label) {
    if (options_.style == DisassemblyStyle::json) return;
    const Surface& surface = isa_.surface;
    out_.put(surface.label_prefix);
    out_.put(label.name);
    out_.put(surface.label_suffix);
    out_.put('\n');
}

// Labels from here up to `until`; those inside what comes next are given as a distance.
void Disassembler::labels_at(std::uint64_t offset, std::uint64_t until) {
    const std::vector<Label>& list = labels_.of(index_).list;
    for (; next_label_ < list.size() && list[next_label_].offset < until; ++next_label_) {
        const Label& label = list[next_label_];
        if (label.symbol < in_parts_.size() && in_parts_[label.symbol]) continue;
        if (label.offset <= offset) {
            label_line(label);
        } else if (source()) {
            const std::uint64_t step = section_->executable ? address_bytes_ : 1;
            out_.put(fmt::format(".set {}, . + {}\n", label.name, (label.offset - offset) / step));
        }
    }
}

// The symbol and addend of a relocation as an expression.
std::string Disassembler::symbol_reference(const Relocation& relocation, std::uint64_t step) const {
    if (relocation.symbol >= object_.symbols.size()) return std::to_string(relocation.addend);
    const Symbol& symbol = object_.symbols[relocation.symbol];
    std::string name = symbol.name;
    if (symbol.type == SymbolType::section && symbol.section < object_.sections.size()) {
        name = labels_.begin_of(symbol.section);
    } else if (!labels_.usable(relocation.symbol)) {
        name = fmt::format("L_symbol_{}", relocation.symbol);
    }
    if (symbol.section < object_.sections.size())
        step = object_.sections[symbol.section].executable ? address_bytes_ : 1;
    const std::int64_t addend = relocation.addend / static_cast<std::int64_t>(step);
    if (flavour_) {
        if (const std::optional<LinkedNumber> number = flavour_->linked(relocation.type)) name += number->modifier;
    }
    const auto bits = static_cast<std::uint64_t>(addend);  // what the most negative one is without its sign fits
    return addend == 0 ? name : fmt::format("{} {} {}", name, addend < 0 ? '-' : '+', addend < 0 ? 0 - bits : bits);
}

// --- code

void Disassembler::code() {
    if (!code_in_pieces()) code_from(0, section_->bytes.size(), 0);
}

// Large sections are printed in pieces on several threads. The label pass has found where instructions begin.
bool Disassembler::code_in_pieces() {
    const std::vector<Decoded>& decoded = labels_.of(index_).code;
    const unsigned threads = thread_count(options_.threads);
    if (threads < 2 || decoded.size() < worth_threads || !relocations_[index_].empty() || has_parts(index_))
        return false;
    std::vector<std::uint64_t> begins;  // of the pieces
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < decoded.size(); ++i) {
        if (i % piece_length == 0) begins.push_back(at);
        at += decoded[i].bytes();
    }
    begins.push_back(at);
    struct Worker {
        std::string text;
        TextSink sink = [this](std::string_view piece) { text += piece; };
        std::unique_ptr<Disassembler> printer;
    };
    std::vector<Worker> workers(threads);
    const auto make = [&](unsigned index, std::size_t piece) {
        Worker& worker = workers[index];
        if (!worker.printer)
            worker.printer = std::make_unique<Disassembler>(codec_, object_, options_, plan_, worker.sink);
        worker.text.clear();
        worker.printer->print_piece(*this, begins[piece], begins[piece + 1], piece * piece_length);
    };
    in_order(threads, begins.size() - 1, make, [&](unsigned index, std::size_t) { out_.pass(workers[index].text); });
    next_label_ = label_from(section_->bytes.size());
    return true;
}

void Disassembler::print_piece(const Disassembler& whole, std::uint64_t at, std::uint64_t until,
                               std::size_t next_decoded) {
    section_ = whole.section_;
    index_ = whole.index_;
    next_label_ = label_from(at);
    data_relocation_of_ = no_relocation;
    code_from(at, until, next_decoded);
    out_.flush();
}

// The first label that is not before `offset`.
std::size_t Disassembler::label_from(std::uint64_t offset) const {
    const std::vector<Label>& list = labels_.of(index_).list;
    const auto found = std::lower_bound(list.begin(), list.end(), offset,
                                        [](const Label& label, std::uint64_t o) { return label.offset < o; });
    return static_cast<std::size_t>(found - list.begin());
}

[[gnu::always_inline]] inline void Disassembler::instruction(Index form, const Image& image, unsigned bits,
                                                             std::uint64_t at) {
    if (options_.style == DisassemblyStyle::listing) listing_columns(at, bits / 8);
    char* const begin = out_.room();
    std::memset(begin, ' ', indent);
    if (verifies_ && !verifier_.is_certain(form, image)) [[unlikely]]
        return doubted_instruction(form, image, bits, at);
    end_instruction(printer_.print(begin + indent, form, image, address_of(at), this));
}

// Instructions from one offset to another; `next` is the number of the first among those that the label pass found.
void Disassembler::code_from(std::uint64_t at, std::uint64_t until, std::size_t next) {
    const std::uint8_t* const bytes = section_->bytes.data();
    const std::uint64_t size = section_->bytes.size(), unit = unit_bytes_;
    const std::vector<Label>& labels = labels_.of(index_).list;
    const std::vector<Relocation>& relocations = relocations_[index_];
    const std::vector<Decoded>& decoded = labels_.of(index_).code;
    // The label pass decoded from end to end; where data stands between the code, that is not what is printed.
    const bool known_code =
        !decoded.empty() && !(source() && (next_data_relocation(size) != size || has_parts(index_)));
    const bool plain = known_code && options_.style != DisassemblyStyle::json;
    while (at < until) {
        while (next_relocation_ < relocations.size() && relocations[next_relocation_].offset < at) ++next_relocation_;
        if (plain) {
            at = instructions(at, next_event(until), next);
            if (at >= until) break;
        }
        if (const DisassemblyFlavour::Part* const part = part_at(at)) {
            at = put_part(*part);
            continue;
        }
        const std::uint64_t data_at = next_part(source() ? next_data_relocation(size) : size);
        if (data_at == at) {
            at = referring_datum(at);
            continue;
        }
        const std::size_t available = static_cast<std::size_t>(std::min<std::uint64_t>(data_at - at, longest_));
        const Image image = codec_.load(bytes + at, available);
        unsigned bits = 0;
        Index form = no_index;
        if (!known_code) {
            form = codec_.decode(image, static_cast<unsigned>(available * 8), bits);
        } else if (const Decoded& known = decoded[next++]; known.is_instruction()) {
            form = known.form();
            bits = known.bytes() * 8u;
        }
        std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(unit - at % unit, data_at - at));
        if (at % unit != 0) form = no_index;  // behind a datum
        std::string why;
        const Index refused = form == no_index && at % unit == 0
                                  ? codec_.refused(image, static_cast<unsigned>(available * 8), bits, why)
                                  : no_index;
        if (at % unit == 0 && bits >= 8) count = bits / 8;  // also of a word that is no instruction
        if (next_label_ < labels.size() && labels[next_label_].offset < at + count) labels_at(at, at + count);
        const bool relocated =
            next_relocation_ < relocations.size() && relocations[next_relocation_].offset < at + count;
        if (relocated && source() && relocated_instruction(image, at, count, available)) {
        } else if (refused != no_index && options_.style != DisassemblyStyle::json) {
            refused_instruction(refused, image, bits, at, why);
        } else if (form == no_index || bits < 8) {
            raw(at, count);
        } else if (options_.style == DisassemblyStyle::json) {
            json_instruction(form, image, bits, at);
        } else {
            instruction(form, image, bits, at);
        }
        at += count;
    }
}

// Where the next label, relocation or part is, or `until`.
std::uint64_t Disassembler::next_event(std::uint64_t until) const {
    const std::vector<Label>& labels = labels_.of(index_).list;
    const std::vector<Relocation>& relocations = relocations_[index_];
    if (next_label_ < labels.size()) until = std::min(until, labels[next_label_].offset);
    if (next_relocation_ < relocations.size()) until = std::min(until, relocations[next_relocation_].offset);
    return next_part(until);
}

// Prints those that the label pass found, as long as they end before `until`; where that ends.
std::uint64_t Disassembler::instructions(std::uint64_t at, std::uint64_t until, std::size_t& next) {
    const Decoded* known = labels_.of(index_).code.data() + next;
    const Decoded* const begin = known;
    const std::uint8_t* const bytes = section_->bytes.data();
    const std::uint64_t size = section_->bytes.size();
    for (; at < until && at + known->bytes() <= until && known->is_instruction(); ++known) {
        const Image image = loader_.load(bytes + at, size - at);
        instruction(known->form(), image, known->bytes() * 8u, at);
        at += known->bytes();
    }
    next += static_cast<std::size_t>(known - begin);
    return at;
}

// Where the next relocation is that covers a datum and not an instruction, or `end`, which is the section's.
std::uint64_t Disassembler::next_data_relocation(std::uint64_t end) {
    if (data_relocation_of_ != next_relocation_) {
        data_relocation_ = find_data_relocation(end);
        data_relocation_of_ = next_relocation_;
    }
    return data_relocation_;
}

std::uint64_t Disassembler::find_data_relocation(std::uint64_t end) const {
    const std::vector<Relocation>& list = relocations_[index_];
    for (std::size_t i = next_relocation_; i < list.size() && list[i].offset < end; ++i) {
        const std::uint64_t width = datum_width(flavour_, codec_.isa(), list[i], true);
        if (width != 0 && list[i].offset + width <= end) return list[i].offset;
        if (list[i].offset > list[next_relocation_].offset + most_bytes) break;
    }
    return end;
}

// The datum at `at`, which a relocation covers; the offset behind it.
std::uint64_t Disassembler::referring_datum(std::uint64_t at) {
    const std::vector<Relocation>& list = relocations_[index_];
    while (datum_width(flavour_, codec_.isa(), list[next_relocation_], true) == 0) ++next_relocation_;
    const Relocation& relocation = list[next_relocation_];
    const std::uint64_t width = datum_width(flavour_, codec_.isa(), relocation, true);
    labels_at(at, at + width);
    out_.put("    " + reference(relocation, width) + "\n");
    return at + width;
}

// One whose text does not read back for certain.
void Disassembler::doubted_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at) {
    const std::uint64_t address = address_of(at);
    char* const begin = out_.room() + indent;
    char* end = printer_.print(begin, form, image, address, nullptr);
    // What can be read back without labels can be with them.
    *end = '\0';
    if (!verifier_.reads_back(image, bits, begin, end, address)) return unverified(bits, at, std::string(begin, end));
    if (codec_.tables_so_far().index->forms[form].is_relative) end = printer_.print(begin, form, image, address, this);
    end_instruction(end);
}

// Prints bytes as data, with the text that does not read back as a comment.
void Disassembler::unverified(unsigned bits, std::uint64_t at, const std::string& text) {
    const bool is_one_number = codec_.isa().last_unit_first && !codec_.isa().big_endian && !object_.big_endian;
    const std::size_t unit = is_one_number ? bits / 8 : unit_bytes_;
    for (std::size_t i = 0; i < bits / 8; i += unit) {
        const std::size_t count = std::min<std::size_t>(unit, bits / 8 - i);
        if (options_.style == DisassemblyStyle::listing) listing_columns(at + i, count);
        out_.put("    ");
        raw_value(at + i, count);
        if (i == 0 && !comment_begin_.empty()) {
            out_.put(comment_begin_);
            out_.put(text);
            out_.put(comment_end_);
        }
        out_.put('\n');
    }
}

// What would be an instruction but for a rule: data, with what it would be and the rule.
void Disassembler::refused_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at,
                                       const std::string& why) {
    char text[Codec::max_text];
    const char* const end = codec_.print(text, form, image, bits, address_of(at), nullptr);
    unverified(bits, at, fmt::format("{}: {}", std::string_view(text, static_cast<std::size_t>(end - text)), why));
}

// An instruction with symbols in it.
bool Disassembler::relocated_instruction(const Image& image, std::uint64_t at, std::size_t count,
                                         std::size_t available) {
    const std::vector<Relocation>& list = relocations_[index_];
    std::vector<Reference> references;
    for (std::size_t i = next_relocation_; i < list.size() && list[i].offset < at + count; ++i) {
        constexpr std::size_t most = std::size(Encoded{}.deferred);
        Reference one;
        if (references.size() == most || !find_number(list[i], image, at, available, one.number, one.relative))
            continue;
        one.name = symbol_reference(list[i], one.relative ? address_bytes_ : 1);
        references.push_back(std::move(one));
    }
    if (references.empty()) return false;
    const std::string text = text_with(references, image);
    if (text.empty()) return false;
    out_.put("    ");
    out_.put(text);
    end_line();
    return true;
}

// The instruction with symbols in the places of its numbers; empty where none of these is written. Operands that share a number
// show it in several places.
std::string Disassembler::text_with(const std::vector<Reference>& references, const Image& image) const {
    std::vector<RowChoice> rows;
    for (const Reference& reference : references)
        rows.insert(rows.end(), reference.number.rows.begin(), reference.number.rows.end());
    char printed[Codec::max_text + 64];
    std::vector<PrintedOperand> operands;
    const char* const end = codec_.print(printed, references[0].number.form, image, 0, rows, operands);
    std::string text;
    const char* behind = printed;
    for (const PrintedOperand& operand : operands) {
        const auto is_it = [&](const Reference& reference) { return reference.number.begins_at(operand.bit); };
        const auto reference = std::ranges::find_if(references, is_it);
        if (operand.kind != Operand::Kind::number || reference == references.end()) continue;
        const Surface& surface = isa_.surface;
        text.append(behind, static_cast<const char*>(printed) + operand.begin);
        text += reference->relative ? surface.label_reference_prefix : surface.immediate_prefix;
        text += reference->name;
        behind = printed + operand.end;
    }
    return behind == printed ? std::string() : text.append(behind, end);
}

// Which bits of the instruction at `at` the relocation is about.
bool Disassembler::find_number(const Relocation& relocation, const Image& image, std::uint64_t at,
                               std::size_t available, RelocatedNumber& found, bool& relative) const {
    const auto bits = static_cast<unsigned>(available * 8);
    if (!flavour_) {
        if (relocation.offset != at) return false;
        if (!find_relocated_number(codec_, image, bits, relocation.type, relocation.number, found)) return false;
        relative = isa_.operand_types[found.number.type].number.relative;
        return true;
    }
    const std::optional<LinkedNumber> number = flavour_->linked(relocation.type);
    if (!number || !number->in_instruction || relocation.offset < at) return false;
    found.form = codec_.decode(image, bits, found.bits);
    const std::uint64_t position = (relocation.offset - at) * 8;
    if (found.form == no_index || position + number->bits > found.bits) return false;
    found.number.piece_count = 1;
    found.number.pieces[0] = {static_cast<std::uint16_t>(position), static_cast<std::uint8_t>(number->bits), 0};
    relative = number->branch;
    return true;
}

void Disassembler::listing_columns(std::uint64_t at, std::size_t count) {
    out_.hexadecimal(section_->executable ? address_of(at) : section_->address + at, 8);
    constexpr std::size_t usual = 8;
    constexpr std::string_view blank = ":                  ";
    static_assert(blank.size() == 3 + 2 * usual);
    char* const out = out_.room();
    std::memcpy(out, blank.data(), blank.size());
    char* const end = Output::put_bytes(out + 3, section_->bytes.data() + at, count);
    out_.set(count < usual ? out + blank.size() : end);
}

// Bytes that are no instruction.
void Disassembler::raw(std::uint64_t at, std::size_t count) {
    if (options_.style == DisassemblyStyle::json) {
        out_.put("{\"address\":");
        out_.decimal(section_->address + at);
        out_.put(",\"bytes\":\"");
        out_.bytes(section_->bytes.data() + at, count);
        out_.put("\",\"text\":\"");
        raw_value(at, count);
        out_.put("\",\"mnemonic\":null}\n");
        return;
    }
    if (options_.style == DisassemblyStyle::listing) listing_columns(at, count);
    out_.put("    ");
    raw_value(at, count);
    out_.put('\n');
}

void Disassembler::raw_value(std::uint64_t at, std::size_t count) {
    const std::uint8_t* const bytes = section_->bytes.data() + at;
    const std::string_view directive = data_directive(count);
    if (directive.empty()) {
        out_.put(".byte ");
        for (std::size_t i = 0; i < count; ++i) {
            if (i) out_.put(", ");
            out_.put("0x");
            out_.hexadecimal(bytes[i], 2);
        }
        return;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint64_t{bytes[i]} << 8 * (object_.big_endian ? count - 1 - i : i);
    out_.put(directive);
    out_.put("0x");
    out_.hexadecimal(value, static_cast<unsigned>(2 * count));
}

void Disassembler::json_instruction(Index form, const Image& image, unsigned bits, std::uint64_t at) {
    char text[Codec::max_text + 64];
    const char* const end = codec_.print(text, form, image, bits, address_of(at), nullptr);
    const Form& described = isa_.forms[form];
    out_.put("{\"address\":");
    out_.decimal(section_->address + at);
    if (section_->name != ".text") {
        out_.put(",\"section\":");
        out_.quoted(section_->name);
    }
    out_.put(",\"bytes\":\"");
    out_.bytes(section_->bytes.data() + at, bits / 8);
    out_.put("\",\"text\":");
    out_.quoted({text, static_cast<std::size_t>(end - text)});
    const JsonForm& prepared = json_form(form);
    out_.put(prepared.head);
    for (std::size_t i = 0; i < prepared.fields.size(); ++i) {
        out_.put(prepared.keys[i]);
        out_.decimal(described.fields[prepared.fields[i]].place.extract(image));
    }
    out_.put("}}\n");
}

// The parts of a form's JSON that are the same for all its instructions.
const Disassembler::JsonForm& Disassembler::json_form(Index form) {
    if (json_forms_.empty()) json_forms_.resize(isa_.forms.size());
    JsonForm& prepared = json_forms_[form];
    if (!prepared.head.empty()) return prepared;
    const Form& described = isa_.forms[form];
    const auto write = [](std::string& out, const auto& part) {
        const TextSink sink = [&](std::string_view piece) { out += piece; };
        Output text(sink, 0);
        part(text);
    };
    write(prepared.head, [&](Output& text) {
        text.put(",\"mnemonic\":");
        text.quoted(isa_.instruction_of(described).names[0]);
        text.put(",\"fields\":{");
    });
    for (Index i = 0; i < described.fields.size(); ++i) {
        if (described.fields[i].fixed) continue;
        write(prepared.keys.emplace_back(prepared.fields.empty() ? "" : ","), [&](Output& text) {
            text.quoted(described.fields[i].name);
            text.put(':');
        });
        prepared.fields.push_back(i);
    }
    return prepared;
}

// --- data

void Disassembler::zeros(std::uint64_t count) {
    const std::vector<Label>& labels = labels_.of(index_).list;
    std::uint64_t at = 0;
    while (at < count) {
        labels_at(at, at + 1);
        std::uint64_t end = count;
        if (next_label_ < labels.size()) end = std::min(end, labels[next_label_].offset);
        out_.put("    .zero ");
        out_.decimal(end - at);
        out_.put('\n');
        at = end;
    }
}

// Up to the next label or relocation at a time: texts, runs of zeros, bytes.
void Disassembler::data() {
    const std::vector<Label>& labels = labels_.of(index_).list;
    const std::vector<Relocation>& relocations = relocations_[index_];
    const std::uint64_t size = section_->bytes.size();
    for (std::uint64_t at = 0; at < size;) {
        if (const DisassemblyFlavour::Part* const part = part_at(at)) {
            at = put_part(*part);
            continue;
        }
        labels_at(at, at + 1);
        std::uint64_t end = next_part(size);
        if (next_label_ < labels.size()) end = std::min(end, labels[next_label_].offset);
        while (next_relocation_ < relocations.size() && relocations[next_relocation_].offset < at) ++next_relocation_;
        if (next_relocation_ < relocations.size()) {
            const Relocation& relocation = relocations[next_relocation_];
            const std::uint64_t width = datum_width(flavour_, codec_.isa(), relocation, false);
            if (relocation.offset == at && width != 0 && at + width <= end && source()) {
                out_.put("    " + reference(relocation, width) + "\n");
                at += width;
                continue;
            }
            if (relocation.offset > at) end = std::min(end, relocation.offset);
        }
        std::uint64_t zero_end = at;
        while (zero_end < end && section_->bytes[zero_end] == 0) ++zero_end;
        constexpr std::uint64_t shortest_run = 8;
        std::uint64_t after = at;
        if (options_.style == DisassemblyStyle::listing) {
            after = std::min(end, at + 8);
            listing_columns(at, static_cast<std::size_t>(after - at));
            out_.put('\n');
        } else if (zero_end - at >= shortest_run) {
            out_.put("    .zero ");
            out_.decimal(zero_end - at);
            out_.put('\n');
            after = zero_end;
        } else if (!text_run(at, end, after)) {
            after = std::min(end, at + 8);
            plain_bytes(at, after);
        }
        at = after;
    }
}

std::string Disassembler::reference(const Relocation& relocation, std::uint64_t width) const {
    std::string text(data_directive(static_cast<std::size_t>(width)));
    text += symbol_reference(relocation, 1);
    const bool relative =
        flavour_ ? flavour_->linked(relocation.type)->relative : codec_.isa().elf.is_relative(relocation.type);
    if (relative) text += " - .";
    return text;
}

// Printable characters with a NUL behind them.
bool Disassembler::text_run(std::uint64_t at, std::uint64_t end, std::uint64_t& after) {
    constexpr std::uint64_t shortest = 4, longest = 200;
    std::uint64_t stop = at;
    const auto printable = [](std::uint8_t c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; };
    while (stop < end && stop - at < longest && printable(section_->bytes[stop])) ++stop;
    if (stop - at < shortest || stop >= end || section_->bytes[stop] != 0) return false;
    out_.put("    .asciz \"");
    for (std::uint64_t i = at; i < stop; ++i) {
        const char c = static_cast<char>(section_->bytes[i]);
        if (c == '"' || c == '\\') out_.put('\\');
        if (c == '\n' || c == '\t') {
            out_.put(c == '\n' ? "\\n" : "\\t");
        } else {
            out_.put(c);
        }
    }
    out_.put("\"\n");
    after = stop + 1;
    return true;
}

void Disassembler::plain_bytes(std::uint64_t at, std::uint64_t end) {
    out_.put("    .byte ");
    for (std::uint64_t i = at; i < end; ++i) {
        if (i != at) out_.put(", ");
        out_.put("0x");
        out_.hexadecimal(section_->bytes[i], 2);
    }
    out_.put('\n');
}

}  // namespace

}  // namespace disassembler

void disassemble(const Codec& codec, const Object& object, const DisassembleOptions& options, const TextSink& sink) {
    const disassembler::Plan plan(codec, object, options);
    disassembler::Disassembler(codec, object, options, plan, sink).run();
}

std::string disassemble(const Codec& codec, const Object& object, const DisassembleOptions& options) {
    std::string text;
    disassemble(codec, object, options, [&](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace isaforge
