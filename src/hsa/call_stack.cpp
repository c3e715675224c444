#include "hsa/call_stack.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace isaforge::hsa {

namespace {

// What stands between a program's line and this library.
constexpr std::string_view launching[] = {"libhsa-runtime64", "libamdhip64", "libomptarget", "libgomp", "libc.so"};

bool launches(std::string_view file) {
    for (const std::string_view part : launching)
        if (file.find(part) != std::string_view::npos) return true;
    return false;
}

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
    for (unsigned i = 0; i < count; ++i) {
        const auto* const at = static_cast<const char*>(addresses[i]) - 1;
        Dl_info place{};
        if (::dladdr(at, &place) == 0 || place.dli_fname == nullptr || launches(place.dli_fname)) continue;
        if (place.dli_sname != nullptr && std::string_view(place.dli_sname) == "_start") break;
        const std::string_view file = place.dli_fname;
        const auto offset = static_cast<std::uint64_t>(at - static_cast<const char*>(place.dli_fbase));
        lines +=
            fmt::format("{}{} in {}+{:#x}\n", indent, readable_name(place.dli_sname == nullptr ? "" : place.dli_sname),
                        file.substr(file.rfind('/') + 1), offset);
    }
    return lines;
}

}  // namespace isaforge::hsa
