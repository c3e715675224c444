#include "codeobject/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codeobject/clrx.hpp"
#include "codeobject/descriptor.hpp"
#include "codeobject/kernel_code.hpp"
#include "codeobject/metadata.hpp"
#include "codeobject/notes.hpp"
#include "codeobject/relocations.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::string_view next_free_vgpr = ".amdgcn.next_free_vgpr", next_free_sgpr = ".amdgcn.next_free_sgpr";

class Assembly final : public AssemblyFlavour {
public:
    Assembly(const Isa& isa, Target target, std::string_view given, AssemblerHost& host)
        : isa_(isa),
          target_(target),
          given_(given),
          host_(host),
          clrx_(isa, host),
          vector_file_(file_of("v")),
          scalar_file_(file_of("s")) {
        define_symbols();
        host_.set_value(next_free_vgpr, 0);
        host_.set_value(next_free_sgpr, 0);
    }

    bool directive(std::string_view name, Place where) override;
    std::vector<std::string_view> directive_names() const override;
    void refresh() override;
    std::optional<bool> condition(std::string_view what, std::string_view operand) const override {
        return clrx_.condition(what, operand);
    }
    void finish() override;
    void complete(Object& object) override;

private:
    using Handler = void (Assembly::*)(Place where);
    struct Directive {
        std::string_view name;
        Handler handler;
    };
    static std::span<const Directive> directives();

    Index file_of(std::string_view name) const {
        const auto found = std::ranges::find(isa_.register_files, name, &RegisterFile::name);
        return static_cast<Index>(found - isa_.register_files.begin());
    }
    void define_symbols();
    void target(Place where);
    void version(Place where);
    void kernel(Place where);
    void metadata(Place where);
    void object_version(Place where);
    void object_isa(Place where);
    void isa_name(Place where);
    void metadata_v2(Place where);
    void kernel_code(Place where);
    void kernel_symbol(Place where);

    bool read_setting(DescriptorBuilder& builder, std::vector<std::pair<std::string, Place>>& values, bool& ended);
    void emit_descriptor(std::string_view kernel, const Descriptor& descriptor, Place where);
    bool read_count(std::uint32_t& value);
    void emit_note(const Note& note);
    void end_statement();
    bool choose(std::string_view text, Place where);
    void settle_features();

    const Isa& isa_;
    Target target_;
    std::string given_;  // the target as it was said last, in as many words
    unsigned version_ = usual_version;
    AssemblerHost& host_;
    ClrxSource clrx_;
    const Index vector_file_, scalar_file_;  // Isa::register_files
};

std::span<const Assembly::Directive> Assembly::directives() {
    static constexpr Directive all[] = {
        {".amdgcn_target", &Assembly::target},
        {".amdhsa_code_object_version", &Assembly::version},
        {".amdhsa_kernel", &Assembly::kernel},
        {".amdgpu_metadata", &Assembly::metadata},
        {".hsa_code_object_version", &Assembly::object_version},
        {".hsa_code_object_isa", &Assembly::object_isa},
        {".amd_amdgpu_isa", &Assembly::isa_name},
        {".amd_amdgpu_hsa_metadata", &Assembly::metadata_v2},
        {".amd_kernel_code_t", &Assembly::kernel_code},
        {".amdgpu_hsa_kernel", &Assembly::kernel_symbol},
    };
    return all;
}

bool Assembly::directive(std::string_view name, Place where) {
    const auto found = std::ranges::find(directives(), name, &Directive::name);
    if (found != directives().end()) {
        (this->*found->handler)(where);
        return true;
    }
    const bool setting = DescriptorBuilder::knows(name) || name == ".end_amdhsa_kernel";
    if (!setting) {
        if (name == ".kernel") refresh();  // what was used so far is not the next one's
        return clrx_.directive(name, where);
    }
    if (setting) {
        host_.error(where, fmt::format("'{}' belongs behind .amdhsa_kernel", name));
        host_.skip_statement();
    }
    return setting;
}

