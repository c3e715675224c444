// Directives that choose the section.
#include <fmt/format.h>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

namespace {
constexpr std::string_view well_known[] = {".text", ".data", ".bss", ".rodata"};
constexpr std::uint32_t elf_merge = 0x10, elf_strings = 0x20;
}  // namespace

void Engine::enter(Index section) {
    current_index_ = section;
    current_ = &sections_[section];
    expressions_.here = {section, current_->last_fragment(), current_->used};
}

Index Engine::section_named(std::string_view name) {
    const Index found = sections_.find(name);
    if (found != no_index) return found;
    return sections_.size() < limits::sections ? sections_.add(name) : no_index;
}

void Engine::too_many_sections(const char* at) {
    error(place(at), fmt::format("there are more than {} sections", limits::sections));
}

void Engine::named_section(const char*& p, int which) {
    const Index wanted = section_named(well_known[which]);
    if (wanted == no_index) {
        too_many_sections(p);
        return skip_statement(p);
    }
    previous_index_ = current_index_;
    enter(wanted);
    if (!ends_statement(p)) {
        const char* const begin = p;
        std::uint64_t number = 0;
        if (small_count(p, number, "a subsection", UINT32_MAX) && number != 0) {
            error(begin, p, "there are no subsections here; use a section of its own");
        }
    }
    finish_statement(p);
}

void Engine::any_section(const char*& p, int push) {
    const char* const begin = p;
    std::string_view found;
    // Section names hold characters that other names do not.
    p = skip_space(p);
    const char* end = p;
    while (is(*end, class_name) || *end == '-' || *end == '+' || *end == '/') {
        if (lexical_[static_cast<unsigned char>(*end)] & lexical_comment && ends_statement(end)) break;
        ++end;
    }
    if (end > p) {
        found = {p, static_cast<std::size_t>(end - p)};
        p = end;
    } else if (!name(p, found, "a section's name")) {
        return skip_statement(p);
    }
    const bool fresh = sections_.find(found) == no_index;
    const Index index = section_named(found);
    if (index == no_index) {
        too_many_sections(begin);
        return skip_statement(p);
    }
    if (push) section_stack_.emplace_back(current_index_, previous_index_);
    Section described = sections_[index].section.no_bits ? sections_[index].section : Section{};
    Section& target = fresh ? sections_[index].section : described;
    const bool words = comma(p) && *p == '#';
    if (words && !section_words(p, target)) return skip_statement(p);
    if (!words && *p == '"' && (!section_flags(p, target) || (comma(p) && !section_type(p, target))))
        return skip_statement(p);
    sections_.set_code(index, sections_[index].section.executable);
    previous_index_ = current_index_;
    enter(index);
    finish_statement(p);
}

bool Engine::section_flags(const char*& p, Section& section) {
    std::string flags;
    const char* const begin = p;
    if (!string(p, flags)) return false;
    section.allocated = section.writable = section.executable = section.of_thread = false;
    for (const char flag : flags) {
        switch (flag) {
            case 'a': section.allocated = true; break;
            case 'w': section.writable = true; break;
            case 'x': section.executable = true; break;
            case 'M': section.elf_flags |= elf_merge; break;
            case 'S': section.elf_flags |= elf_strings; break;
            case 'T': section.of_thread = true; break;
            default: error(begin, p, fmt::format("the section flag '{}' is not known", flag)); return false;
        }
    }
    return true;
}

// Solaris' way to say the same, which compilers for some machines still write: `#alloc,#execinstr`.
bool Engine::section_words(const char*& p, Section& section) {
    section.allocated = section.writable = section.executable = false;
    do {
        const char* const begin = p;
        std::string_view word;
        if (*p == '#') ++p;
        if (!name(p, word, "#alloc, #write or #execinstr")) return false;
        if (word == "alloc") {
            section.allocated = true;
        } else if (word == "write") {
            section.writable = true;
        } else if (word == "execinstr") {
            section.executable = true;
        } else {
            error(begin, p, "expected #alloc, #write or #execinstr");
            return false;
        }
    } while (comma(p));
    return true;
}

bool Engine::section_type(const char*& p, Section& section) {
    const char* const begin = p;
    if (*p == '@' || *p == '%') ++p;
    std::string_view type;
    if (!name(p, type, "@progbits, @nobits, @note or @init_array")) return false;
    if (type == "nobits") {
        section.no_bits = true;
    } else if (type == "note") {
        section.note = true;
    } else if (type == "init_array" || type == "fini_array" || type == "preinit_array") {
        constexpr std::uint32_t init = 14, fini = 15, preinit = 16;  // SHT_INIT_ARRAY and so on
        section.elf_type = type == "init_array" ? init : type == "fini_array" ? fini : preinit;
    } else if (type != "progbits") {
        error(begin, p, "expected @progbits, @nobits, @note or @init_array");
        return false;
    }
    std::uint64_t size = 0;
    if (comma(p) && !small_count(p, size, "the size of an entry", UINT32_MAX)) return false;
    section.entry_size = static_cast<std::uint32_t>(size);
    return true;
}

void Engine::pop_section(const char*& p, int) {
    if (section_stack_.empty()) {
        error(place(p), "no .pushsection stands before this .popsection");
    } else {
        enter(section_stack_.back().first);
        previous_index_ = section_stack_.back().second;
        section_stack_.pop_back();
    }
    finish_statement(p);
}

void Engine::previous_section(const char*& p, int) {
    const Index now = current_index_;
    enter(previous_index_);
    previous_index_ = now;
    finish_statement(p);
}

}  // namespace isaforge::assembler
