// `isaforge completion`: what makes a shell complete command lines of ours. It is the same few lines for whatever commands
// there are: at each key the shell asks the hidden command `complete`, which knows them.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

// The shells hand over words with a colon before each, so that none is taken for an option, and get lines: a word, a tab and
// what it is; or `:files`, `:folders` or `:programs` for what they know themselves.

// Readline splits words at `=` and `:` too, which are put together again; of the answers it wants what is behind these.
constexpr const char* for_bash = R"script(# Completion of isaforge for bash: eval "$(isaforge completion bash)"
_isaforge() {
    local word line text before= after_space=1
    local -a words=()
    local i
    for ((i = 1; i <= COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if ((i > 1 && !after_space)) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]] && [[ ${words[-1]} != '' ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        after_space=0
    done
    word=${words[-1]}
    word=${word#[\'\"]}
    words[-1]=$word
    [[ $word == *[=:]* ]] && before=${word%"${word##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        text=${line%%$'\t'*}
        case $text in
            :files) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${word#"$before"}") ;;
            :folders) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "${word#"$before"}") ;;
            :programs) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "${word#"$before"}") ;;
            *)
                [[ $text == *= ]] && compopt -o nospace
                COMPREPLY+=("${text#"$before"}") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete "${words[@]/#/:}" 2>/dev/null)
}
complete -F _isaforge isaforge
)script";

constexpr const char* for_zsh = R"script(#compdef isaforge
# Completion of isaforge for zsh: eval "$(isaforge completion zsh)", or a file _isaforge in a folder of fpath
_isaforge() {
    local line text summary
    local -a asked names shown
    asked=("${(@Q)words[2,CURRENT]}")
    for line in "${(@f)$("${(Q)words[1]}" complete "${(@)asked/#/:}" 2>/dev/null)}"; do
        text=${line%%$'\t'*}
        summary=${line#*$'\t'}
        case $text in
            '') ;;
            :files) _files ;;
            :folders) _files -/ ;;
            :programs) _command_names -e ;;
            *) names+=("$text"); shown+=("${text}${summary:+  -- $summary}") ;;
        esac
    done
    local -a whole behind
    local -a whole_shown behind_shown
    local i
    for ((i = 1; i <= $#names; ++i)); do
        if [[ $names[i] == *= ]]; then
            behind+=("$names[i]"); behind_shown+=("$shown[i]")
        else
            whole+=("$names[i]"); whole_shown+=("$shown[i]")
        fi
    done
    (($#whole)) && compadd -l -d whole_shown -a whole
    (($#behind)) && compadd -S '' -l -d behind_shown -a behind
    return 0
}
if [[ $funcstack[1] == _isaforge ]]; then
    _isaforge "$@"
else
    compdef _isaforge isaforge
fi
)script";

constexpr const char* for_fish = R"script(# Completion of isaforge for fish: isaforge completion fish | source
function __isaforge_complete
    set -l before (commandline -opc)
    set -l current "$(commandline -ct)"
    set -l asked (string replace -r '^' ':' -- $before[2..] $current)
    for line in ($before[1] complete $asked 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $current
            case ':folders'
                __fish_complete_directories $current
            case ':programs'
                __fish_complete_subcommand --commandline $current
            case '*'
                echo -- $line
        end
    end
end
complete -c isaforge -f -a '(__isaforge_complete)'
)script";

struct Options {
    std::string shell;
    std::vector<std::string> words;
};

int print_script(const Options& options) {
    const char* const script = options.shell == "bash" ? for_bash : options.shell == "zsh" ? for_zsh : for_fish;
    return write_text("-", script) ? success : input_error;
}

Action define_completion(Arguments& app) {
    auto options = std::make_shared<Options>();
    app.add_option("SHELL", options->shell, "bash, zsh or fish")
        ->required()
        ->type_name("")
        ->one_of({"bash", "zsh", "fish"});
    return [options] { return print_script(*options); };
}

int print_offers(const Options& options) {
    std::vector<std::string> words = options.words;
    for (std::string& word : words) word.erase(0, 1);
    const Offers offers = complete(words);
    if (offers.files) say(":files\n");
    if (offers.folders) say(":folders\n");
    if (offers.programs) say(":programs\n");
    for (const Offer& offer : offers.words)
        say(fmt::format("{}\t{}\n", offer.text, offer.summary.substr(0, offer.summary.find('\n'))));
    return success;
}

Action define_complete(Arguments& app) {
    auto options = std::make_shared<Options>();
    app.add_option("WORD", options->words, "The words behind the program's name, each behind a colon");
    return [options] { return print_offers(*options); };
}

constexpr Command completion{about_command, "completion", "Print what makes a shell complete command lines",
                             "Instruction sets, mnemonics, variants, kernels and files are completed, too.\n\n"
                             "Examples:\n"
                             "  eval \"$(isaforge completion bash)\"          in .bashrc\n"
                             "  eval \"$(isaforge completion zsh)\"           in .zshrc, behind compinit\n"
                             "  isaforge completion fish | source           in config.fish\n",
                             define_completion};
const Registration completion_registration{completion};

constexpr Command asked{"", "complete", "Say what a word may be, for shells", "", define_complete};
const Registration asked_registration{asked};

}  // namespace

}  // namespace isaforge::cli