std::vector<std::string_view> Assembly::directive_names() const {
    std::vector<std::string_view> names;
    for (const Directive& directive : directives()) names.push_back(directive.name);
    const std::vector<std::string_view> others = ClrxSource::directive_names();
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

// After the last operand.
void Assembly::end_statement() {
    // The host complains about what follows, if anything does.
    if (!host_.at_end()) {
        std::string_view rest;
        Place where;
        host_.read_name(rest, where, "the end of the statement");
        host_.error(where, "unexpected text after the operands");
    }
    host_.skip_statement();
}

// --- target and version

void Assembly::define_symbols() {
    host_.set_value(".amdgcn.gfx_generation_number", target_.processor->major);
    host_.set_value(".amdgcn.gfx_generation_minor", target_.processor->minor);
    host_.set_value(".amdgcn.gfx_generation_stepping", target_.processor->stepping);
}

bool Assembly::choose(std::string_view text, Place where) {
    std::string wrong;
    const std::optional<Target> found = parse_target(text, wrong);
    if (!found) {
        host_.error(where, wrong);
        return false;
    }
    if (!isa_.is_refined_by(found->processor->variant)) {
        host_.error(where, fmt::format("{} is of {}, and this is {}", found->processor->name, found->processor->variant,
                                       isa_.variant));
        return false;
    }
    host_.use_variant(found->processor->variant);
    // Who names a processor alone leaves the rest open.
    const bool whole = given_.starts_with("amdgcn-");
    const bool same = whole ? *found == target_ : found->processor == target_.processor;
    if (!given_.empty() && !same) {
        host_.error(where, fmt::format("the target was said to be {}", given_));
        return false;
    }
    target_ = *found;
    given_ = text;
    settle_features();
    define_symbols();
    return true;
}

// In version 3 a whole id names every feature that is on.
void Assembly::settle_features() {
    if (version_ != 3 || target_.system != System::hsa || !given_.starts_with("amdgcn-")) return;
    if (target_.processor->has_xnack && target_.xnack == Feature::any) target_.xnack = Feature::off;
    if (target_.processor->has_sramecc && target_.sramecc == Feature::any) target_.sramecc = Feature::off;
}

void Assembly::target(Place) {
    std::string text;
    Place where;
    if (!host_.read_string(text, where)) return host_.skip_statement();
    choose(text, where);
    end_statement();
}

void Assembly::version(Place) {
    std::int64_t value = 0;
    Place where;
    if (!host_.read_integer(value, where)) return host_.skip_statement();
    if (value < first_version || value > last_version) {
        host_.error(where, fmt::format("the versions {} to {} can be written", first_version, last_version));
    } else {
        version_ = static_cast<unsigned>(value);
        settle_features();
    }
    end_statement();
}

// --- kernel descriptors

// One `.amdhsa_` directive, or the end mark.
bool Assembly::read_setting(DescriptorBuilder& builder, std::vector<std::pair<std::string, Place>>& values,
                            bool& ended) {
    std::string_view name;
    Place where, value_place;
    if (!host_.read_name(name, where, "a .amdhsa_ directive or .end_amdhsa_kernel")) return false;
    ended = name == ".end_amdhsa_kernel";
    if (ended) return true;
    if (!DescriptorBuilder::knows(name)) {
        const std::vector<std::string_view> known = DescriptorBuilder::directives();
        const std::string_view meant = nearest(name, known);
        Diagnostic& report =
            host_.error(where, fmt::format("'{}' is no setting of a kernel{}", name,
                                           meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant)));
        if (!meant.empty()) report.suggest(std::string(meant));
        return false;
    }
    std::int64_t value = 0;
    if (!host_.read_integer(value, value_place)) return false;
    bool in_value = false;
    const std::string wrong = builder.set(name, value, in_value);
    if (!wrong.empty()) host_.error(in_value ? value_place : where, wrong);
    values.emplace_back(name, value_place);
    return wrong.empty();
}

