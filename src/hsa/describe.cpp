// For `isaforge gpu --info`: what a program would find, as text.
#include <fmt/format.h>

#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

extern "C" [[gnu::visibility("default")]] const char* hsa_isaforge_describe() {
    static std::string text;
    if (begin_runtime() != HSA_STATUS_SUCCESS) return "no processor\n";
    text.clear();
    for (const Agent* const gpu : runtime().gpus()) {
        text += fmt::format("processor {}: {}\n", gpu->number(), gpu->processor());
        text += fmt::format("    instruction set    {}\n", gpu->isa());
        text += fmt::format("    compute units      {}, run by {} threads\n", gpu->units(), gpu->device().threads());
        text += fmt::format(
            "    wavefronts         of 64 work-items, {} live at the same time, {} where they wait for each other\n",
            gpu->device().resident_wavefronts(), gpu->device().most_wavefronts());
        text += fmt::format("    local data share   {} KiB a group\n", gpu->device().most_group_bytes() >> 10);
        text += fmt::format("    memory             {} GiB, {} profile\n", gpu->pools()[0].bytes() >> 30,
                            gpu->is_full_profile() ? "full" : "base");
    }
    return text.c_str();
}
