#include "cli/completion.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/session.hpp"
#include "codeobject/target.hpp"
#include "isaforge/device.hpp"
#include "support/input_file.hpp"

namespace isaforge::cli {

namespace {

using Words = std::vector<std::string>;

const ArgumentText* find_option(const CommandText& command, std::string_view name) {
    const auto found = std::ranges::find_if(command.arguments, [&](const ArgumentText& argument) {
        return !argument.is_positional && std::ranges::find(argument.names, name) != argument.names.end();
    });
    return found == command.arguments.end() ? nullptr : &*found;
}

const ArgumentText* positional(const CommandText& command, std::size_t number) {
    const ArgumentText* last = nullptr;
    for (const ArgumentText& argument : command.arguments) {
        if (!argument.is_positional) continue;
        last = &argument;
        if (number-- == 0) return last;
    }
    return last && last->repeats ? last : nullptr;
}

// What has been typed before the word: which argument has which value.
struct Typed {
    std::vector<std::pair<const ArgumentText*, std::string>> values;
    const ArgumentText* awaited = nullptr;  // an option that wants the word as its value
    std::size_t positionals = 0;
    bool options_ended = false;

    std::optional<std::string> value(Completes what) const {
        for (const auto& [argument, text] : values) {
            if (argument && argument->completion.what == what) return text;
        }
        return std::nullopt;
    }
};

Typed read(const CommandText& command, const Words& words) {
    Typed typed;
    for (const std::string& word : words) {
        if (typed.awaited) {
            typed.values.emplace_back(typed.awaited, word);
            typed.awaited = nullptr;
        } else if (!typed.options_ended && word == "--") {
            typed.options_ended = true;
        } else if (!typed.options_ended && word.size() > 1 && word.front() == '-') {
            const std::size_t sign = word.starts_with("--") ? word.find('=') : std::min<std::size_t>(2, word.size());
            const ArgumentText* const option = find_option(command, word.substr(0, sign));
            if (!option) continue;
            if (sign < word.size())
                typed.values.emplace_back(option, word.substr(sign + (word[sign] == '=' ? 1 : 0)));
            else if (option->takes_value)
                typed.awaited = option;
        } else {
            typed.values.emplace_back(positional(command, typed.positionals++), word);
        }
    }
    return typed;
}

// The instruction set that stands on the command line, as far as names and texts need it; null where there is none.
std::shared_ptr<const Isa> isa_of(const Typed& typed) {
    IsaChoice choice;
    choice.meanings = false;
    choice.name = typed.value(Completes::isa).value_or("");
    choice.variant = typed.value(Completes::variant).value_or("");
    choice.dialect = typed.value(Completes::dialect).value_or("");
    if (choice.name.empty() || choice.name == "-") return nullptr;
    Session session;
    std::shared_ptr<const Isa> isa = session.load(choice);
    if (isa || choice.variant.empty()) return isa;
    choice.variant.clear();
    return session.load(choice);
}

void add(Offers& offers, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) offers.words.push_back({text, {}});
}

void add_mnemonics(Offers& offers, const Isa& isa) {
    for (const Instruction& instruction : isa.instructions) {
        for (const std::string& name : instruction.names) offers.words.push_back({name, instruction.title});
    }
}

void add_kernels(Offers& offers, const Typed& typed) {
    const std::optional<std::string> path = typed.value(Completes::file);
    std::string text, error;
    if (!path || !read_input(*path, Readable::only_regular, text, error)) return;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const std::optional<CodeObjectInfo> info = read_code_object({bytes, text.size()}, error);
    if (!info) return;
    for (const KernelInfo& kernel : info->kernels) offers.words.push_back({kernel.name, kernel.language});
}

Offers values_of(const ArgumentText& argument, const Typed& typed) {
    Offers offers;
    add(offers, argument.completion.values);
    const auto what = argument.completion.what;
    const std::shared_ptr<const Isa> isa = what == Completes::mnemonic || what == Completes::variant ||
                                                   what == Completes::dialect || what == Completes::parameter
                                               ? isa_of(typed)
                                               : nullptr;
    switch (what) {
        case Completes::nothing: break;
        case Completes::file: offers.files = true; break;
        case Completes::folder: offers.folders = true; break;
        case Completes::program: offers.programs = true; break;
        case Completes::isa:
            for (const auto& [name, title] : builtin_isas()) offers.words.push_back({name, title});
            offers.files = true;
            break;
        case Completes::mnemonic:
            if (isa) add_mnemonics(offers, *isa);
            break;
        case Completes::variant:
            if (isa) add(offers, isa->variants);
            break;
        case Completes::dialect:
            if (isa) add(offers, isa->dialects);
            break;
        case Completes::parameter:
            if (!isa) break;
            for (const Parameter& parameter : isa->parameters) {
                if (parameter.allowed.empty()) offers.words.push_back({parameter.name + "=", {}});
                for (const std::uint64_t value : parameter.allowed)
                    offers.words.push_back({parameter.name + "=" + std::to_string(value), {}});
            }
            break;
        case Completes::processor:
            for (const codeobject::Processor& processor : codeobject::processors())
                offers.words.push_back({std::string(processor.name), std::string(processor.variant)});
            break;
        case Completes::kernel: add_kernels(offers, typed); break;
        case Completes::command:
            for (const Command* command : all_commands()) {
                if (!command->is_hidden()) offers.words.push_back({command->name, command->summary});
            }
            break;
    }
    return offers;
}

void add_options(Offers& offers, const CommandText& command) {
    for (const ArgumentText& argument : command.arguments) {
        if (argument.is_positional) continue;
        for (const std::string& name : argument.names) offers.words.push_back({name, argument.summary});
        if (argument.takes_value_behind) offers.words.push_back({argument.names.back() + "=", argument.summary});
    }
}

Offers all_offers(const Words& words) {
    const std::string& word = words.back();
    Offers offers;
    if (words.size() == 1) {
        if (word.starts_with('-'))
            add_options(offers, describe_program());
        else
            offers = values_of({.completion = {Completes::command, {}}}, {});
        return offers;
    }
    const Command* const chosen = find_command(words.front());
    if (!chosen) return offers;
    const CommandText command = describe(*chosen);
    const Typed typed = read(command, Words(words.begin() + 1, words.end() - 1));
    if (typed.awaited) return values_of(*typed.awaited, typed);
    if (!typed.options_ended && word.starts_with('-')) {
        const std::size_t sign = word.find('=');
        if (sign == std::string::npos) {
            add_options(offers, command);
            return offers;
        }
        const ArgumentText* const option = find_option(command, word.substr(0, sign));
        if (option && (option->takes_value || option->takes_value_behind)) offers = values_of(*option, typed);
        for (Offer& offer : offers.words) offer.text.insert(0, word, 0, sign + 1);
        return offers;
    }
    const ArgumentText* const argument = positional(command, typed.positionals);
    if (argument) offers = values_of(*argument, typed);
    offers.files =
        offers.files || (argument && argument->completion.what == Completes::program && typed.positionals > 0);
    return offers;
}

}  // namespace

Offers complete(const std::vector<std::string>& words) {
    Offers offers;
    if (words.empty()) return offers;
    offers = all_offers(words);
    std::erase_if(offers.words, [&](const Offer& offer) { return !offer.text.starts_with(words.back()); });
    std::ranges::stable_sort(offers.words, {}, &Offer::text);
    const auto is_same = [](const Offer& a, const Offer& b) { return a.text == b.text; };
    offers.words.erase(std::unique(offers.words.begin(), offers.words.end(), is_same), offers.words.end());
    return offers;
}

}  // namespace isaforge::cli
