#include "hsa/call_stack.hpp"

#include <cxxabi.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace isaforge::hsa {

namespace {

// What stands between a program's line and this library, and a sanitizer, which looks at the stack for us.
constexpr std::string_view launching[] = {"libhsa-runtime64", "libamdhip64", "libomptarget",
                                          "libgomp",          "libc.so",     "libasan"};

bool launches(std::string_view file) {
    for (const std::string_view part : launching)
        if (file.find(part) != std::string_view::npos) return true;
    return false;
}

// The last part of a path.
std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What the files that this process was made of say of its addresses.
class Process {
public:
    Process() : dwfl_(::dwfl_begin(&callbacks_), &::dwfl_end) {
        if (dwfl_ == nullptr) return;
        ::dwfl_report_begin(dwfl_.get());
        ::dwfl_linux_proc_report(dwfl_.get(), ::getpid());
        ::dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    }

    // "main (sum.cpp:12)", or where in its file it is; empty where it is of a library that launches.
    std::string text(std::uint64_t address) const {
        Dwfl_Module* const module = dwfl_ == nullptr ? nullptr : ::dwfl_addrmodule(dwfl_.get(), address);
        if (module == nullptr) return "?";
        Dwarf_Addr begin = 0;
        const char* const path =
            ::dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
        if (path == nullptr || launches(path)) return {};
        const char* const symbol = ::dwfl_module_addrname(module, address);
        const std::string name = readable_name(symbol == nullptr ? "" : symbol);
        int line = 0;
        const char* const source = line_of(module, address, line);
        return source != nullptr ? fmt::format("{} ({}:{})", name, name_of(source), line)
                                 : fmt::format("{} in {}+{:#x}", name, name_of(path), address - begin);
    }

private:
    // Unit by unit: the index of addresses, by which there is a shorter way, is left out by some compilers.
    static const char* line_of(Dwfl_Module* module, std::uint64_t address, int& line) {
        Dwarf_Addr bias = 0;
        for (Dwarf_Die* unit = nullptr; (unit = ::dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
            if (::dwarf_haspc(unit, address - bias) <= 0) continue;
            Dwarf_Line* const found = ::dwarf_getsrc_die(unit, address - bias);
            if (found == nullptr || ::dwarf_lineno(found, &line) != 0) return nullptr;
            return ::dwarf_linesrc(found, nullptr, nullptr);
        }
        return nullptr;
    }
    // Only what stands in the files themselves is looked at.
    static int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word,
                             char**) {
        return -1;
    }
    static constexpr Dwfl_Callbacks callbacks_{.find_elf = ::dwfl_linux_proc_find_elf,
                                               .find_debuginfo = no_debug_file,
                                               .section_address = nullptr,
                                               .debuginfo_path = nullptr};

    std::unique_ptr<Dwfl, decltype(&::dwfl_end)> dwfl_;
};

}  // namespace

std::string readable_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 ? name.get() : symbol.empty() ? "?" : symbol;
}

CallStack CallStack::here() {
    CallStack stack;
    stack.count = static_cast<unsigned>(::backtrace(stack.addresses.data(), static_cast<int>(stack.addresses.size())));
    return stack;
}

// An address is where the call comes back to: one less belongs to the call.
std::string CallStack::text(std::string_view indent) const {
    std::string lines;
    const Process process;
    for (unsigned i = 0; i < count; ++i) {
        const std::string line = process.text(reinterpret_cast<std::uint64_t>(addresses[i]) - 1);
        if (line.starts_with("_start ")) break;
        if (!line.empty()) lines += fmt::format("{}{}\n", indent, line);
    }
    return lines;
}

}  // namespace isaforge::hsa