void Assembly::kernel(Place where) {
    std::string_view kernel;
    Place name_place;
    if (!host_.read_name(kernel, name_place, "a kernel's name")) return host_.skip_statement();
    const std::string name(kernel);
    bool good = target_.system == System::hsa;
    if (!good) host_.error(where, "only programs for amdhsa have kernel descriptors");
    DescriptorBuilder builder(target_);
    std::vector<std::pair<std::string, Place>> values;
    bool ended = false;
    while (!ended) {
        if (!host_.next_statement()) {
            host_.error(where, ".end_amdhsa_kernel is missing");
            return;
        }
        const bool read = read_setting(builder, values, ended);
        if (!read) host_.skip_statement();
        good &= read;
    }
    end_statement();
    if (!good) return;
    std::string_view about;
    const std::string wrong = builder.finish(about);
    if (wrong.empty()) return emit_descriptor(name, builder.bytes(), name_place);
    const auto found = std::ranges::find(values, about, &std::pair<std::string, Place>::first);
    host_.error(found == values.end() ? where : found->second, wrong);
}

// The descriptor stands where the directive does. Its symbol is as visible as the kernel's, which must be resolved here.
void Assembly::emit_descriptor(std::string_view kernel, const Descriptor& descriptor, Place where) {
    const std::string symbol = fmt::format("{}.kd", kernel);
    AssemblerHost::SymbolTraits traits = host_.traits(kernel);
    if (!host_.define_label(symbol, descriptor_size, where)) return;
    host_.set_traits(symbol, {traits.binding, SymbolType::object, traits.visibility});
    if (traits.visibility == Visibility::usual) {
        traits.visibility = Visibility::protected_;
        host_.set_traits(kernel, traits);
    }
    constexpr std::size_t entry_size = 8;
    const std::span<const std::uint8_t> bytes = descriptor;
    host_.emit(bytes.first(descriptor_entry));
    host_.emit_reference(kernel, rel64, descriptor_entry, entry_size);
    host_.emit(bytes.subspan(descriptor_entry + entry_size));
}

// --- notes

void Assembly::emit_note(const Note& note) {
    Section section;
    section.name = note_section;
    section.note = true;
    section.allocated = target_.system == System::hsa;
    section.alignment = 4;
    host_.enter_section(section);
    host_.align(4);
    host_.emit(note_bytes(note));
    host_.leave_section();
}

void Assembly::metadata(Place where) {
    constexpr std::string_view end = ".end_amdgpu_metadata";
    std::string text;
    Place lines;
    if (!host_.read_lines(end, text, lines)) {
        host_.error(where, fmt::format("{} is missing", end));
        return;
    }
    MetadataError wrong;
    const std::optional<std::vector<std::uint8_t>> bytes = metadata_bytes(text, wrong);
    end_statement();
    if (bytes) return emit_note({std::string(owner_v3), static_cast<std::uint32_t>(NoteType::metadata), *bytes});
    std::size_t at = 0;
    for (std::size_t line = 0; line < wrong.line && at < text.size(); ++line) {
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    lines.offset += static_cast<std::uint32_t>(at);
    lines.length = static_cast<std::uint32_t>(line_end - at);
    host_.error(lines, wrong.message);
}

bool Assembly::read_count(std::uint32_t& value) {
    std::int64_t number = 0;
    Place where;
    if (!host_.read_integer(number, where)) return false;
    value = static_cast<std::uint32_t>(number);
    if (number >= 0 && number <= UINT32_MAX) return true;
    host_.error(where, "the number must fit into 32 bits");
    return false;
}

void Assembly::object_version(Place where) {
    std::uint32_t major = 0, minor = 0;
    if (!read_count(major) || (!host_.accept(',') && (host_.error(where, "expected two numbers"), true)) ||
        !read_count(minor)) {
        return host_.skip_statement();
    }
    version_ = first_version;
    emit_note(version_note(major, minor));
    end_statement();
}

void Assembly::object_isa(Place where) {
    IsaVersion isa{target_.processor->major, target_.processor->minor, target_.processor->stepping};
    Place place;
    if (!host_.at_end()) {
        isa.vendor.clear();
        isa.architecture.clear();
        const bool good = read_count(isa.major) && host_.accept(',') && read_count(isa.minor) && host_.accept(',') &&
                          read_count(isa.stepping) && host_.accept(',') && host_.read_string(isa.vendor, place) &&
                          host_.accept(',') && host_.read_string(isa.architecture, place);
        if (!good) {
            host_.error(where, "expected three numbers, a vendor and an architecture");
            return host_.skip_statement();
        }
    }
    version_ = first_version;
    emit_note(isa_version_note(isa));
    end_statement();
}

void Assembly::isa_name(Place) {
    std::string text;
    Place where;
    if (!host_.read_string(text, where)) return host_.skip_statement();
    if (choose(text, where)) emit_note(text_note(NoteType::isa_name, text));
    end_statement();
}

void Assembly::metadata_v2(Place where) {
    constexpr std::string_view end = ".end_amd_amdgpu_hsa_metadata";
    std::string text;
    Place lines;
    if (!host_.read_lines(end, text, lines)) {
        host_.error(where, fmt::format("{} is missing", end));
        return;
    }
    version_ = first_version;
    emit_note(text_note(NoteType::metadata_v2, text));
    end_statement();
}

// --- the header of version 2

void Assembly::kernel_code(Place where) {
    KernelCode code = usual_kernel_code(target_);
    while (true) {
        std::string_view name;
        Place name_place, value_place;
        std::int64_t value = 0;
        if (!host_.next_statement()) {
            host_.error(where, ".end_amd_kernel_code_t is missing");
            return;
        }
        if (!host_.read_name(name, name_place, "a field or .end_amd_kernel_code_t")) {
            host_.skip_statement();
            continue;
        }
        if (name == ".end_amd_kernel_code_t") break;
        const std::string field(name);
        if (!host_.accept('=')) {
            host_.error(name_place, "expected FIELD = VALUE");
            host_.skip_statement();
        } else if (!host_.read_integer(value, value_place)) {
            host_.skip_statement();
        } else {
            bool in_value = false;
            const std::string wrong = set_kernel_code(code, field, value, in_value);
            if (!wrong.empty()) host_.error(in_value ? value_place : name_place, wrong);
        }
    }
    host_.emit(code);
    end_statement();
}

void Assembly::kernel_symbol(Place) {
    std::string_view name;
    Place where;
    if (!host_.read_name(name, where, "a kernel's name")) return host_.skip_statement();
    AssemblerHost::SymbolTraits traits = host_.traits(name);
    traits.type = SymbolType::special;
    host_.set_traits(name, traits);
    end_statement();
}

// --- the object

void Assembly::refresh() {
    std::int64_t vector = 0, scalar = 0;  // the first ones behind those that are named
    host_.visit_operands([&](const Operand& operand) {
        const std::int64_t end = std::int64_t{operand.first} + operand.count;
        if (operand.file == vector_file_) vector = std::max(vector, end);
        if (operand.file == scalar_file_) scalar = std::max(scalar, end);
    });
    clrx_.used(vector - 1, scalar - 1);
    host_.set_value(next_free_vgpr, std::max(host_.value(next_free_vgpr), vector));
    host_.set_value(next_free_sgpr, std::max(host_.value(next_free_sgpr), scalar));
}

// Who asks for a symbol has it brought up to date then; the rest is for the kernels' headers.
void Assembly::finish() {
    if (clrx_.has_kernels()) refresh();
    clrx_.finish();
}

void Assembly::complete(Object& object) {
    if (clrx_.has_headers()) version_ = first_version;
    clrx_.complete(target_, object);
    set_header(target_, version_, object);
    object.address_relocation = relocation_abs64;
}

}  // namespace

std::unique_ptr<AssemblyFlavour> make_assembly(const Isa& isa, std::string_view target, AssemblerHost& host,
                                               std::string& error) {
    Target chosen;
    chosen.processor = default_processor(isa.variant);
    if (!chosen.processor) {
        error = fmt::format("no processor is known for {}", isa.variant);
        return nullptr;
    }
    if (!target.empty()) {
        const std::optional<Target> found = parse_target(target, error);
        if (!found) return nullptr;
        if (!isa.is_refined_by(found->processor->variant)) {
            error = fmt::format("{} is of {}, and this is {}", found->processor->name, found->processor->variant,
                                isa.variant);
            return nullptr;
        }
        chosen = *found;
        host.use_variant(found->processor->variant);
    }
    return std::make_unique<Assembly>(isa, chosen, target, host);
}

}  // namespace isaforge::codeobject
